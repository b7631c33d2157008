import type { IncomingMessage } from 'node:http';
import { cutShort } from './counted-body.js';

/**
 * Largest Content-Length of a body that is not counted. The number of connections is limited, and so are the bytes of
 * their small bodies. Counting a small body takes longer than reading it.
 */
const SMALL = 16 * 1024;

/** True if a body is small by its Content-Length, and within the limit, bytes. */
export function isSmall({ headers: { 'content-length': length } }: IncomingMessage, limit: number): boolean {
  return length !== undefined && Number(length) <= Math.min(SMALL, limit);
}

const NOTHING = Buffer.alloc(0);

/**
 * Reads a small body as it is. Rejects with `Refusal('unreadable')` if it is incomplete. The parser of `jsonBytes` takes
 * three times as long: it has more options and listeners. Node's own parser compares the body with its Content-Length.
 */
export function smallBody(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let all: Buffer[] | undefined;
    req.on('data', (chunk: Buffer) => {
      if (first === undefined) first = chunk;
      else (all ??= [first]).push(chunk);
    });
    req.on('end', () => resolve(all === undefined ? (first ?? NOTHING) : Buffer.concat(all)));
    req.on('close', () => {
      if (!req.readableEnded) reject(cutShort());
    });
    if (req.destroyed) reject(cutShort());
  });
}
