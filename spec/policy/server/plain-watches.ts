import type { Operand } from '../../../src/policy/rules/condition.js';
import type { DocumentMetric as Metric } from '../../../src/policy/rules/metrics.js';

// "Explain" and "Conditions" of docs/policy-api.md once more, as plainly as possible, for the specs to compare with.
// Values are whole numbers, and sums are compared with multiples, so that nothing is rounded.

export type PlainCondition = Readonly<
  Partial<Record<Metric, { readonly value: number; readonly operand: Operand }>>
>;

export interface PlainSubscription {
  readonly id: string;
  readonly ruleId: string;
  state: 'filling' | 'calm' | 'firing';
  since: number | undefined;
  firings: number;
  unsent: number;
  last: { at: number; factId: number } | undefined;
  suspended: boolean;
  /** The condition that was evaluated last. */
  evaluated: string | undefined;
}

export interface PlainTransition {
  readonly at: number;
  readonly subscriptionId: string;
  readonly from: string;
  readonly to: string;
  readonly factId: number | null;
}

const ALL = ['cpu', 'mem', 'hdd', 'net'] as const;

/** A server with its windows, rules, subscriptions and transitions. */
export class PlainServer {
  factId = 0;
  readonly windows: Record<Metric, { values: number[]; at: number }>;
  readonly conditions = new Map<string, PlainCondition>();
  readonly subscriptions: PlainSubscription[] = [];
  readonly transitions: PlainTransition[] = [];
  /** The smallest size since the last fact. */
  #smallest = Infinity;

  constructor(
    public size: number,
    private readonly gap: number,
  ) {
    const window = () => ({ values: [], at: 0 });
    this.windows = { cpu: window(), mem: window(), hdd: window(), net: window() };
  }

  subscribe(id: string, ruleId: string): void {
    const nothing = { since: undefined, firings: 0, unsent: 0, last: undefined, evaluated: undefined };
    this.subscriptions.push({ id, ruleId, state: 'filling', suspended: false, ...nothing });
  }

  unsubscribe(id: string): void {
    const at = this.subscriptions.findIndex((one) => one.id === id);
    if (at >= 0) this.subscriptions.splice(at, 1);
  }

  resize(size: number): void {
    this.size = size;
    this.#smallest = Math.min(this.#smallest, size);
  }

  changeRule(ruleId: string, condition: PlainCondition, now: number): void {
    this.conditions.set(ruleId, condition);
    for (const one of this.subscriptions) if (one.ruleId === ruleId) this.#startAnew(one, now);
  }

  facts(measures: readonly Partial<Record<Metric, number>>[], now: number): void {
    const cut = new Set<string>();
    for (const metric of ALL) {
      const window = this.windows[metric];
      if (window.values.length <= this.#smallest) continue;
      window.values = window.values.slice(-this.#smallest);
      cut.add(metric);
    }
    this.#smallest = Infinity;
    const measured = new Set(measures.flatMap((one) => Object.keys(one)));
    for (const one of measures) this.#fact(one, now);
    for (const one of this.subscriptions) {
      const metrics = this.#metrics(one);
      const stale = metrics.some((metric) => cut.has(metric)) && !metrics.some((name) => measured.has(name));
      if (stale && one.state !== 'filling') this.#move(one, 'filling', now, this.factId);
    }
  }

  #fact(measures: Partial<Record<Metric, number>>, now: number): void {
    this.factId += 1;
    for (const metric of ALL) {
      const window = this.windows[metric];
      if (window.values.length > 0 && now - window.at > this.gap) {
        window.values = [];
        window.at = 0;
      }
      const value = measures[metric];
      if (value === undefined) continue;
      window.values = [...window.values, value].slice(-this.size);
      window.at = now;
    }
    for (const one of this.subscriptions) this.#evaluate(one, measures, now);
  }

  #evaluate(one: PlainSubscription, measures: Partial<Record<Metric, number>>, now: number): void {
    this.#startAnew(one, now);
    const metrics = this.#metrics(one);
    if (metrics.some((metric) => this.windows[metric].values.length < this.size)) {
      if (one.state !== 'filling') this.#move(one, 'filling', now, this.factId);
      return;
    }
    if (metrics.every((metric) => measures[metric] === undefined)) return;
    const condition = this.conditions.get(one.ruleId)!;
    const holds = metrics.every((metric) => {
      const { value, operand } = condition[metric]!;
      const { values } = this.windows[metric];
      const difference = values.reduce((sum, some) => sum + some, 0) - value * values.length;
      if (operand === 'greater') return difference > 0;
      if (operand === 'less') return difference < 0;
      return operand === 'greater equal' ? difference >= 0 : difference <= 0;
    });
    one.evaluated = textOf(condition);
    if (holds) one.since ??= now;
    else one.since = undefined;
    if (holds && one.suspended) one.unsent += 1;
    if (holds && !one.suspended) {
      one.firings += 1;
      one.last = { at: now, factId: this.factId };
    }
    const next = holds ? 'firing' : 'calm';
    if (one.state !== next) this.#move(one, next, now, this.factId);
  }

  #startAnew(one: PlainSubscription, now: number): void {
    const text = textOf(this.conditions.get(one.ruleId)!);
    if (one.evaluated === undefined || one.evaluated === text) return;
    one.evaluated = text;
    one.since = undefined;
    if (one.state !== 'filling') this.#move(one, 'filling', now, null);
  }

  #move(one: PlainSubscription, to: PlainSubscription['state'], at: number, factId: number | null): void {
    this.transitions.push({ at, subscriptionId: one.id, from: one.state, to, factId });
    one.state = to;
  }

  #metrics(one: PlainSubscription): Metric[] {
    const condition = this.conditions.get(one.ruleId)!;
    return ALL.filter((metric) => condition[metric] !== undefined);
  }
}

function textOf(condition: PlainCondition): string {
  return ALL.map((metric) => JSON.stringify(condition[metric] ?? null)).join();
}
