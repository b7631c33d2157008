import type { BacktestAnswer } from '../../../../src/policy/backtest/shapes.js';
import { conditionIn } from '../condition-draft.js';
import type { RuleDraft } from '../rule-draft.js';
import { backtested } from './backtested.js';
import { comparedMetrics } from './compared-metrics.js';
import { factsOfServer, type Past, type PastByName } from './past-of-server.js';

/** Messages in a day from which on the form warns. */
const MANY = 200;

/** The messages that a rule would have sent in a time. */
export interface ManyMessages {
  readonly count: number;
  /** The time, in words: `last hour`. */
  readonly span: string;
}

/** Returns the messages that a rule would have sent on the past of its server; undefined if they are few, or not known. */
export async function manyMessages(
  tenantId: string,
  draft: RuleDraft,
  past: PastByName,
): Promise<ManyMessages | undefined> {
  const metrics = comparedMetrics(conditionIn(draft)).map(({ metric }) => metric);
  for (const [one, perDay] of [
    [past.day, 1],
    [past.hour, 24],
  ] as const) {
    if (one === undefined) continue;
    try {
      const count = countOf(await backtested(tenantId, draft, factsOfServer(one, metrics), one), draft, one);
      if (count * perDay >= MANY) return { count, span: one.span };
    } catch {
      // What is wrong with the rule the service says when it is saved.
    }
  }
  return undefined;
}

/** Without `repeat` each value for which a rule holds fires, and a mean stands for several. */
function countOf(
  { messages, firings }: BacktestAnswer,
  { repeat = '' }: RuleDraft,
  { values }: Pick<Past, 'values'>,
): number {
  return messages.length - firings + firings * (repeat.trim() === '' ? values : 1);
}
