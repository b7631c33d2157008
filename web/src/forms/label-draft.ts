import type { NamedValue } from './named-values.js';

/** The labels of a rule as they are typed. */
export interface LabelsDraft {
  /** Absent or empty: the rule has none. */
  readonly severity?: string;
  /** The other labels. */
  readonly labels?: readonly NamedValue[];
}

/** Returns the draft of labels. */
export function labelsDraftOf(labels: Readonly<Record<string, string>> = {}): LabelsDraft {
  const { severity = '', ...others } = labels;
  return { severity, labels: Object.entries(others).map(([name, value]) => ({ name, value })) };
}

/** Returns the labels that a draft says; undefined if it has none. Of two with one name the second counts. */
export function labelsIn({ severity = '', labels = [] }: LabelsDraft): Record<string, string> | undefined {
  const typed = labels.filter(({ name, value }) => name.trim() !== '' || value !== '');
  const all = Object.fromEntries([
    ...(severity === '' ? [] : [['severity', severity] as const]),
    ...typed.map(({ name, value }) => [name.trim(), value] as const),
  ]);
  return Object.keys(all).length === 0 ? undefined : all;
}
