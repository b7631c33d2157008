import type { FleetComparison } from '../../../src/policy/fleet/shapes.js';
import { numberText } from '../ui/number.js';
import { Id } from '../ui/text.js';
import { SIGNS } from './rules/condition-text.js';

/** The value of a comparison against its threshold: `cpu 91.4 > 85`. */
export function ComparisonText({ comparison }: { readonly comparison: FleetComparison }) {
  const { metric, result, operand, value } = comparison;
  return (
    <span class="compared">
      <Id text={metric} plain /> <strong class="num">{result === null ? '–' : numberText(result, 2)}</strong>{' '}
      {SIGNS[operand as keyof typeof SIGNS]} <span class="num">{numberText(value, 2)}</span>
    </span>
  );
}
