import { Refusal } from '../errors.js';
import { faultIn } from './json-fault.js';

/**
 * Parses a JSON text. Throws `Refusal`: `unreadable` for invalid JSON, with the position; `bad-request` for unpaired
 * surrogates in strings or names, and for nesting over `deepest` levels, which could overflow the stack of recursive functions.
 */
export function jsonIn(text: string, deepest: number): unknown {
  if (text.trim() === '') throw new Refusal('unreadable', 'the body is empty; it must be JSON');
  if (isTooDeep(text, deepest)) {
    throw new Refusal('bad-request', `the body must not be nested over ${deepest} levels`);
  }
  const value = parse(text);
  if (hasUnpairedSurrogate(text)) {
    throw new Refusal('bad-request', String.raw`the body holds an unpaired surrogate (\ud800 to \udfff)`);
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('unreadable', `the body is not JSON: ${faultIn(text)}`);
  }
}

function isTooDeep(text: string, deepest: number): boolean {
  // A count of brackets settles most texts, several times faster than a scan for the depth.
  if (!hasMore(text, '{', deepest / 2) && !hasMore(text, '[', deepest / 2)) return false;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length && depth <= deepest; i += 1) {
    const char = text.charCodeAt(i);
    if (char === 0x22) inString = !inString;
    else if (inString && char === 0x5c) i += 1;
    else if (inString) continue;
    else if (char === 0x7b || char === 0x5b) depth += 1;
    else if (char === 0x7d || char === 0x5d) depth -= 1;
  }
  return depth > deepest;
}

function hasMore(text: string, char: string, count: number): boolean {
  let found = 0;
  for (let at = text.indexOf(char); at !== -1 && found <= count; at = text.indexOf(char, at + 1)) found += 1;
  return found > count;
}

// In a text of valid UTF-8 a surrogate can only be written as an escape. The expression consumes escapes one by one, so that an
// escaped backslash does not begin the next escape.
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F]|(?<unpaired>u[dD][89a-fA-F])|.)/gs;

function hasUnpairedSurrogate(text: string): boolean {
  if (!text.includes('\\')) return false;
  for (const { groups } of text.matchAll(escapes)) if (groups?.['unpaired'] !== undefined) return true;
  return false;
}
