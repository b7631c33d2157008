import { PlainServer } from '../model/plain-model.js';
import type { PlainFact, PlainRule } from '../model/story.js';
import { metricsInOrder, plainSentence } from './plain-sentence.js';

/** What explain says about one subscription that is made before all facts, of a rule with `for` or without. */
export class PlainExplainer {
  readonly #server: PlainServer;

  constructor(
    private readonly rule: PlainRule,
    private readonly size: number,
    gapS: number,
  ) {
    this.#server = new PlainServer({ rules: { rule }, generic: [], windowsize: size, gapS, steps: [] });
    this.#server.take({ at: 0, do: 'subscribe', subscription: 'one', rule: 'rule' });
  }

  fact(fact: PlainFact, at: number): void {
    this.#server.take({ at, do: 'facts', facts: [fact] });
  }

  /** Returns the sentence of explain. */
  sentence(): string {
    const { condition, for: seconds } = this.rule;
    const { windows, pauses, subscription } = this.#server.standing('one');
    for (const metric of metricsInOrder(condition)) {
      const { length } = windows.get(metric)!;
      if (length === this.size) continue;
      const pause = pauses.get(metric);
      const why = pause === undefined ? '' : `, emptied by a pause of ${Math.round(pause / 1000)} s`;
      return `Not evaluated: the window of ${metric} holds ${length} of ${this.size} values${why}.`;
    }
    const { period, held, waited } = subscription;
    const waits = period === undefined || waited ? undefined : seconds;
    return plainSentence({ condition, windows, holding: held }, period?.since ?? 0, waits);
  }
}
