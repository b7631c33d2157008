import { useState } from 'preact/hooks';
import { messageOf } from './api.js';

/** The state of what a button does: `busy` while it is under way; `error`, once it has failed, until `forget`. */
export function useTask() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const forget = (): void => setError(undefined);
  /** Does it. Resolves, also when it has failed. */
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
