import { useState } from 'preact/hooks';
import { messageOf } from './api.js';

/** Something that a button does: true while it is under way, and why it failed last. */
export interface Task {
  readonly busy: boolean;
  readonly error: string | undefined;
  /** Does it. Resolves, also when it has failed. */
  readonly run: (work: () => Promise<unknown>) => Promise<void>;
  /** Forgets the error. */
  readonly forget: () => void;
}

/** Makes a task. */
export function useTask(): Task {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const forget = (): void => setError(undefined);
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    forget();
    try {
      await work();
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run, forget };
}
