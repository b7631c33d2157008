import { useState } from 'preact/hooks';

/** Drafts that were typed and not sent, by form. A session that ends replaces the page, and the form comes back later. */
const kept = new Map<string, unknown>();

/** True if something was typed and not sent in a form whose key begins so. */
export function hasDrafts(beginning: string): boolean {
  return [...kept.keys()].some((key) => key.startsWith(beginning));
}

/** Keeps what is typed under `key` until `forget`. `initial` makes the first draft. */
export function useKeptDraft<T extends object>(key: string, initial: () => T) {
  const [value, setValue] = useState<T>(() => (kept.get(key) as T | undefined) ?? initial());
  return {
    value,
    change: (part: Partial<T>): void =>
      setValue((before) => {
        const next = { ...before, ...part };
        kept.set(key, next);
        return next;
      }),
    /** Forgets what was typed: it was sent, or is not wanted. */
    forget: (): void => {
      kept.delete(key);
      setValue(initial());
    },
  };
}
