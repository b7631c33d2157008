import type { Measures, Metric } from '../rules/condition.js';
import { comparedIn } from '../watch/comparisons.js';
import {
  calmSentence,
  holdingSentence,
  shortageSentence,
  undecidedSentence,
  withSuspension,
} from '../watch/sentences.js';
import type { Shortage } from '../watch/sentences.js';
import { isFiring, storedWatch, watchOf } from '../watch/watch.js';
import type { StoredWatch, Transition, Watch, Watches, WatchState } from '../watch/watch.js';
import type { RecordEffect, ServerContext, ServerEffect } from './server-context.js';
import type { SubscribedRule } from './subscribed-rules.js';
import type { Windows } from './window.js';

/** Maximum number of transitions that wait in the outbox of a server. The oldest beyond are dropped. */
const WAITING_LIMIT = 200;

const NONE: Watches = [];

/** The watches of a server during one event. They are copied at the first change. */
export class Watching {
  #watches: Watches;
  #changed: StoredWatch[] | undefined;
  #transitions: Transition[] | undefined;

  /** `now` is in ms since the epoch. */
  constructor(
    private readonly context: ServerContext,
    private readonly now: number,
  ) {
    this.#watches = context.watches ?? NONE;
  }

  /** Starts a subscription anew if its rule has another condition than the one evaluated last. */
  compareKeys(subscribed: SubscribedRule, windows: Windows, size: number): void {
    const stored = this.#watches[subscribed.index];
    const { key } = subscribed;
    if (stored === key || stored === undefined || stored === null) return;
    const { state, firings, last, condition } = watchOf(stored)!;
    if (condition === key) return;
    this.#set(subscribed, { state: 'filling', since: undefined, firings, last, condition: key });
    this.#moved(subscribed, state, 'filling', null, () => fillingSentence(subscribed.metrics, windows, size));
  }

  /** Called for a subscription whose windows cannot be evaluated. */
  fill(subscribed: SubscribedRule, windows: Windows, size: number, factId: number): void {
    const watch = watchOf(this.#watches[subscribed.index]);
    if (watch === undefined || watch.state === 'filling') return;
    this.#set(subscribed, { ...watch, state: 'filling' });
    this.#moved(subscribed, watch.state, 'filling', factId, () =>
      fillingSentence(subscribed.metrics, windows, size),
    );
  }

  /** Called for each evaluation. `sent` is true if it holds and has messages. */
  evaluate(subscribed: SubscribedRule, holds: boolean, sent: boolean, means: Measures, factId: number): void {
    const stored = this.#watches[subscribed.index];
    // A calm subscription that never fired, and stays calm.
    if (!holds && typeof stored === 'string') return;
    const watch = watchOf(stored);
    const from = watch?.state ?? 'filling';
    const state = holds ? 'firing' : 'calm';
    if (from === state && !sent) return;
    const since = holds ? (watch?.since ?? this.now) : undefined;
    this.#set(subscribed, {
      state,
      since,
      firings: (watch?.firings ?? 0) + (sent ? 1 : 0),
      last: sent ? { at: this.now, factId } : watch?.last,
      condition: subscribed.key,
    });
    this.#moved(subscribed, from, state, factId, () => {
      const compared = comparedIn(subscribed.rule.condition, means);
      return since === undefined ? calmSentence(compared) : holdingSentence(since, compared);
    });
  }

  /** Returns the change of the context. `outbox` is the outbox without it. Empty if no watch changed. */
  change(outbox: ServerContext['outbox']): Partial<ServerContext> {
    if (this.#changed === undefined) return {};
    const change = { watches: this.#changed, firing: this.#changed.some(isFiring) };
    if (this.#transitions === undefined) return change;
    const before = this.context.recorded ?? 0;
    const entry = recordOf(before, this.#transitions);
    return {
      ...change,
      recorded: before + this.#transitions.length,
      outbox: boundedRecords([...outbox, entry]),
    };
  }

  #set({ index }: SubscribedRule, watch: Watch): void {
    // Without holes, which JSON would write as null and read as another array.
    this.#changed ??= this.context.subscriptions.map((_, i) => this.#watches[i] ?? null);
    this.#changed[index] = storedWatch(watch);
    this.#watches = this.#changed;
  }

  #moved(
    { rule, subscription }: SubscribedRule,
    from: WatchState,
    to: WatchState,
    factId: number | null,
    sentence: () => string,
  ): void {
    if (from === to) return;
    (this.#transitions ??= []).push({
      at: this.now,
      ruleId: rule.ruleId,
      subscriptionId: subscription.id,
      from,
      to,
      sentence: withSuspension(subscription.suspended, sentence()),
      factId,
    });
  }
}

/** Returns the sentence for a condition of these metrics that was not evaluated with these windows. `size` is that of a full window. */
export function fillingSentence(metrics: readonly Metric[], windows: Windows, size: number): string {
  for (const metric of metrics) {
    const shortage = shortageOf(metric, windows, size);
    if (shortage !== undefined) return shortageSentence(shortage);
  }
  return undecidedSentence(metrics);
}

function shortageOf(metric: Metric, windows: Windows, size: number): Shortage | undefined {
  const { values, emptied } = windows[metric];
  return values.length < size ? { metric, holds: values.length, size, pause: emptied?.pause } : undefined;
}

function recordOf(before: number, all: readonly Transition[]): RecordEffect {
  const transitions = all.slice(-WAITING_LIMIT);
  const first = before + all.length - transitions.length + 1;
  return { id: `record:${first}`, type: 'record', first, transitions };
}

/** Returns the outbox with at most the newest `WAITING_LIMIT` transitions. */
function boundedRecords(outbox: readonly ServerEffect[]): readonly ServerEffect[] {
  let beyond = outbox.reduce(
    (sum, entry) => sum + (entry.type === 'record' ? entry.transitions.length : 0),
    0,
  );
  beyond -= WAITING_LIMIT;
  if (beyond <= 0) return outbox;
  return outbox.flatMap((entry) => {
    if (beyond <= 0 || entry.type !== 'record') return [entry];
    const dropped = Math.min(beyond, entry.transitions.length);
    beyond -= dropped;
    const transitions = entry.transitions.slice(dropped);
    return transitions.length === 0 ? [] : [{ ...entry, first: entry.first + dropped, transitions }];
  });
}
