/** A part that the service can do without for a while: outside of the process, or one that can fail alone. */
export interface Probe {
  readonly name: PartName;
  /** Resolves if the part answers. Throws with a message that operators may see: it must hold no secret. */
  look(signal: AbortSignal): Promise<void>;
  /** Returns what is wrong with a part that answers. Called after a look. */
  warning?(): string | undefined;
}

/** Names of the parts. */
export type PartName = 'chain' | 'broker' | 'mail' | 'identity';

/** State of a part. */
export interface PartState {
  readonly name: PartName;
  /** `up` until the first look has ended. */
  readonly status: 'up' | 'away';
  /** When it began to be so, ISO 8601, UTC. null until the first look has ended. */
  readonly since: string | null;
  /** Why it is away; null for a part that is up. */
  readonly detail: string | null;
  /** What is wrong with a part that is up; absent if nothing is known to be. */
  readonly warning?: string;
}

/** Looks at parts in the background. */
export interface PartWatch {
  /** Returns the states, of all configured parts, without waiting. */
  parts(): readonly PartState[];
  /** Looks at a part now: it may have gone away, or come back. */
  lookAt(name: PartName): void;
  close(): Promise<void>;
}

/** Pause between two looks at a part, ms. */
const EVERY_MS = 10_000;
/** Pause between two looks at a part that is away, ms. */
const AWAY_EVERY_MS = 2_000;
/** Longest look, ms. */
const DEADLINE_MS = 5_000;

/**
 * Starts to look at the parts: at once, then every 10 s, at a part that is away every 2 s. A look that takes longer than
 * 5 s counts as away. `onChange` is called when a part goes away or comes back, and when
 * its warning changes. `now` is in ms since the epoch.
 */
export function watchParts(options: {
  readonly probes: readonly Probe[];
  readonly now: () => number;
  readonly onChange: (state: PartState) => void;
  readonly everyMs?: number;
  readonly awayEveryMs?: number;
  readonly deadlineMs?: number;
}): PartWatch {
  const { everyMs = EVERY_MS, awayEveryMs = AWAY_EVERY_MS, deadlineMs = DEADLINE_MS } = options;
  const closing = new AbortController();
  const states = new Map<PartName, PartState>();
  const wakers = new Map<PartName, () => void>();
  const looks = options.probes.map((probe) => keepLooking(probe));

  async function keepLooking(probe: Probe): Promise<void> {
    let known: PartState = { name: probe.name, status: 'up', since: null, detail: null };
    states.set(probe.name, known);
    while (!closing.signal.aborted) {
      const detail = await faultOf(probe, deadlineMs, closing.signal);
      if (closing.signal.aborted) return;
      const before = known;
      const warning = detail === null ? probe.warning?.() : undefined;
      known = following(before, { detail, warning }, options.now());
      states.set(probe.name, known);
      if (known.status !== before.status || known.warning !== before.warning) options.onChange(known);
      const ms = known.status === 'away' ? awayEveryMs : everyMs;
      await pause(ms, closing.signal, (wake) => wakers.set(probe.name, wake));
    }
  }

  return {
    parts: () => [...states.values()],
    lookAt: (name) => wakers.get(name)?.(),
    async close() {
      closing.abort();
      await Promise.all(looks);
    },
  };
}

/** Returns the state after a look. `detail` is null if the part answered; times are in ms since the epoch. */
function following(
  { name, ...before }: PartState,
  { detail, warning }: { readonly detail: string | null; readonly warning: string | undefined },
  now: number,
): PartState {
  const status = detail === null ? 'up' : 'away';
  const isSame = before.status === status && before.since !== null;
  const since = isSame ? before.since : new Date(now).toISOString();
  return { name, status, since, detail, ...(warning === undefined ? {} : { warning }) };
}

/** Looks at a part once. Returns why it is away, or null. */
async function faultOf(probe: Probe, deadlineMs: number, closing: AbortSignal): Promise<string | null> {
  const late = AbortSignal.timeout(deadlineMs);
  const signal = AbortSignal.any([late, closing]);
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new Error(`no answer in ${deadlineMs / 1000} s`));
    signal.addEventListener('abort', stop);
  });
  try {
    await Promise.race([probe.look(signal), stopped]);
    return null;
  } catch (error) {
    return late.aborted ? `no answer in ${deadlineMs / 1000} s` : (error as Error).message;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Resolves after a time, ms, or when `closing` is aborted, or when what `onWaker` gets is called. */
function pause(ms: number, closing: AbortSignal, onWaker: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      closing.removeEventListener('abort', end);
      resolve();
    };
    // The parts do not keep the process alive.
    const timer = setTimeout(end, ms).unref();
    closing.addEventListener('abort', end);
    onWaker(end);
  });
}
