import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Command } from 'commander';
import { CARRIED, fingerprintsOf } from '../config/carried.js';
import { type Config, loadConfig } from '../config/config.js';
import { EXPORT_FORMAT } from '../operator/export.js';
import { type Commit, type Listed, type StoreImport, Unstorable } from '../store/port.js';
import { rangeOf } from '../store/revisions.js';
import { openStoreImport } from '../store/select.js';
import { inBatches } from '../system/in-batches.js';
import { type CommandBuilder, type CommandContext, type ExitCode, Failure } from './context.js';
import { ExportFault, type ExportHeader, type ExportLine, openExport } from './export-file.js';
import { chunksOf } from './files.js';
import { importNotes } from './import-notes.js';

const MORE = `
The store is that of the settings, as for the service: the folder DATA_DIR, or the database of MONGODB_URL. It must be empty, and
no service may use it. Either everything is imported or nothing, also if the command is killed. FILE may be -, the standard
input.`;

/** Documents and characters of one commit. */
const BATCH = { documents: 2_000, characters: 4 * 1024 * 1024 };
/** Time between two messages about the progress, ms. */
const PROGRESS_MS = 500;

interface Given {
  readonly otherSettings?: true;
}

/** `mirzam import`: fills an empty store from the file of an export. */
export const importCommand: CommandBuilder = (context) =>
  new Command('import')
    .description('Fills an empty store from a file that "mirzam export" wrote. No service is needed.')
    .argument('<FILE>', 'the file')
    .option(
      '--other-settings',
      `import although settings differ that belong to the store: ${CARRIED.join(', ')}`,
    )
    .addHelpText('after', MORE)
    .action(context.ending((file: string, given: Given) => imported(file, given, context)));

async function imported(file: string, given: Given, context: CommandContext): Promise<ExitCode> {
  const config = loadConfig(context.environment());
  const interrupted = new AbortController();
  const stop = (): void => interrupted.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const documents = await importFrom(file, given, config, context, interrupted.signal);
    context.stdout.write(`${file}: ${documents} documents are imported into ${nameOf(config)}\n`);
    return 0;
  } catch (error) {
    const why = interrupted.signal.aborted
      ? 'it was interrupted'
      : error instanceof ExportFault
        ? `${file}: ${error.message}`
        : (error as Error).message;
    throw new Failure(`${why}. Nothing is imported.`, { cause: error });
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

async function importFrom(
  file: string,
  { otherSettings }: Given,
  config: Config,
  { stdin, stderr, version }: CommandContext,
  signal: AbortSignal,
): Promise<number> {
  const { header, lines } = await openExport(chunksOf(file, stdin, signal), EXPORT_FORMAT);
  refuseNewer(header, version);
  if (otherSettings !== true) refuseOtherSettings(header, await fingerprintsOf(config));
  const { dataDir: folder, mongodbUrl } = config.store;
  const store = await openStoreImport({ folder, mongodbUrl });
  const size = file === '-' ? 0 : (await stat(file)).size;
  const progress = stderr.isTTY === true ? progressOn(stderr, size) : undefined;
  try {
    let documents = 0;
    let { reserved } = header;
    const notes = importNotes(config.auditDays);
    for await (const batch of batchesOf(lines)) {
      signal.throwIfAborted();
      await add(store, batch);
      documents += batch.length;
      for (const { document } of batch) {
        reserved = Math.max(reserved, rangeOf(document.revision));
        notes.add(document);
      }
      progress?.show(documents, batch.at(-1)!.readBytes);
    }
    signal.throwIfAborted();
    const noted = notes.commits({ version: header.version, documents, at: Date.now(), reserved });
    reserved += noted.length;
    await addNotes(store, noted);
    await store.finish({ reserved, keptTime: header.keptTime });
    return documents;
  } finally {
    progress?.end();
    await store.close();
  }
}

/** Refuses the file of a newer release, which may have documents that this one cannot read. */
function refuseNewer(header: ExportHeader, version: string): void {
  const numbersOf = (text: string): readonly number[] => text.split(/[.+-]/, 3).map(Number);
  const [theirs, ours] = [numbersOf(header.version), numbersOf(version)];
  const at = theirs.findIndex((number, i) => number !== ours[i]);
  if (at >= 0 && theirs[at]! > ours[at]!)
    throw new ExportFault(
      `version ${header.version} of Mirzam wrote it, and this is ${version}: import it with ${header.version} or a newer one`,
    );
}

/** Refuses a file of a service with other settings of those that belong to a store. */
function refuseOtherSettings({ settings }: ExportHeader, own: Readonly<Record<string, string>>): void {
  const other = CARRIED.filter((name) => settings[name] !== own[name]);
  if (other.length === 0) return;
  const differences = other.map((name) =>
    settings[name] === undefined
      ? `${name} is set here and was not there`
      : own[name] === undefined
        ? `${name} was set there and is not here`
        : `${name} has another value here`,
  );
  throw new ExportFault(
    `settings of the service that wrote it belong to its documents, and differ: ${differences.join('; ')}. Set them as they ` +
      'were there, or add --other-settings',
  );
}

async function* batchesOf(lines: AsyncIterable<ExportLine>): AsyncGenerator<readonly ExportLine[], void> {
  let batch: ExportLine[] = [];
  let characters = 0;
  for await (const line of lines) {
    batch.push(line);
    characters += line.document.frequent.length + line.document.rare.length;
    if (batch.length < BATCH.documents && characters < BATCH.characters) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

async function add(store: StoreImport, batch: readonly ExportLine[]): Promise<void> {
  const results = await store.commit(batch.map(({ document }) => creationOf(document)));
  for (const [at, result] of results.entries()) {
    if (result === 'won') continue;
    const { number } = batch[at]!;
    if (result instanceof Unstorable)
      throw new ExportFault(`line ${number}: ${result.message}`, { cause: result });
    if (result instanceof Error) throw result;
    throw new ExportFault(`line ${number} has the id of a line before it`);
  }
}

async function addNotes(store: StoreImport, notes: readonly Commit[]): Promise<void> {
  for await (const batch of inBatches(notes, BATCH.documents)) {
    const results = await store.commit(batch);
    const failed = results.find((result) => result instanceof Error);
    if (failed !== undefined) throw failed;
  }
}

function creationOf({ id, revision, ...next }: Listed): Commit {
  return { id, expected: 0, revision, commitId: randomUUID(), next, previous: undefined };
}

/** Writes how far the import is, over its last message. `size`: bytes of the file, 0 if it is not known. */
function progressOn(stderr: CommandContext['stderr'], size: number) {
  let shownAt = -Infinity;
  return {
    show(documents: number, readBytes: number): void {
      const now = performance.now();
      if (now - shownAt < PROGRESS_MS) return;
      shownAt = now;
      const share = size === 0 ? '' : `${Math.floor((100 * readBytes) / size)} %, `;
      stderr.write(`\r\u001B[K${share}${documents} documents`);
    },
    end: (): void => void stderr.write('\r\u001B[K'),
  };
}

function nameOf({ store: { dataDir, mongodbUrl } }: Config): string {
  return mongodbUrl === undefined ? `the folder ${dataDir}` : 'the database of MONGODB_URL';
}
