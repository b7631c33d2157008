import { conditionHolds, comparisonsOf, holdingPlaces, metricsOf } from '../model/plain-condition.js';
import type { PlainFact, PlainRule } from '../model/story.js';
import { metricsInOrder, plainSentence } from './plain-sentence.js';

interface PlainWindow {
  values: number[];
  /** Time of the newest value ever, ms. */
  newest: number;
  /** The pause that emptied it, ms, until it is full again. */
  pause?: number | undefined;
}

/** What explain says about one subscription that is made before all facts, of a rule with `for` or without. */
export class PlainExplainer {
  readonly #windows = new Map<string, PlainWindow>();
  #held: ReadonlySet<string> = new Set();
  #since: number | undefined;
  #sentence: string | undefined;

  constructor(
    private readonly rule: PlainRule,
    private readonly size: number,
    private readonly gapMs: number,
  ) {
    for (const metric of metricsOf(rule.condition)) this.#windows.set(metric, { values: [], newest: 0 });
  }

  fact(fact: PlainFact, at: number): void {
    for (const [metric, window] of this.#windows) {
      this.#emptyAfterPause(metric, window, at);
      const value = fact[metric];
      if (value === undefined) continue;
      window.values = [...window.values, value].slice(-this.size);
      window.newest = at;
      if (window.values.length === this.size) window.pause = undefined;
    }
    const carries = [...this.#windows.keys()].some((metric) => fact[metric] !== undefined);
    const isFull = [...this.#windows.values()].every(({ values }) => values.length === this.size);
    if (carries && isFull) this.#evaluate(at);
  }

  /** Returns the sentence of explain. */
  sentence(): string {
    for (const metric of metricsInOrder(this.rule.condition)) {
      const { values, pause } = this.#windows.get(metric)!;
      if (values.length === this.size) continue;
      const why = pause === undefined ? '' : `, emptied by a pause of ${Math.round(pause / 1000)} s`;
      return `Not evaluated: the window of ${metric} holds ${values.length} of ${this.size} values${why}.`;
    }
    return this.#sentence!;
  }

  #emptyAfterPause(metric: string, window: PlainWindow, at: number): void {
    const pause = at - window.newest;
    if (window.values.length === 0 || pause <= this.gapMs) return;
    window.values = [];
    window.pause = pause;
    const gone = comparisonsOf(this.rule.condition).filter((one) => one.metric === metric);
    this.#held = new Set([...this.#held].filter((place) => !gone.some((one) => one.place === place)));
  }

  #evaluate(at: number): void {
    const { condition, for: seconds } = this.rule;
    const windows = new Map([...this.#windows].map(([metric, { values }]) => [metric, values]));
    this.#held = holdingPlaces(condition, windows, this.#held);
    this.#since = conditionHolds(condition, this.#held) ? (this.#since ?? at) : undefined;
    const waits =
      this.#since !== undefined && seconds !== undefined && at - this.#since < seconds * 1000
        ? seconds
        : undefined;
    this.#sentence = plainSentence({ condition, windows, holding: this.#held }, this.#since ?? 0, waits);
  }
}
