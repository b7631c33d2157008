import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { EdgeContext } from '../../http/context.js';

/** Characters that are written in one turn of the event loop. */
const CHARACTERS_AT_ONCE = 256 * 1024;
/** Longest answer that is sent as a whole, characters; a longer one is streamed. */
const WHOLE = 64 * 1024;

/** Answers 200. `acceptJsonOrLd` has set the content type. */
export function answer(ctx: EdgeContext, body: string | Readable): void {
  ctx.status = 200;
  ctx.set('Cache-Control', 'no-store');
  ctx.body = body;
}

/** Returns the body for an answer in pieces: a text if it is short, else a stream. */
export function bodyOf(pieces: Iterable<string>): string | Readable {
  const iterator = pieces[Symbol.iterator]();
  let begun = '';
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
    begun += next.value;
    if (begun.length > WHOLE) return streamOf(continued(begun, iterator));
  }
  return begun;
}

/** Returns the body for an answer that is read from the store piece by piece. */
export function streamOf(pieces: Iterable<string> | AsyncIterable<string>): Readable {
  return Readable.from(pieces, { objectMode: false });
}

/** Gives other work a turn of the event loop: for a fast client megabytes would be written at once. */
async function* continued(begun: string, rest: Iterator<string>): AsyncGenerator<string> {
  yield begun;
  let written = 0;
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    yield next.value;
    written += next.value.length;
    if (written < CHARACTERS_AT_ONCE) continue;
    written = 0;
    await setImmediate();
  }
}
