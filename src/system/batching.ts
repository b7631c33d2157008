/** Items that are handed over together: gives the place of one among them, and what came of them all. */
export type Gather<T, R> = (key: string, item: T) => { readonly at: number; readonly result: Promise<R> };

export interface BatchingOptions<T, R> {
  /** Runs what it is given once nothing more is to be waited for. */
  readonly later: (flush: () => void) => void;
  /** Most that go together; any number when left out. */
  readonly most?: number;
  readonly give: (key: string, items: readonly T[]) => Promise<R>;
}

interface Gathered<T, R> {
  readonly items: T[];
  readonly result: Promise<R>;
}

/** Gathers items by a key until `later`. */
export function batching<T, R>({ later, most = Infinity, give }: BatchingOptions<T, R>): Gather<T, R> {
  const open = new Map<string, Gathered<T, R>>();

  const begin = (key: string): Gathered<T, R> => {
    const items: T[] = [];
    const result = new Promise<R>((resolve, reject) => {
      later(() => {
        if (open.get(key) === begun) open.delete(key);
        give(key, items).then(resolve, reject);
      });
    });
    const begun = { items, result };
    open.set(key, begun);
    return begun;
  };

  return (key, item) => {
    const known = open.get(key);
    const { items, result } = known !== undefined && known.items.length < most ? known : begin(key);
    return { at: items.push(item) - 1, result };
  };
}
