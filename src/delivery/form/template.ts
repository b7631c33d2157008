import { isObject } from '../../untrusted/json.js';
import { type Escaping, escapedAs, escapingOf } from './escaping.js';
import type { MessageTemplate } from './formats.js';
import { jsonPlace } from './json-place.js';

/** What is wrong with a template, as the end of a sentence. Its message has no value of a message. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
}

/** Maximum characters of a message about such a fault. */
export const LONGEST_FAULT = 300;

/** A template that can be filled. */
export interface ReadTemplate {
  readonly parts: readonly Part[];
  readonly escaping: Escaping;
}

type Part =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'value'; readonly path: Path }
  /** `shown`: when the value is there, or for each of a list; otherwise when it is not. */
  | { readonly is: 'section'; readonly path: Path; readonly shown: boolean; readonly parts: readonly Part[] };

/** The names between the dots; none: the current item. */
type Path = readonly string[];

/** Tags that may be inside one another. */
const DEEPEST_SECTION = 16;
/** Parts that are written for one message. */
const MOST_PARTS = 5_000;
/** Characters of a body that a template makes. */
export const LONGEST_FILLED = 262_144;
/** The parser takes the square of the time for such a run inside a tag. */
const LONGEST_SPACE = 100;
const TOO_MUCH_SPACE = new RegExp(`\\s{${LONGEST_SPACE + 1}}`);

/** The tokens of the package: a text, a tag, or a section with its tokens. */
type Token = readonly [type: string, value: string, start: number, end: number, within?: readonly Token[]];

/** Reads a template. Rejects with `TemplateFault` if it is none: partials are not allowed, and lambdas do not exist. */
export async function readTemplate({ contentType, body }: MessageTemplate): Promise<ReadTemplate> {
  if (TOO_MUCH_SPACE.test(body))
    throw new TemplateFault(`must not have more than ${LONGEST_SPACE} characters of white space in a row`);
  const { Writer } = (await import('mustache')).default;
  const writer = new Writer();
  let tokens: readonly Token[];
  try {
    // Without its cache, which forgets nothing.
    (writer as { templateCache?: unknown }).templateCache = undefined;
    tokens = writer.parse(body);
  } catch (error) {
    throw new TemplateFault(`is no Mustache: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
  return { parts: partsOf(tokens, 0), escaping: escapingOf(contentType) };
}

function partsOf(tokens: readonly Token[], depth: number): readonly Part[] {
  if (depth > DEEPEST_SECTION)
    throw new TemplateFault(`must not have sections more than ${DEEPEST_SECTION} deep`);
  return tokens.flatMap(([type, value, , , within = []]): readonly Part[] => {
    if (type === 'text') return [{ is: 'text', text: value }];
    if (type === '>') throw new TemplateFault('must not have partials, {{> …}}');
    if (type === '!' || type === '=') return [];
    const path = value === '.' ? [] : value.split('.');
    if (type === 'name' || type === '&') return [{ is: 'value', path }];
    return [{ is: 'section', path, shown: type === '#', parts: partsOf(within, depth + 1) }];
  });
}

/**
 * Fills a template with the members of `view`. Values are escaped by the template's type; an object or a list is its JSON, which
 * outside of a string of a JSON text stays as it is. The work is bounded. Throws `TemplateFault` for too much of it, and for a
 * text that must be JSON and is none.
 */
export function filled({ parts, escaping }: ReadTemplate, view: Readonly<Record<string, unknown>>): string {
  const place = escaping === 'json' ? jsonPlace() : undefined;
  let text = '';
  let written = 0;

  const add = (piece: string): void => {
    text += piece;
    if (text.length > LONGEST_FILLED) throw new TemplateFault(`makes more than ${LONGEST_FILLED} characters`);
  };

  const addValue = (value: unknown): void => {
    if (value === undefined || value === null) return;
    const isWhole = typeof value === 'object';
    const plain = typeof value === 'string' ? value : JSON.stringify(value);
    if (place?.isEscaped() === true)
      throw new TemplateFault('must not have a tag after a backslash of a JSON string');
    add(isWhole && place?.isInString() === false ? plain : escapedAs(escaping, plain));
  };

  const addAll = (list: readonly Part[], stack: readonly unknown[]): void => {
    for (const part of list) {
      written += 1;
      if (written > MOST_PARTS) throw new TemplateFault(`has more than ${MOST_PARTS} parts for one message`);
      if (part.is === 'text') {
        place?.pass(part.text);
        add(part.text);
      } else if (part.is === 'value') addValue(valueAt(part.path, stack));
      else addSection(part, stack);
    }
  };

  const addSection = (part: Extract<Part, { is: 'section' }>, stack: readonly unknown[]): void => {
    const value = valueAt(part.path, stack);
    const items = Array.isArray(value) ? (value as readonly unknown[]) : isThere(value) ? [value] : [];
    if (!part.shown) return items.length === 0 ? addAll(part.parts, stack) : undefined;
    for (const item of items) {
      written += 1;
      addAll(part.parts, item === true ? stack : [item, ...stack]);
    }
    return undefined;
  };

  addAll(parts, [view]);
  if (escaping === 'json') refuseNoJson(text);
  return text;
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== '' && value !== 0;
}

/** Returns the value of a path: its first name is looked for from the innermost item outwards. */
function valueAt(path: Path, stack: readonly unknown[]): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return stack[0];
  const owner = stack.find((item) => hasMember(item, first));
  return rest.reduce<unknown>(
    (value, name) => (hasMember(value, name) ? value[name] : undefined),
    hasMember(owner, first) ? owner[first] : undefined,
  );
}

/** True for a member of its own: nothing of JavaScript's can be reached. */
function hasMember(value: unknown, name: string): value is Readonly<Record<string, unknown>> {
  return (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, name);
}

function refuseNoJson(text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new TemplateFault(`makes no JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}
