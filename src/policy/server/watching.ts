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
import type { Transition, Watch, Watches, WatchState } from '../watch/watch.js';
import type { RecordEffect, ServerContext, ServerEffect } from './server-context.js';
import type { SubscribedRule } from './subscribed-rules.js';
import type { Windows } from './window.js';

/** Maximum number of transitions that wait in the outbox of a server. The oldest beyond are dropped. */
const WAITING_LIMIT = 200;

type Aligned = readonly (Watch | undefined)[];

const NONE: Aligned = [];

interface CachedAlignment {
  readonly subscribedRules: readonly SubscribedRule[];
  readonly aligned: Aligned;
}

/** By map of watches. To look each id up in the map with every fact would cost more than the evaluation. */
const alignments = new WeakMap<Watches, CachedAlignment>();

/** Returns the watch of each subscribed rule. */
function alignedTo(subscribedRules: readonly SubscribedRule[], watches: Watches | undefined): Aligned {
  if (watches === undefined) return NONE;
  const cached = alignments.get(watches);
  if (cached?.subscribedRules === subscribedRules) return cached.aligned;
  const aligned = subscribedRules.map(({ subscription }) => watches[subscription.id]);
  alignments.set(watches, { subscribedRules, aligned });
  return aligned;
}

/**
 * The watches of a server during one event. Subscribed rules are named by their place in the list. The map of watches is
 * copied at the first change.
 */
export class Watching {
  #aligned: Aligned;
  #changed: (Watch | undefined)[] | undefined;
  #transitions: Transition[] | undefined;

  /** `now` is in ms since the epoch. */
  constructor(
    private readonly context: ServerContext,
    private readonly subscribedRules: readonly SubscribedRule[],
    private readonly now: number,
  ) {
    this.#aligned = alignedTo(subscribedRules, context.watches);
  }

  /** Starts a subscription anew if its rule has another condition than the one evaluated last. */
  compareKeys(place: number, windows: Windows, size: number): void {
    const watch = this.#aligned[place];
    if (watch === undefined) return;
    const subscribed = this.subscribedRules[place]!;
    const { key } = subscribed;
    if (watch.condition === key) return;
    const { firings, last } = watch;
    this.#set(place, { state: 'filling', since: undefined, firings, last, condition: key });
    this.#moved(subscribed, watch.state, 'filling', null, () =>
      fillingSentence(subscribed.metrics, windows, size),
    );
  }

  /** Called for a subscription whose windows cannot be evaluated. */
  fill(place: number, windows: Windows, size: number, factId: number): void {
    const watch = this.#aligned[place];
    if (watch === undefined || watch.state === 'filling') return;
    const subscribed = this.subscribedRules[place]!;
    this.#set(place, { ...watch, state: 'filling' });
    this.#moved(subscribed, watch.state, 'filling', factId, () =>
      fillingSentence(subscribed.metrics, windows, size),
    );
  }

  /** Called for each evaluation. `sent` is true if it holds and has messages. */
  evaluate(place: number, holds: boolean, sent: boolean, means: Measures, factId: number): void {
    const watch = this.#aligned[place];
    const from = watch?.state ?? 'filling';
    const state = holds ? 'firing' : 'calm';
    if (from === state && !sent) return;
    const subscribed = this.subscribedRules[place]!;
    const since = holds ? (watch?.since ?? this.now) : undefined;
    this.#set(place, {
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
    const change = { watches: this.#watches(this.#changed) };
    if (this.#transitions === undefined) return change;
    const before = this.context.recorded ?? 0;
    const entry = recordOf(before, this.#transitions);
    return {
      ...change,
      recorded: before + this.#transitions.length,
      outbox: boundedRecords([...outbox, entry]),
    };
  }

  #set(place: number, watch: Watch): void {
    this.#changed ??= this.subscribedRules.map((_, i) => this.#aligned[i]);
    this.#changed[place] = watch;
    this.#aligned = this.#changed;
  }

  /** Returns the map with the changed watches. */
  #watches(changed: Aligned): Watches {
    const watches: Record<string, Watch> = { ...this.context.watches };
    for (const [place, { subscription }] of this.subscribedRules.entries()) {
      const watch = changed[place];
      if (watch !== undefined) watches[subscription.id] = watch;
    }
    return watches;
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
