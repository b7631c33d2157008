import { jsonOf, isObject } from '../untrusted/json.js';
import type { Listed, Place, Reading } from '../store/port.js';

/** Longest line, bytes: the largest document, with each of its characters escaped twice. */
const LONGEST = 256 * 1024 * 1024;

/** The first line of an export. */
export interface ExportHeader extends Pick<Reading, 'reserved' | 'keptTime'> {
  /** Version of the release that wrote it. */
  readonly version: string;
  /** By setting: its fingerprint at the service that wrote it. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A file is not a complete export. The message says why, with the number of the line. */
export class ExportFault extends Error {
  override readonly name = 'ExportFault';
}

/** A line of an export: a document, and the number of bytes from the start of the file to its end. */
export interface ExportLine {
  /** From 1. */
  readonly number: number;
  readonly document: Listed;
  readonly readBytes: number;
}

/** An export, read once from its start. */
export interface ExportFile {
  readonly header: ExportHeader;
  /** The documents. Throws an `ExportFault` for a line that is none, and at the end if the file is not complete. */
  readonly lines: AsyncGenerator<ExportLine, void>;
}

/** Begins to read an export of a format. Throws an `ExportFault`. */
export async function openExport(chunks: AsyncIterable<Uint8Array>, format: number): Promise<ExportFile> {
  const texts = textLines(chunks);
  const { value: first } = await texts.next();
  if (first === undefined) throw new ExportFault('it is empty');
  return { header: headerIn(first.text, format), lines: documentsIn(texts) };
}

interface TextLine {
  readonly number: number;
  readonly text: string;
  readonly readBytes: number;
}

async function* documentsIn(texts: AsyncIterable<TextLine>): AsyncGenerator<ExportLine, void> {
  let documents = 0;
  let isComplete = false;
  for await (const { number, text, readBytes } of texts) {
    if (isComplete) throw new ExportFault(`line ${number} follows the last line of the export`);
    const json = jsonOf(text);
    if (isObject(json) && Object.hasOwn(json, 'end')) {
      if (json['end'] !== documents)
        throw new ExportFault(
          `line ${number} says that ${JSON.stringify(json['end'])} documents come before it, and there are ${documents}`,
        );
      isComplete = true;
      continue;
    }
    documents += 1;
    yield { number, document: documentIn(json, number), readBytes };
  }
  if (!isComplete)
    throw new ExportFault(
      `its last line {"end": …} is missing, after ${documents} documents: the export broke off, or the file was cut; export again`,
    );
}

function headerIn(text: string, format: number): ExportHeader {
  const json = jsonOf(text);
  if (!isObject(json) || json['format'] === undefined || typeof json['version'] !== 'string')
    throw new ExportFault('line 1 is not the header of an export of Mirzam');
  const { reserved, keptTime, version, settings = {} } = json;
  if (json['format'] !== format)
    throw new ExportFault(
      `it has format ${JSON.stringify(json['format'])}, and this version of Mirzam reads format ${format}: import it with version ${version}`,
    );
  if (!isCount(reserved) || !isOptional(keptTime, isCount) || !isObject(settings))
    throw new ExportFault('line 1 has a reserved, keptTime or settings of another form');
  return { version, reserved, keptTime, settings };
}

/** Returns the document of a parsed line. */
function documentIn(json: unknown, line: number): Listed {
  const fault = (member: string, allowed: string): ExportFault =>
    new ExportFault(`line ${line}: ${member} must be ${allowed}`);
  if (!isObject(json)) throw new ExportFault(`line ${line} is not a JSON object`);
  const { id, revision, version, state, wakeAt, queue, place, frequent, rare } = json;
  if (!isText(id) || !/^[^/]+\/[^/]*\/./s.test(id)) throw fault('id', 'a text such as kind/tenant/name');
  if (!isCount(revision) || revision === 0) throw fault('revision', 'a whole number from 1');
  if (!isCount(version)) throw fault('version', 'a whole number');
  if (!isText(state)) throw fault('state', 'a text');
  if (!isOptional(wakeAt, isCount)) throw fault('wakeAt', 'a time, ms since the epoch');
  if (!isOptional(queue, isText)) throw fault('queue', 'a text');
  if (!isOptional(place, isPlace)) throw fault('place', 'an object with tags, and perhaps an order');
  if (!isJson(frequent)) throw fault('frequent', 'a JSON text');
  if (!isJson(rare)) throw fault('rare', 'a JSON text');
  return { id, revision, version, state, wakeAt, queue, place, frequent, rare };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isJson(value: unknown): value is string {
  return isText(value) && jsonOf(value) !== undefined;
}

function isPlace(value: unknown): value is Place {
  return isObject(value) && isText(value['tags']) && isOptional(value['order'], isText);
}

function isOptional<T>(value: unknown, is: (value: unknown) => value is T): value is T | undefined {
  return value === undefined || is(value);
}

/** Yields the lines of a text. Not `readline`: it takes other characters for ends of lines, too, which JSON texts may have. */
async function* textLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TextLine, void> {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 0;
  let readBytes = 0;
  const line = (): TextLine => {
    number += 1;
    try {
      return { number, text: utf8.decode(Buffer.concat(parts)), readBytes };
    } catch {
      throw new ExportFault(`line ${number} is not UTF-8`);
    }
  };
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length;) {
      const newline = chunk.indexOf(0x0a, start);
      const end = newline < 0 ? chunk.length : newline;
      parts.push(chunk.subarray(start, end));
      length += end - start;
      readBytes += (newline < 0 ? end : end + 1) - start;
      if (length > LONGEST) throw new ExportFault(`line ${number + 1} is longer than any of an export`);
      start = end + 1;
      if (newline < 0) break;
      yield line();
      parts = [];
      length = 0;
    }
  }
  if (length > 0) yield line();
}
