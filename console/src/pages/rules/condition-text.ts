import type { ServerRuleView } from '../../../../src/console/shapes.js';

const SIGNS: Readonly<Record<string, string>> = {
  greater: '>',
  less: '<',
  'greater equal': '≥',
  'less equal': '≤',
};

/** Returns a condition as text: `cpu > 85 and mem ≥ 70`. */
export function conditionText(condition: ServerRuleView['condition']): string {
  return Object.entries(condition)
    .map(([metric, { operand, value }]) => `${metric} ${SIGNS[operand] ?? operand} ${value}`)
    .join(' and ');
}
