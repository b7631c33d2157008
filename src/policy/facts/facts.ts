import { percentage } from './decimal.js';
import { readElements } from './facts-formats.js';
import type { Reading } from './facts-formats.js';
import { Problems } from '../../errors.js';
import type { Metric } from '../rules/rule.js';
import type { Measures } from '../server/window.js';

/** The measurements of one request. */
export interface Facts {
  /** One for each element that measures something, in order. */
  readonly measures: readonly Measures[];
  /** The broker's subscription that sent them, where it says so. */
  readonly source: string | undefined;
}

/** How `freeSpacePct` is read: as what is used (100 minus it), or raw. */
export type HddReading = 'used' | 'free';

/** The metric that an attribute measures (policy §2, Facts payload). */
const METRIC_OF = new Map<string, Metric>([
  ['cpuLoadPct', 'cpu'],
  ['usedMemPct', 'mem'],
  ['netLoadPct', 'net'],
  ['freeSpacePct', 'hdd'],
]);

const ATTRIBUTES = [...METRIC_OF.keys()].join(', ');

/**
 * Reads the body of operation 1: NGSI-10's `contextResponses`, or a notification of NGSIv2 or NGSI-LD. All or
 * nothing: a `Refusal` names every problem of the body.
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

/** Of an attribute named twice the last counts; unknown attributes are somebody else's. */
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
