import { Readable } from 'node:stream';
import type { EdgeContext } from '../../http/context.js';

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

function* continued(begun: string, rest: Iterator<string>): Generator<string> {
  yield begun;
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}
