import { useEffect, useRef, useState } from 'preact/hooks';
import { ended, viewerKey } from './session.js';

/** States that components had when the session ended, by viewer and key. */
const left = new Map<string, unknown>();

/**
 * As `useState`, for what a page has open: if the session ends meanwhile, the component has its state again when the same
 * viewer is back. `key` is unique in the console.
 */
export function useRestoredState<T>(key: string, initial: T): [T, (value: T) => void] {
  const own = useRef(`${viewerKey.peek()} ${key}`).current;
  const [value, set] = useState<T>(() => {
    const before = left.has(own) ? (left.get(own) as T) : initial;
    left.delete(own);
    return before;
  });
  const latest = useRef(value);
  latest.current = value;
  useEffect(
    () => () => {
      if (ended.peek() !== null) left.set(own, latest.current);
    },
    [],
  );
  return [value, set];
}
