import { isMetricName, type MetricSettings } from '../../config/metrics.js';
import { type Metric, METRICS } from '../rules/metrics.js';

/** How `freeSpacePct` is read: as used space (100 minus the value), or unchanged. */
export type HddReading = 'used' | 'free';

/** Metric by attribute name (policy §2, Facts payload). */
const METRIC_OF = new Map<string, Metric>([
  ['cpuLoadPct', 'cpu'],
  ['usedMemPct', 'mem'],
  ['netLoadPct', 'net'],
  ['freeSpacePct', 'hdd'],
]);

/** The attributes that measure the metrics of the document (policy §2, Facts payload). */
export const DOCUMENT_ATTRIBUTES: readonly string[] = [...METRIC_OF.keys()];

/** Digits with an optional fraction and exponent. No blanks, no hexadecimal. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const PERCENTAGE = 'a decimal number from 0 to 100, as a string such as "42.5" or as a JSON number';

/** The settings for facts. */
export interface FactsSettings {
  readonly hdd: HddReading;
  /** The metrics beside those of the document. */
  readonly metrics: MetricSettings;
}

/** How an attribute becomes the value of a metric. */
export interface MeasuringAttribute {
  readonly metric: Metric;
  /** Returns the value; undefined for one that is not allowed. */
  readonly read: (value: unknown) => number | undefined;
  /** What is allowed; undefined: any other value is not a metric, and is ignored. */
  readonly allowed: string | undefined;
}

/** Returns the attributes that measure something: those of the document, and what the settings add. */
export function measuringAttributes(settings: FactsSettings) {
  const { any } = settings.metrics;
  const named = namedAttributes(settings);
  return {
    /** Returns how an attribute is read; undefined if it measures nothing. */
    attributeOf: (name: string): MeasuringAttribute | undefined =>
      named.get(name) ??
      (any && isMetricName(name) ? { metric: name, read: numberIn, allowed: undefined } : undefined),
    /** Their names, for messages. */
    names: [...named.keys(), ...(any ? ['any number'] : [])].join(', '),
  };
}

/**
 * Returns the function that returns how a value of a source is read, by its name: an attribute, or a metric of the document
 * by its own name. It returns undefined for a name that measures nothing.
 */
export function sourceAttributes(settings: FactsSettings): (name: string) => MeasuringAttribute | undefined {
  const { attributeOf } = measuringAttributes(settings);
  const metrics = new Map<string, MeasuringAttribute>(
    METRICS.map((metric) => [metric, { metric, read: percentage, allowed: PERCENTAGE }]),
  );
  return (name) => metrics.get(name) ?? attributeOf(name);
}

/** Returns the attributes of the document and of the listed metrics, by name. */
function namedAttributes({
  hdd,
  metrics: { listed },
}: FactsSettings): ReadonlyMap<string, MeasuringAttribute> {
  const ofDocument = [...METRIC_OF].map(([name, metric]): [string, MeasuringAttribute] => {
    const isInverted = metric === 'hdd' && hdd === 'used';
    const read = (value: unknown): number | undefined => {
      const given = percentage(value);
      return isInverted && given !== undefined ? 100 - given : given;
    };
    return [name, { metric, read, allowed: PERCENTAGE }];
  });
  const custom = listed.map(({ name, range }): [string, MeasuringAttribute] => {
    const read = (value: unknown): number | undefined => within(numberIn(value), range);
    const limits = range === undefined ? '' : ` from ${range[0]} to ${range[1]}`;
    const allowed = `a finite number${limits}, as a string or as a JSON number`;
    return [name, { metric: name, read, allowed }];
  });
  return new Map([...ofDocument, ...custom]);
}

/** Returns a number of a range; undefined for any other. */
function within(
  number: number | undefined,
  [least, most]: readonly [number, number] = [-Infinity, Infinity],
): number | undefined {
  return number !== undefined && number >= least && number <= most ? number : undefined;
}

/** Returns the finite number in a string or a JSON number; undefined for anything else. */
function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' ? (DECIMAL.test(value) ? Number(value) : NaN) : value;
  // Turns a JSON -0 into 0.
  return typeof number === 'number' && Number.isFinite(number) ? number + 0 : undefined;
}

/** Returns the percentage 0..100 in a string without a sign, or in a JSON number; undefined for anything else. */
function percentage(value: unknown): number | undefined {
  if (typeof value === 'string' && (value.startsWith('+') || value.startsWith('-'))) return undefined;
  return within(numberIn(value), [0, 100]);
}
