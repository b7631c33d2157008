import { type Kind, NotAllowed } from './kinds.js';

/** The metrics that conditions may name beside those of the document (setting `METRICS`). */
export interface MetricSettings {
  /** True if every name is allowed. */
  readonly any: boolean;
  readonly listed: readonly ListedMetric[];
}

/** A metric of the setting. Its values may be any finite numbers unless it has a range. */
export interface ListedMetric {
  readonly name: string;
  /** Smallest and largest value. */
  readonly range?: readonly [min: number, max: number] | undefined;
}

/** The setting without a value: the metrics of the document alone. */
export const NO_METRICS: MetricSettings = { any: false, listed: [] };

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** The members of an entity of NGSIv2 or NGSI-LD that are not attributes: no fact can carry them as metrics. */
export const ENTITY_MEMBERS: readonly string[] = [
  'id',
  'type',
  '@context',
  '@id',
  '@type',
  'createdAt',
  'modifiedAt',
  'deletedAt',
];
/**
 * Metrics and attributes of the document, words of conditions, members of entities, and `__proto__`, which no object has as
 * a plain member.
 */
const RESERVED: ReadonlySet<string> = new Set([
  'cpu',
  'mem',
  'hdd',
  'net',
  'cpuLoadPct',
  'usedMemPct',
  'netLoadPct',
  'freeSpacePct',
  'any',
  'all',
  'not',
  ...ENTITY_MEMBERS,
  '__proto__',
]);
const NUMBER = '[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?\\d+)?';
const RANGE = new RegExp(`^(${NUMBER})\\.\\.(${NUMBER})$`);

/** The names for which `isMetricName` is true, as a pattern. */
export const METRIC_NAME_PATTERN = `(?!(?:${[...RESERVED].join('|')})$)[A-Za-z_][A-Za-z0-9_]{0,63}`;

/** True for a name that a metric beside those of the document can have. */
export function isMetricName(name: string): boolean {
  return NAME.test(name) && !RESERVED.has(name);
}

/** `*`, or names with optional ranges, separated by commas: `temperature,queue:0..1000`. */
export const metricList: Kind<MetricSettings> = {
  allowed:
    '`*`, or names like `queue` or `temperature:-40..120` separated by commas: letters, digits and `_`, no digit first, no metric or attribute of the document, not any, all or not, not id, type, createdAt, modifiedAt or deletedAt',
  parse: (text) => {
    if (text.trim() === '*') return { any: true, listed: [] };
    const listed: ListedMetric[] = [];
    for (const [i, part] of text.split(',').entries()) {
      const metric = metricIn(part.trim());
      if (typeof metric === 'string') return new NotAllowed(`number ${i + 1} of the list ${metric}`);
      if (listed.some(({ name }) => name === metric.name)) {
        return new NotAllowed(`number ${i + 1} of the list is there already`);
      }
      listed.push(metric);
    }
    return { any: false, listed };
  },
};

/** Returns the metric, or what is wrong with it. */
function metricIn(text: string): ListedMetric | string {
  const colon = text.indexOf(':');
  const name = colon === -1 ? text : text.slice(0, colon);
  if (!isMetricName(name)) return 'has a wrong name';
  if (colon === -1) return { name };
  const [, min, max] = RANGE.exec(text.slice(colon + 1)) ?? [];
  if (min === undefined || max === undefined) return 'has a wrong range: it must be two numbers, min..max';
  const range = [Number(min), Number(max)] as const;
  if (range.every(Number.isFinite) && range[0] <= range[1]) return { name, range };
  return 'has a wrong range: min must be at most max, both finite';
}
