import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { EdgeContext } from '../../http/context.js';

/** Characters that are written before others get their turn. */
const TOGETHER = 256 * 1024;
/** Characters up to which an answer is put together and sent as a whole. */
const WHOLE = 64 * 1024;

/** Answers 200; `acceptJsonOrLd` has said as what. */
export function answer(ctx: EdgeContext, body: string | Readable): void {
  ctx.status = 200;
  ctx.set('Cache-Control', 'no-store');
  ctx.body = body;
}

/** The body of an answer that is given in pieces of text: a text where it is short, else a stream. */
export function bodyOf(pieces: Iterable<string>): string | Readable {
  const iterator = pieces[Symbol.iterator]();
  let begun = '';
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
    begun += next.value;
    if (begun.length > WHOLE) return streamOf(continued(begun, iterator));
  }
  return begun;
}

/** The body of an answer that is read from the store piece by piece. */
export function streamOf(pieces: Iterable<string> | AsyncIterable<string>): Readable {
  return Readable.from(pieces, { objectMode: false });
}

/** Others get their turn now and then: a client that reads fast would have megabytes written at once. */
async function* continued(begun: string, rest: Iterator<string>): AsyncGenerator<string> {
  yield begun;
  let written = 0;
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    yield next.value;
    written += next.value.length;
    if (written < TOGETHER) continue;
    written = 0;
    await setImmediate();
  }
}
