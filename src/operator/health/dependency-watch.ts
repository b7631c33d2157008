import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { DependencyName, DependencyState } from '../shapes.js';
import { isoOf } from '../../system/iso.js';

/** A check of a dependency: a part of the service outside of the process, or one that can fail alone. */
export interface Probe {
  readonly name: DependencyName;
  /** Resolves if the dependency answers. Throws with a message that operators may see: it must hold no secret. */
  check(signal: AbortSignal): Promise<void>;
  /** Returns what is wrong with a dependency that answers. Called after a check. */
  warning?(): string | undefined;
}

/** Pause between two checks of a dependency, ms. */
const EVERY_MS = 10_000;
/** Pause between two checks of a dependency that is down, ms. */
const DOWN_EVERY_MS = 2_000;
/** Maximum duration of a check, ms. */
const DEADLINE_MS = 5_000;

/**
 * Starts to check the dependencies: at once, then every 10 s, one that is down every 2 s. A check that takes longer than
 * 5 s fails. `onChange` is called when a status or a warning changes. `now` is in ms since the epoch.
 */
export function watchDependencies(options: {
  readonly probes: readonly Probe[];
  readonly now: () => number;
  readonly onChange: (state: DependencyState) => void;
  readonly everyMs?: number;
  readonly downEveryMs?: number;
  readonly deadlineMs?: number;
}) {
  const { everyMs = EVERY_MS, downEveryMs = DOWN_EVERY_MS, deadlineMs = DEADLINE_MS } = options;
  const closing = new AbortController();
  const states = new Map<DependencyName, DependencyState>();
  const wakers = new Map<DependencyName, AbortController>();
  const checks = options.probes.map((probe) => keepChecking(probe));

  async function keepChecking(probe: Probe): Promise<void> {
    let known: DependencyState = { name: probe.name, status: 'up', since: null, detail: null };
    states.set(probe.name, known);
    while (!closing.signal.aborted) {
      const detail = await faultOf(probe, deadlineMs, closing.signal);
      if (closing.signal.aborted) return;
      const before = known;
      const warning = detail === null ? probe.warning?.() : undefined;
      known = following(before, { detail, warning }, options.now());
      states.set(probe.name, known);
      if (known.status !== before.status || known.warning !== before.warning) options.onChange(known);
      const ms = known.status === 'down' ? downEveryMs : everyMs;
      const waking = new AbortController();
      wakers.set(probe.name, waking);
      // The checks do not keep the process alive.
      await pause(ms, undefined, { signal: waking.signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    /** Returns the states of all configured dependencies, without waiting. */
    states: (): readonly DependencyState[] => [...states.values()],
    /** Checks a dependency now: it may be down, or up again. */
    checkNow: (name: DependencyName): void => wakers.get(name)?.abort(),
    async close(): Promise<void> {
      closing.abort();
      for (const waking of wakers.values()) waking.abort();
      await Promise.all(checks);
    },
  };
}

/** Returns the state after a check. `detail` is null if the dependency answered; times are in ms since the epoch. */
function following(
  { name, ...before }: DependencyState,
  { detail, warning }: { readonly detail: string | null; readonly warning: string | undefined },
  now: number,
): DependencyState {
  const status = detail === null ? 'up' : 'down';
  const isSame = before.status === status && before.since !== null;
  const since = isSame ? before.since : isoOf(now);
  return { name, status, since, detail, ...(warning === undefined ? {} : { warning }) };
}

/** Checks a dependency once. Returns why it is down, or null. */
async function faultOf(probe: Probe, deadlineMs: number, closing: AbortSignal): Promise<string | null> {
  const late = AbortSignal.timeout(deadlineMs);
  const signal = AbortSignal.any([late, closing]);
  try {
    await Promise.race([probe.check(signal), once(signal, 'abort').then(() => signal.throwIfAborted())]);
    return null;
  } catch (error) {
    return late.aborted ? `no answer in ${deadlineMs / 1000} s` : (error as Error).message;
  }
}
