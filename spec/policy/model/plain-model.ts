import { isDeepStrictEqual } from 'node:util';
import { metricsOf } from './plain-condition.js';
import {
  acknowledge,
  aloneFor,
  evaluate,
  noDataDue,
  type PlainSubscription,
  refuse,
  say,
  startAnew,
  stateOf,
  subscriptionOf,
  summaryOf,
} from './plain-subscription.js';
import type {
  Outcome,
  PlainFact,
  PlainMessage,
  PlainRule,
  PlainTransition,
  RuleChange,
  Step,
  Story,
} from './story.js';

/** The metrics of the interface document. Their windows are kept whether a rule names them or not. */
const DOCUMENTED = ['cpu', 'mem', 'hdd', 'net'];

/**
 * Returns what the subscriptions of one server send: docs/policy-api.md from "Metrics" to "Subscriptions" as plainly as
 * possible, for the service to be compared with. It shares no code with the service.
 */
export function plainModel(story: Story): Outcome {
  const server = new PlainServer(story);
  for (const step of story.steps) server.take(step);
  return server.outcome();
}

/** What explain says of a subscription is made of. */
export interface PlainStanding {
  /** Values by metric, the newest last. */
  readonly windows: ReadonlyMap<string, readonly number[]>;
  /** By metric: the pause that emptied its window, ms, until it is full again. */
  readonly pauses: ReadonlyMap<string, number>;
  /** As of the last evaluation. */
  readonly subscription: PlainSubscription;
}

/** One server of the model. It takes the steps of a story one by one. */
export class PlainServer {
  readonly #gapMs: number;
  readonly #rules: Map<string, PlainRule>;
  #windowsize: number;
  /** Values by metric, the newest last. */
  readonly #windows = new Map<string, number[]>(DOCUMENTED.map((metric) => [metric, []]));
  /** By metric: the pause that emptied its window, ms, until it is full again. */
  readonly #pauses = new Map<string, number>();
  /** Times of the newest values of the windows, emptied or not. */
  readonly #newest = new Map<string, number>();
  /** Time of the last fact of each metric, with a window or without. */
  readonly #arrived = new Map<string, number>();
  #active: PlainSubscription[] = [];
  readonly #messages: PlainMessage[] = [];
  readonly #transitions: PlainTransition[] = [];
  #facts = 0;
  /** ms since the epoch. 0: there is no quiet time. */
  #quietUntil = 0;
  #lastFactAt = 0;

  constructor({ rules, windowsize, gapS }: Story) {
    this.#rules = new Map(Object.entries(rules));
    this.#windowsize = windowsize;
    this.#gapMs = gapS * 1_000;
  }

  take(step: Step): void {
    this.#sendNoDataUntil(step.at);
    this.#do(step);
    this.#keepNeededWindows();
    this.#sendNoDataUntil(step.at, step.at);
  }

  outcome(): Outcome {
    const summaries = this.#active.map(
      (one) => [one.id, summaryOf(one, this.#lastFactAt, this.#lastOf(one))] as const,
    );
    return {
      messages: this.#messages,
      transitions: this.#transitions,
      subscriptions: Object.fromEntries(summaries),
    };
  }

  standing(id: string): PlainStanding {
    return { windows: this.#windows, pauses: this.#pauses, subscription: this.#subscription(id) };
  }

  #do(step: Step): void {
    switch (step.do) {
      case 'facts':
        for (const fact of step.facts) this.#fact(fact, step.at);
        // A smaller window size is noticed now, unless the rule was evaluated since.
        for (const one of this.#active) this.#record(one, step.at, this.#facts);
        break;
      case 'subscribe':
        this.#subscribe(step.subscription, step.rule, step.at);
        break;
      case 'unsubscribe':
        this.#end((one) => one.id === step.subscription);
        break;
      case 'change':
        this.#change(step.rule, step.to, step.at);
        break;
      case 'delete':
        this.#end((one) => one.rule === step.rule);
        this.#rules.delete(step.rule);
        break;
      case 'mute':
        this.#subscription(step.subscription).mutedUntil = step.until;
        break;
      case 'unmute':
        this.#subscription(step.subscription).mutedUntil = 0;
        break;
      case 'quiet':
      case 'unquiet':
        this.#quietUntil = step.do === 'quiet' ? step.until : 0;
        for (const one of this.#active) one.quietUntil = this.#quietUntil;
        break;
      case 'acknowledge':
      case 'unacknowledge':
        acknowledge(this.#subscription(step.subscription), step.do === 'acknowledge' ? step.at : undefined);
        break;
      case 'refused':
        for (const one of this.#active) if (one.id === step.subscription) refuse(one, step.fact, step.since);
        break;
      case 'resume':
        this.#subscription(step.subscription).suspended = false;
        break;
      case 'resize':
        this.#resize(step.windowsize);
        break;
      case 'wait':
      case 'outage':
      case 'restart':
      case 'kill':
    }
  }

  #fact(fact: PlainFact, at: number): void {
    this.#facts += 1;
    this.#lastFactAt = at;
    this.#emptyStaleWindows(at);
    for (const [metric, value] of Object.entries(fact)) {
      this.#arrived.set(metric, at);
      const values = this.#windows.get(metric);
      if (values === undefined) continue;
      this.#windows.set(metric, [...values, value].slice(-this.#windowsize));
      this.#newest.set(metric, at);
      if (this.#windows.get(metric)!.length === this.#windowsize) this.#pauses.delete(metric);
    }
    for (const one of this.#active) {
      const { condition } = this.#rule(one);
      const full = metricsOf(condition).every(
        (metric) => this.#windows.get(metric)!.length === this.#windowsize,
      );
      const carried = metricsOf(condition).some((metric) => fact[metric] !== undefined);
      if (!full) one.evaluated = 'never';
      if (carried) {
        one.lacksData = false;
        one.notifiedSince = -1;
        one.owesNoData = false;
        one.acknowledged.noData = undefined;
      }
      if (full && carried) {
        evaluate(one, this.#rule(one), this.#windows, { at, fact: this.#facts, messages: this.#messages });
      }
      if (!full || carried) this.#record(one, at, this.#facts);
    }
  }

  #emptyStaleWindows(at: number): void {
    if (this.#gapMs === 0) return;
    for (const [metric, newest] of this.#newest) {
      if (at - newest <= this.#gapMs || this.#windows.get(metric)!.length === 0) continue;
      this.#windows.set(metric, []);
      this.#pauses.set(metric, at - newest);
      for (const one of this.#active) {
        for (const place of aloneFor(this.#rule(one).condition, metric)) one.held.delete(place);
      }
    }
  }

  /** A subscription whose windows are cut, or not full any more, is `filling` until it is evaluated again. */
  #resize(windowsize: number): void {
    this.#windowsize = windowsize;
    for (const [metric, values] of this.#windows) {
      this.#windows.set(metric, values.slice(-windowsize));
      if (values.length === windowsize) continue;
      for (const one of this.#active) {
        if (metricsOf(this.#rule(one).condition).includes(metric)) one.evaluated = 'never';
      }
    }
  }

  #subscribe(id: string, rule: string, at: number): void {
    this.#active.push({ ...subscriptionOf(id, rule, at), quietUntil: this.#quietUntil });
  }

  #end(ends: (one: PlainSubscription) => boolean): void {
    this.#active = this.#active.filter((one) => !ends(one));
  }

  #change(id: string, to: RuleChange, at: number): void {
    const before = this.#rules.get(id)!;
    const after = Object.fromEntries(
      Object.entries({ ...before, ...to }).filter(([, member]) => member !== null && member !== undefined),
    ) as unknown as PlainRule;
    this.#rules.set(id, after);
    if (isDeepStrictEqual(before.condition, after.condition)) return;
    for (const one of this.#active) {
      if (one.rule !== id) continue;
      startAnew(one);
      this.#record(one, at, null);
    }
  }

  /** Windows of custom metrics are kept while a subscription needs them, and begin empty. */
  #keepNeededWindows(): void {
    const needed = new Set([
      ...DOCUMENTED,
      ...this.#active.flatMap((one) => metricsOf(this.#rule(one).condition)),
    ]);
    for (const metric of this.#windows.keys()) {
      if (needed.has(metric)) continue;
      this.#windows.delete(metric);
      this.#newest.delete(metric);
    }
    for (const metric of needed) if (!this.#windows.has(metric)) this.#windows.set(metric, []);
  }

  /** Sends the noData messages that are due by `until`, in the order of their due times, none earlier than `from`. */
  #sendNoDataUntil(until: number, from = 0): void {
    for (;;) {
      const [first] = this.#active
        .map((one) => ({ one, due: noDataDue(one, this.#rule(one), this.#lastOf(one)) }))
        .filter(({ due }) => due <= until)
        .toSorted((a, b) => a.due - b.due);
      if (first === undefined) return;
      const { one, due } = first;
      const since = this.#lastOf(one);
      one.lacksData = true;
      one.notifiedSince = since ?? 0;
      const message = { at: Math.max(due, from), state: 'noData', fact: null, since, measures: {} } as const;
      one.owesNoData = !say(one, this.#rule(one), message, this.#messages);
      this.#record(one, message.at, null);
    }
  }

  #record(one: PlainSubscription, at: number, fact: number | null): void {
    const to = stateOf(one);
    if (to === one.recorded) return;
    this.#transitions.push({ at, subscription: one.id, from: one.recorded, to, fact });
    one.recorded = to;
  }

  /** Returns the last fact that carried a metric of the rule: of custom metrics, since the subscription. */
  #lastOf(one: PlainSubscription): number | null {
    const times = metricsOf(this.#rule(one).condition).flatMap((metric) => {
      const last = this.#arrived.get(metric);
      if (last === undefined) return [];
      return DOCUMENTED.includes(metric) || last >= one.madeAt ? [last] : [];
    });
    return times.length === 0 ? null : Math.max(...times);
  }

  #rule(one: PlainSubscription): PlainRule {
    return this.#rules.get(one.rule)!;
  }

  #subscription(id: string): PlainSubscription {
    return this.#active.find((one) => one.id === id)!;
  }
}
