import { type Commit, type Result, StoreUnavailable } from './port.js';

// On a full disk a store still answers, and short commits still find room in its file, while every longer one fails.

/** Shortest and longest trial, characters. */
const TRIAL = { shortest: 64 * 1024, longest: 8 * 1024 * 1024 };
/** Least time between two trials, ms. */
const TRIAL_EVERY_MS = 500;

/** Watches the commits of a store, to know whether it can write. `write` writes so many characters durably and removes them again. */
export function watchWrites(write: (characters: number) => Promise<void>) {
  let failed: { readonly error: StoreUnavailable; readonly characters: number } | undefined;
  let trial: Promise<void> | undefined;
  let triedAt = -Infinity;

  const fail = (batch: readonly Commit[], error: StoreUnavailable): void => {
    failed = { error, characters: Math.max(failed?.characters ?? 0, charactersOf(batch)) };
  };

  const tried = async (characters: number): Promise<void> => {
    try {
      await write(Math.min(Math.max(2 * characters, TRIAL.shortest), TRIAL.longest));
      failed = undefined;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      failed = { error, characters };
    } finally {
      triedAt = performance.now();
      trial = undefined;
    }
  };

  return {
    /** Runs a call that commits these items, and remembers how it ended. */
    async commit(batch: readonly Commit[], run: () => Promise<Result[]>): Promise<Result[]> {
      let results: Result[];
      try {
        results = await run();
      } catch (error) {
        if (error instanceof StoreUnavailable) fail(batch, error);
        throw error;
      }
      const error = results.find((result) => result instanceof StoreUnavailable);
      if (error !== undefined) fail(batch, error);
      else if (failed !== undefined && charactersOf(batch) >= failed.characters) failed = undefined;
      return results;
    },
    /**
     * Rejects with `StoreUnavailable` from a commit that failed on, until the store has written as much again: a later
     * commit, or a trial that this makes.
     */
    async check(): Promise<void> {
      if (failed === undefined) return;
      if (performance.now() - triedAt >= TRIAL_EVERY_MS) await (trial ??= tried(failed.characters));
      if (failed !== undefined) throw failed.error;
    },
  };
}

function charactersOf(batch: readonly Commit[]): number {
  return batch.reduce((sum, { next }) => sum + (next?.frequent?.length ?? 0) + (next?.rare?.length ?? 0), 0);
}
