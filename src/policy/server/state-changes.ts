import {
  clearMaskOf,
  compare,
  conditionHolds,
  type CompiledComparison,
  type ComparisonMask,
} from '../rules/compiled.js';
import type { SourceName } from '../facts/facts.js';
import type { Measures, Metric } from '../rules/metrics.js';
import { evaluatedCondition } from '../state/evaluated-condition.js';
import { evaluatedSentence, noDataSentence, withSuppression } from '../state/sentences.js';
import { storedTransitions, transitionsOf } from '../state/stored-transitions.js';
import { type NotificationState, stepped, type StateEvent } from '../state/state-machine.js';
import {
  isSameState,
  newState,
  storedState,
  type StoredState,
  type Transition,
  type SubscriptionState,
  type SubscriptionStates,
  stateFrom,
} from '../state/subscription-state.js';
import { type Results, fillingSentence, type Present } from '../windows/results.js';
import type { Values, Windows } from '../windows/window.js';
import type { Notification } from '../alerts/alert-messages.js';
import { alertChange, notifyingOptions, withNotices } from './alert-changes.js';
import type { AlertEffect, RecordEffect, ServerContext, ServerEffect } from './server-context.js';
import { currentMute, isSuppressed, type SubscribedRule } from '../state/subscription.js';

/** Maximum number of transitions that wait in the outbox of a server. The oldest beyond are dropped. */
const WAITING_LIMIT = 200;

const NO_METRICS: ReadonlySet<Metric> = new Set();

/** The subscription states of a server during one event. They are copied at the first change. */
export class StateChanges {
  #states: SubscriptionStates;
  #changed: StoredState[] | undefined;
  #transitions: LazyTransition[] | undefined;
  /** By id of the subscription. */
  #alerts: Map<string, AlertEffect> | undefined;

  /** `now` is in ms since the epoch. `origin`: that of the facts of the event. */
  constructor(
    private readonly context: ServerContext,
    readonly now: number,
    private readonly origin?: SourceName,
  ) {
    this.#states = context.states;
  }

  /** Returns the state of a subscription as it is stored. */
  of({ index }: SubscribedRule): StoredState | undefined {
    return this.#states[index];
  }

  /** Starts a subscription anew if its rule has another condition than the one evaluated last. */
  startAnewIfChanged(subscribed: SubscribedRule, present: Present): void {
    const stored = this.#states[subscribed.index];
    const { key } = subscribed.condition;
    if (stored === key || stored === undefined || stored === null) return;
    const current = stateFrom(stored)!;
    if (current.condition === key) return;
    this.#step(subscribed, current, { type: 'restarted', condition: key }, null, () =>
      fillingSentence(subscribed.condition, present),
    );
  }

  /**
   * Called for a subscription whose windows cannot be evaluated. `isMeasured`: the measurement has a metric of its rule.
   * `emptied`: the metrics whose windows a pause emptied.
   */
  fill(
    subscribed: SubscribedRule,
    present: Present,
    factId: number,
    isMeasured: boolean,
    emptied: ReadonlySet<Metric> = NO_METRICS,
  ): void {
    const current = stateFrom(this.#states[subscribed.index]);
    if (current === undefined) return;
    const forgotten = forgottenBy(subscribed, current, emptied);
    if (current.state === 'noData' && !isMeasured) {
      if (forgotten !== 0) this.#step(subscribed, current, { type: 'forgot', forgotten }, factId, () => '');
      return;
    }
    // A measurement ends the absence of data, also that of a subscription which another condition has started anew.
    const endsNoData = current.noDataSince !== undefined && isMeasured;
    if (current.state === 'filling' && forgotten === 0 && !endsNoData) return;
    this.#step(subscribed, current, { type: 'emptied', forgotten }, factId, () =>
      fillingSentence(subscribed.condition, present),
    );
  }

  /** Evaluates a subscription whose windows are full. Returns its notification, if any. */
  evaluate(
    subscribed: SubscribedRule,
    results: Results,
    windows: Windows<Values>,
    factId: number,
    emptied: ReadonlySet<Metric> = NO_METRICS,
  ): Notification | undefined {
    const stored = this.#states[subscribed.index];
    const { condition, rule } = subscribed;
    const known = stateFrom(stored);
    const before = known?.mask ?? 0;
    const forgotten = before === 0 ? 0 : forgottenBy(subscribed, known!, emptied);
    const mask = compare(condition, results.of, (before & ~forgotten) >>> 0);
    const holds = conditionHolds(condition, mask);
    const clearMask = (mask & condition.clearMask) >>> 0;
    // A calm subscription that never fired, and stays calm.
    if (!holds && clearMask === 0 && typeof stored === 'string') return undefined;
    const current = known ?? newState(condition.key);
    const suppressed = isSuppressed(subscribed, this.now);
    const notifies = this.#step(
      subscribed,
      current,
      {
        type: 'evaluated',
        now: this.now,
        factId,
        holds,
        mask: clearMask,
        options: notifyingOptions(subscribed),
        suppressed,
      },
      factId,
      (after) => evaluatedSentence(rule, after, evaluatedCondition(condition, results.of, mask)),
    );
    if (notifies === undefined) return undefined;
    const after = stateFrom(this.#states[subscribed.index]);
    return {
      subscribed,
      state: notifies,
      since: notifies === 'resolved' ? current.reported?.since : after?.since,
      measures: measuresOf(condition.comparisons, results),
      factId,
      at: this.now,
      suppressed,
      mask,
      windows,
    };
  }

  /** Called when a no-data timeout is over, at `at`. `last`: when the last measurement came, 0: none ever. */
  timeOut(subscribed: SubscribedRule, last: number, at: number, windows: Windows): Notification {
    const { condition } = subscribed;
    const since = last === 0 ? undefined : last;
    const current = stateFrom(this.#states[subscribed.index]) ?? newState(condition.key);
    const suppressed = isSuppressed(subscribed, this.now);
    this.#step(subscribed, current, { type: 'noDataTimeout', since: last, suppressed }, null, () =>
      noDataSentence(since, this.now),
    );
    return {
      subscribed,
      state: 'noData',
      since,
      measures: {},
      factId: null,
      at,
      suppressed,
      mask: 0,
      windows,
    };
  }

  /** Returns the change of the context. `outbox` is the outbox without it. Empty if no state changed. */
  change(before: ServerContext['outbox']): Partial<ServerContext> {
    if (this.#changed === undefined) return {};
    const outbox = this.#alerts === undefined ? before : withNotices(before, [...this.#alerts.values()]);
    const change = outbox === before ? { states: this.#changed } : { states: this.#changed, outbox };
    if (this.#transitions === undefined) return change;
    const recorded = this.context.recorded ?? 0;
    const entry = recordOf(recorded, this.#transitions);
    return {
      ...change,
      recorded: recorded + this.#transitions.length,
      outbox: boundedRecords([...outbox, entry]),
    };
  }

  /** Steps the machine of a subscription. Returns the state that it notifies of. */
  #step(
    subscribed: SubscribedRule,
    current: SubscriptionState,
    event: StateEvent,
    factId: number | null,
    sentence: (after: SubscriptionState) => string,
  ): NotificationState | undefined {
    const { after, notifies } = stepped(current, event);
    if (notifies === undefined && isSameState(current, after)) return undefined;
    this.#set(subscribed, after);
    const notice = alertChange(subscribed, current, after, { now: this.now, address: this.context.address });
    if (notice !== undefined) this.#addNotice(notice);
    if (current.state !== after.state) {
      const { rule, subscription } = subscribed;
      (this.#transitions ??= []).push({
        at: this.now,
        ruleId: rule.ruleId,
        subscriptionId: subscription.id,
        from: current.state,
        to: after.state,
        sentence: () => withSuppression(subscription, currentMute(subscribed, this.now), sentence(after)),
        factId,
        ...(this.origin === undefined || factId === null ? {} : { source: this.origin }),
      });
    }
    return notifies;
  }

  /** One request may begin an alert, end it and begin the next. */
  #addNotice(notice: AlertEffect): void {
    const all = (this.#alerts ??= new Map<string, AlertEffect>());
    const firings = [...(all.get(notice.subscriptionId)?.firings ?? []), ...(notice.firings ?? [])];
    all.set(notice.subscriptionId, firings.length === 0 ? notice : { ...notice, firings });
  }

  #set({ index }: SubscribedRule, current: SubscriptionState): void {
    // Without holes, which JSON would write as null and read as another array.
    this.#changed ??= this.context.subscriptions.map((_, i) => this.#states[i] ?? null);
    this.#changed[index] = storedState(current);
    this.#states = this.#changed;
  }
}

/** Returns what was compared, by metric; of a metric with several aggregates the first one. */
function measuresOf(comparisons: readonly CompiledComparison[], results: Results): Measures {
  const measured = new Map<Metric, number>();
  for (const comparison of comparisons) {
    if (!measured.has(comparison.metric)) measured.set(comparison.metric, results.of(comparison));
  }
  return Object.fromEntries(measured);
}

/** Returns the comparisons with `clear` that a pause makes a subscription forget. */
function forgottenBy(
  { condition }: SubscribedRule,
  { mask = 0 }: SubscriptionState,
  emptied: ReadonlySet<Metric>,
): ComparisonMask {
  return mask === 0 || emptied.size === 0 ? 0 : (clearMaskOf(condition, emptied) & mask) >>> 0;
}

/** A transition whose sentence is made only if it is kept: 1,000 sentences of 32 comparisons take 0.3 s. */
type LazyTransition = Omit<Transition, 'sentence'> & { readonly sentence: () => string };

function recordOf(before: number, all: readonly LazyTransition[]): RecordEffect {
  const transitions = all
    .slice(-WAITING_LIMIT)
    .map(({ sentence, ...rest }): Transition => ({ ...rest, sentence: sentence() }));
  const first = before + all.length - transitions.length + 1;
  return { id: `record:${first}`, type: 'record', first, ...storedTransitions(transitions) };
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
    const kept = transitionsOf(entry).slice(dropped);
    return kept.length === 0 ? [] : [{ ...entry, first: entry.first + dropped, ...storedTransitions(kept) }];
  });
}
