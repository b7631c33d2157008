import { LineCounter, parseAllDocuments, isMap, isSeq, type YAMLMap } from 'yaml';
import { isObject } from '../../untrusted/json.js';
import { hasRate, mayBeInfinite } from './infinite.js';
import { parsePromql } from './promql.js';
import { type Recorded, type RecordedSeries, seriesOf } from './series.js';

/** A rule of a file of Prometheus. `place`: the file and the line. */
export interface FileRule {
  readonly place: string;
  readonly name: string;
  readonly expr: string;
}

/** An alerting rule. */
export interface Alert extends FileRule {
  readonly for: unknown;
  readonly keepFiringFor: string | undefined;
  readonly labels: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, unknown>>;
}

/** What a file of Prometheus has. */
export interface PrometheusRules {
  readonly alerts: readonly Alert[];
  readonly recordings: readonly FileRule[];
}

const NO_GROUPS =
  'must have groups with rules, as a rule file of Prometheus or a PrometheusRule of Kubernetes';

/** Reads the groups of a file. Throws an `Error` for a file without rules of Prometheus. */
export function rulesOf(name: string, content: string): PrometheusRules {
  const counter = new LineCounter();
  const documents = parseAllDocuments(content, { lineCounter: counter, prettyErrors: false });
  const alerts: Alert[] = [];
  const recordings: FileRule[] = [];
  for (const document of documents) {
    const [fault] = document.errors;
    if (fault !== undefined)
      throw new Error(`is not YAML: line ${counter.linePos(fault.pos[0]).line}: ${fault.message}`);
    for (const rule of rulesIn(document.contents)) {
      const { line } = counter.linePos(rule.range![0]);
      const place = `${name}:${line}`;
      const members = rule.toJS(document) as Readonly<Record<string, unknown>>;
      const { alert, record, expr } = members;
      // An expression that is a number, such as 1, is read as one.
      const base = { place, expr: typeof expr === 'number' ? String(expr) : textOf(expr, line, 'expr') };
      if (record !== undefined) recordings.push({ ...base, name: textOf(record, line, 'record') });
      else
        alerts.push({
          ...base,
          name: textOf(alert, line, 'alert'),
          for: members['for'],
          keepFiringFor: stringOf(members['keep_firing_for']),
          labels: objectOf(members['labels']),
          annotations: objectOf(members['annotations']),
        });
    }
  }
  return { alerts, recordings };
}

function textOf(value: unknown, line: number, member: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new Error(`line ${line}: a rule needs ${member}, a string`);
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function rulesIn(content: unknown): readonly YAMLMap[] {
  const spec = isMap(content) && !content.has('groups') ? content.get('spec') : content;
  const groups = isMap(spec) ? spec.get('groups') : undefined;
  if (!isSeq(groups)) throw new Error(NO_GROUPS);
  return groups.items.flatMap((group) => {
    const rules = isMap(group) ? group.get('rules') : undefined;
    if (rules === undefined) return [];
    if (!isSeq(rules) || !rules.items.every(isMap)) throw new Error(NO_GROUPS);
    return rules.items;
  });
}

/** Returns the series of recording rules by name. One whose expression cannot be read is left out. */
export function recordedBy(recordings: readonly FileRule[]): Recorded {
  const known = new Map<string, RecordedSeries>();
  for (const { name, expr } of recordings) {
    try {
      const part = parsePromql(expr);
      known.set(name, {
        ...seriesOf(part, known),
        hasRate: hasRate(part, known),
        mayBeInfinite: mayBeInfinite(part, known),
      });
    } catch {
      // An alert that reads it is translated by the name of the series.
    }
  }
  return known;
}
