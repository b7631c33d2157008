import type { Rule } from '../rules/rule.js';
import type { ServerContext } from '../server/server-context.js';
import type { SubscribedRules } from '../server/subscribed-rules.js';
import { stateFrom, type StateName } from '../state/subscription-state.js';

/** How much a state of a subscription asks for attention, the most first. */
const ATTENTION: readonly StateName[] = ['firing', 'pending', 'noData', 'filling', 'calm'];

/**
 * Returns at most `max` of the rules, in their order. Where there are more, those that fire stay first of all, then those
 * that are pending, without data, and otherwise subscribed; of the others the newest.
 */
export function chosenRules(
  rules: readonly Rule[],
  { states }: Pick<ServerContext, 'states'>,
  { all }: Pick<SubscribedRules, 'all'>,
  max: number,
): readonly Rule[] {
  if (rules.length <= max) return rules;
  const ranks = new Map<Rule, number>();
  for (const { rule, index } of all) {
    const rank = ATTENTION.indexOf(stateFrom(states[index])?.state ?? 'filling');
    ranks.set(rule, Math.min(rank, ranks.get(rule) ?? Infinity));
  }
  const unsubscribed = ATTENTION.length;
  const ranked = rules.map((rule, i) => ({
    rule,
    rank: ranks.get(rule) ?? unsubscribed + 1 - i / rules.length,
  }));
  const chosen = ranked.toSorted((a, b) => a.rank - b.rank).slice(0, max);
  const kept = new Set(chosen.map(({ rule }) => rule));
  return rules.filter((rule) => kept.has(rule));
}
