import { SOON_MS } from '../../faults/stage/eventually.js';

/** Items in order of arrival; `next` waits if there is none. */
export class Queue<T> {
  #items: T[] = [];
  #waiting: ((item: T) => void)[] = [];

  push(item: T): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#items.push(item);
    else waiting(item);
  }

  next(): Promise<T> {
    const item = this.#items.shift();
    return item === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(item);
  }

  /** Items that `next` has not returned. */
  get size(): number {
    return this.#items.length;
  }
}

/** Runs all work that waits for nothing outside the process: what has not happened afterwards is held back. */
export async function quiet(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until a condition holds; rejects after `SOON_MS`. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + SOON_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`still does not hold: ${String(holds)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Returns whether a promise is settled, and handles its rejection. */
export function observed(promise: Promise<unknown>): { readonly settled: boolean } {
  const state = { settled: false };
  const settle = (): void => {
    state.settled = true;
  };
  promise.then(settle, settle);
  return state;
}

/** Resolves with the error of a promise; rejects if the promise resolves. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  const value = await promise.then(
    (found) => ({ found }),
    (error: unknown) => error as Error,
  );
  if (value instanceof Error) return value;
  throw new Error(`resolved with ${JSON.stringify(value.found)} where a rejection was expected`);
}
