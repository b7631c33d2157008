import { MongoNetworkError } from 'mongodb';
import { inTime } from '../../system/in-time.js';

/**
 * Returns the driver's answer; rejects as for a lost connection if none has come after `ms`. The driver 7.8 waits for ever if it
 * writes to a connection whose socket is destroyed and has not emitted `close` yet: such a socket never emits `drain`. A
 * call that begins in `setImmediate` meets this when the server ends.
 */
export function answerOf<T>(answer: Promise<T>, ms: number): Promise<T> {
  return inTime(answer, ms, () => new MongoNetworkError(`the server has not answered in ${ms} ms`));
}

/** Time for one call with the driver's one retry, ms. `timeoutMs`: the limit of finding a server, and of its answer. */
export function retriedMs(timeoutMs: number): number {
  return 2 * timeoutMs;
}

/** Time for a question that takes several calls, ms. */
export function questionMs(timeoutMs: number): number {
  return 12 * timeoutMs;
}
