import type { Matching, Promql } from './promql.js';

/** What an expression gives for a server at one time. */
export interface Series {
  /** `scalar`: one number for all. */
  readonly is: 'scalar' | 'vector';
  /** True if each series has the label `instance`, which becomes the server. */
  readonly instance: boolean;
  /** Labels beside those of the target (`instance`, `job`, …); undefined if they are not known. */
  readonly extra: readonly string[] | undefined;
  /** True if the series still have the labels of the target beside `instance`. */
  readonly target: boolean;
  /** The part for which there may be no series at times; undefined if there is always one. */
  readonly gaps: string | undefined;
}

/** What a recording rule gives. */
export interface RecordedSeries extends Series {
  /** As the functions of these names. */
  readonly hasRate: boolean;
  readonly mayBeInfinite: boolean;
}

/** The series of the recording rules that are known, by their names. */
export type Recorded = ReadonlyMap<string, RecordedSeries>;

/** A number that is the same for all servers. */
const SCALAR: Series = { is: 'scalar', instance: false, extra: [], target: false, gaps: undefined };

/** Metrics with one series for each server: of every target, and of node_exporter. */
const SINGLE = new RegExp(
  '^(?:up|scrape_[a-z_]+|process_[a-z_]+' +
    '|node_(?:load(?:1|5|15)|boot_time_seconds|time_seconds|context_switches_total|forks_total|intr_total' +
    '|procs_(?:running|blocked)|entropy_[a-z_]+|textfile_scrape_error' +
    '|(?:memory(?!_numa)|timex|vmstat|filefd|nf_conntrack|sockstat|netstat)_\\w+))$',
);
const KNOWN: Readonly<Record<string, readonly string[]>> = { node_cpu_seconds_total: ['cpu', 'mode'] };

/** True if there is at most one series for each server. */
export function isSingle({ extra }: Series): boolean {
  return extra?.length === 0;
}

/** Returns the series of an expression. */
export function seriesOf(part: Promql, recorded: Recorded): Series {
  switch (part.is) {
    case 'number':
    case 'string':
      return SCALAR;
    case 'selector':
      return recorded.get(part.name ?? '') ?? selectedSeries(part.name);
    case 'negative':
    case 'shifted':
      return seriesOf(part.of, recorded);
    case 'call':
      return calledSeries(part, recorded);
    case 'aggregation':
      return aggregatedSeries(part, recorded);
    case 'operation':
      return operatedSeries(part, recorded);
  }
}

function selectedSeries(name: string | undefined): Series {
  const scraped = { is: 'vector', instance: true, target: true, gaps: undefined } as const;
  if (name === undefined) return { ...scraped, extra: undefined };
  // The name of a recorded series begins with its labels by convention: instance:node_cpu:rate5m.
  const level = name.includes(':') ? name.slice(0, name.indexOf(':')) : undefined;
  if (level !== undefined && !level.includes('instance')) return { ...scraped, instance: false, extra: [] };
  if (level === 'instance' || SINGLE.test(name)) return { ...scraped, extra: [] };
  return { ...scraped, extra: KNOWN[name] };
}

/** Functions with one number for all servers. */
const SCALAR_FUNCTIONS = new Set(['time', 'pi', 'scalar']);

function calledSeries({ name, args, text }: Promql & { is: 'call' }, recorded: Recorded): Series {
  if (SCALAR_FUNCTIONS.has(name)) return SCALAR;
  const given = args.map((one) => seriesOf(one, recorded)).find((one) => one.is === 'vector');
  const bare: Series = { ...SCALAR, is: 'vector' };
  if (given === undefined) return bare;
  if (name.startsWith('absent')) return { ...bare, gaps: text };
  if (name === 'label_replace' || name === 'label_join') {
    const label = args[1]?.is === 'string' ? args[1].value : '';
    return label === 'instance' ? { ...given, instance: true } : { ...given, extra: undefined };
  }
  return given;
}

/** Aggregations whose series are not always the same ones. */
const SELECTIVE = new Set(['topk', 'bottomk', 'limitk', 'limit_ratio', 'count_values']);

function aggregatedSeries(
  { name, args, grouping, text }: Promql & { is: 'aggregation' },
  recorded: Recorded,
): Series {
  const inner = seriesOf(args.at(-1)!, recorded);
  if (SELECTIVE.has(name.toLowerCase())) return { ...inner, gaps: inner.gaps ?? text };
  const labels = grouping?.labels ?? [];
  if (grouping?.by === false) {
    const extra = inner.extra?.filter((label) => !labels.includes(label));
    return { ...inner, instance: inner.instance && !labels.includes('instance'), extra };
  }
  const extra = labels.filter((label) => label !== 'instance');
  return { ...inner, instance: inner.instance && labels.includes('instance'), extra, target: false };
}

/** Operators that keep a series on the left depending on those on the right. */
const FILTERS = new Set(['and', 'unless']);
const COMPARES = new Set(['>', '<', '>=', '<=', '==', '!=']);

/** True for an operator that compares. */
export function isComparing(operator: string): boolean {
  return COMPARES.has(operator);
}

function operatedSeries(part: Promql & { is: 'operation' }, recorded: Recorded): Series {
  const [left, right] = [seriesOf(part.left, recorded), seriesOf(part.right, recorded)];
  const filters = FILTERS.has(part.operator) || (isComparing(part.operator) && !part.bool);
  const gaps = left.gaps ?? right.gaps ?? (filters ? part.text : undefined);
  if (left.is === 'scalar') return { ...right, gaps };
  if (right.is === 'scalar') return { ...left, gaps };
  if (part.operator === 'or') {
    const extra = isSingle(left) && isSingle(right) ? [] : undefined;
    return {
      ...left,
      instance: left.instance && right.instance,
      extra,
      gaps: left.gaps === undefined || right.gaps === undefined ? undefined : left.gaps,
    };
  }
  if (FILTERS.has(part.operator)) return { ...left, gaps };
  return { ...matched(left, right, part.matching), gaps };
}

/** Returns the labels of an operation between the series of two sides. */
function matched(left: Series, right: Series, matching: Matching | undefined): Series {
  if (matching?.group === 'left') return left;
  if (matching?.group === 'right') return right;
  const labels = matching?.labels ?? [];
  if (matching?.on === true) {
    const extra = labels.filter((label) => label !== 'instance');
    return {
      ...left,
      instance: left.instance && right.instance && labels.includes('instance'),
      extra,
      target: false,
    };
  }
  const known = [left, right].find(isSingle) ?? left;
  const extra = known.extra?.filter((label) => !labels.includes(label));
  return { ...known, instance: left.instance && right.instance && !labels.includes('instance'), extra };
}

/**
 * True if two conditions on the series of two sides are met by the same server exactly if the sides match: each side has one
 * series for a server, and the labels that are compared are the same.
 */
export function matchByServer(left: Series, right: Series, matching: Matching | undefined): boolean {
  if (!isSingle(left) || !isSingle(right) || !left.instance || !right.instance) return false;
  if (matching?.on === true)
    return (
      matching.labels.includes('instance') && (matching.labels.length === 1 || left.target === right.target)
    );
  return left.target === right.target && matching?.labels.includes('instance') !== true;
}
