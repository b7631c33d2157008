import { Problems } from '../../errors.js';
import type { Measures, Metric } from '../rules/condition.js';
import { readElements } from './facts-formats.js';
import type { Reading } from './facts-formats.js';

/** The measurements of one request. */
export interface Facts {
  /** One per element that measures something, in the order of the body. */
  readonly measures: readonly Measures[];
  /** Id of the broker subscription that sent the body; undefined if the body names none. */
  readonly source: string | undefined;
}

/** How `freeSpacePct` is read: as used space (100 minus the value), or unchanged. */
export type HddReading = 'used' | 'free';

/** Metric by attribute name (policy §2, Facts payload). */
const METRIC_OF = new Map<string, Metric>([
  ['cpuLoadPct', 'cpu'],
  ['usedMemPct', 'mem'],
  ['netLoadPct', 'net'],
  ['freeSpacePct', 'hdd'],
]);

const ATTRIBUTES = [...METRIC_OF.keys()].join(', ');

/** Digits with an optional fraction and exponent. No sign before them, no blanks, no hexadecimal. */
const DECIMAL = /^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Reads the body of operation 1: `contextResponses` of NGSI-10, or a notification of NGSIv2 or NGSI-LD. Throws one
 * `Refusal('bad-request')` that names every problem of the body.
 */
export function readFacts(body: unknown, hdd: HddReading): Facts {
  const problems = new Problems();
  const { elements, source } = readElements(body, problems);
  const measures: Measures[] = [];
  for (const readings of elements) {
    const measured = measure(readings, hdd, problems);
    if (measured !== undefined) measures.push(measured);
  }
  problems.refuse();
  if (measures.length === 0) {
    problems.add('body', `no element measures anything: at least one attribute of ${ATTRIBUTES} is needed`);
    problems.refuse();
  }
  return { measures, source };
}

/** Ignores unknown attributes. The last of several attributes with one name counts. undefined if nothing is measured. */
function measure(readings: readonly Reading[], hdd: HddReading, problems: Problems): Measures | undefined {
  let measures: Partial<Record<Metric, number>> | undefined;
  for (const { path, name, value } of readings) {
    const metric = METRIC_OF.get(name);
    if (metric === undefined) continue;
    const given = percentage(value);
    if (given === undefined) {
      problems.add(
        path,
        `${name} must be a decimal number from 0 to 100, as a string such as "42.5" or as a JSON number`,
      );
      continue;
    }
    measures ??= {};
    measures[metric] = metric === 'hdd' && hdd === 'used' ? 100 - given : given;
  }
  return measures;
}

/** Returns the percentage 0..100 in a string or a JSON number; undefined for anything else. */
function percentage(value: unknown): number | undefined {
  const number = typeof value === 'string' ? (DECIMAL.test(value) ? Number(value) : NaN) : value;
  if (typeof number !== 'number' || !(number >= 0 && number <= 100)) return undefined;
  // Turns a JSON -0 into 0.
  return number + 0;
}
