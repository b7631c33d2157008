import type { CsvTable } from '../../../../src/policy/backtest/csv-facts.js';
import { type RuleDraft, ruleIn } from '../rule-draft.js';
import type { ChosenFile } from './csv-source.js';

/** What a rule is tried as, and on which measurements. */
export interface Asked {
  /** Without name and action: no outcome depends on them. */
  readonly rule: string;
  /** undefined for the past of a server. */
  readonly table: CsvTable | undefined;
  /** The columns of the file, or the time of the past. */
  readonly read: string;
}

/** Returns what a form asks now. `on`: the chosen file, or the name of the time of a server's past. */
export function askedIn(draft: RuleDraft, on: ChosenFile | string | undefined): Asked {
  const rule = JSON.stringify({ ...ruleIn(draft), name: undefined, action: undefined });
  if (typeof on === 'string') return { rule, table: undefined, read: on };
  return { rule, table: on?.table, read: JSON.stringify(on?.columns ?? null) };
}

/** Returns a sentence that says what has changed since an outcome was asked for; undefined if nothing has. */
export function changeSince(before: Asked, now: Asked): string | undefined {
  const isOtherRule = before.rule !== now.rule;
  const isOtherSource = before.table !== now.table || before.read !== now.read;
  if (!isOtherRule && !isOtherSource) return undefined;
  const what = [isOtherRule && 'rule', isOtherSource && 'measurements'].filter(Boolean).join(' and the ');
  const verb = isOtherSource ? 'have' : 'has';
  return `The ${what} ${verb} changed since: this is the outcome from before. Try the rule again.`;
}
