/** What happened and was not looked at yet, in order; whoever comes early waits. */
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

  /** How many happened that nobody has looked at. */
  get size(): number {
    return this.#items.length;
  }
}

/** Lets everything run that waits for nothing outside, so that what has not happened by then has been held back. */
export async function quiet(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until something holds; fails when it does not in two seconds. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 2_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`still does not hold: ${String(holds)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Says whether a promise was settled, which then is nobody else's to handle. */
export function observed(promise: Promise<unknown>): { readonly settled: boolean } {
  const state = { settled: false };
  const settle = (): void => {
    state.settled = true;
  };
  promise.then(settle, settle);
  return state;
}

/** What a promise rejects with; throws where it does not. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  const value = await promise.then(
    (found) => ({ found }),
    (error: unknown) => error as Error,
  );
  if (value instanceof Error) return value;
  throw new Error(`resolved with ${JSON.stringify(value.found)} where a rejection was expected`);
}
