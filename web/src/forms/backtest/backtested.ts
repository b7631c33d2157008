import type { BacktestAnswer } from '../../../../src/policy/backtest/shapes.js';
import { send } from '../../api.js';
import { policyPath } from '../policy-paths.js';
import { type RuleDraft, ruleIn } from '../rule-draft.js';
import type { PastFact } from './past-facts.js';
import type { Past } from './past-of-server.js';

/** Stands for the action of the form, which may be unfinished: no backtest depends on it. */
const ANY_ACTION = { actionName: 'notify-scale', operation: 'scaleUp' };

/**
 * Returns what a rule, as it is typed, would have sent for measurements. `past`: how to read those of a server; undefined:
 * each is a single one. Throws an `ApiError`.
 */
export function backtested(
  tenantId: string,
  draft: RuleDraft,
  facts: readonly PastFact[],
  past: Pick<Past, 'windowsize' | 'gap'> | undefined,
): Promise<BacktestAnswer> {
  const rule = {
    ...ruleIn(draft),
    name: draft.name.trim() === '' ? 'New rule' : draft.name,
    action: ANY_ACTION,
  };
  return send<BacktestAnswer>('POST', policyPath(tenantId, 'rules', 'backtest'), {
    rule,
    facts,
    ...(past !== undefined && { windowsize: past.windowsize, gap: past.gap }),
  });
}
