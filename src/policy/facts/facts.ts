import { Problems, Refusal } from '../../errors.js';
import type { Measures, Metric } from '../rules/metrics.js';
import { type Element, elementsOf } from './facts-formats.js';
import type { Reading } from './entity-attributes.js';
import { type FactsSettings, type MeasuringAttribute, measuringAttributes } from './measuring-attributes.js';

/** Where facts come from, beside operation 1 and facts by entity. */
export type SourceName = 'remote-write' | 'otlp' | 'mqtt';

/** The measurements of one request. */
export interface Facts {
  /** One per element that measures something, in the order of the body. */
  readonly measures: readonly Measures[];
  /** Times that came with the values, for each of `measures`, µs since the epoch; absent if none did. */
  readonly times?: readonly (Measures | undefined)[];
  /** Id of the broker subscription that sent the body; undefined if the body names none. */
  readonly source: string | undefined;
  /** What sent them by itself; absent for operation 1 and facts by entity. */
  readonly origin?: SourceName | undefined;
}

/** The values of an element, with the times that came with them. */
export interface MeasuredElement {
  readonly measures: Measures;
  /** Times that came with the values, µs since the epoch; undefined if none did. */
  readonly times: Measures | undefined;
}

/**
 * Makes the function that reads the body of operation 1: `contextResponses` of NGSI-10, or a notification of NGSIv2 or
 * NGSI-LD. It throws one `Refusal('bad-request')` that names every problem of the body.
 */
export function factsReader(settings: FactsSettings): (body: unknown) => Facts {
  const { valuesOf, nothingMeasured } = elementValues(settings);
  return (body) => {
    const problems = new Problems();
    const list = elementsOf(body);
    const measured: MeasuredElement[] = [];
    let hasEmpty = false;
    for (let i = 0; i < list.length; i += 1) {
      const element = list.read(i, problems);
      if (element === undefined) continue;
      hasEmpty ||= element.isEmpty;
      const values = valuesOf(element, problems);
      if (values !== undefined) measured.push(values);
    }
    problems.refuse();
    if (measured.length === 0 && !hasEmpty) throw nothingMeasured();
    return factsOf(measured, list.source);
  };
}

/** Makes the reader of what elements measure. */
export function elementValues(settings: FactsSettings) {
  const { attributeOf, names } = measuringAttributes(settings);
  return {
    /** Returns the values of an element, and adds its faults to `problems`. Returns undefined if it measures nothing. */
    valuesOf: ({ readings }: Element, problems: Problems) => measuredIn(readings, attributeOf, problems),
    /** Returns the refusal of a body in which no element measures anything. */
    nothingMeasured: () =>
      new Refusal(
        'bad-request',
        `body: no element measures anything: at least one attribute of ${names} is needed`,
      ),
  };
}

/** Returns the facts in elements of one server. */
export function factsOf(measured: readonly MeasuredElement[], source: string | undefined): Facts {
  const measures = measured.map((one) => one.measures);
  if (measured.every(({ times }) => times === undefined)) return { measures, source };
  return { measures, times: measured.map(({ times }) => times), source };
}

/** Returns the values of an element; undefined if it has none. The last of several attributes with one name counts. */
function measuredIn(
  readings: readonly Reading[],
  attributeOf: (name: string) => MeasuringAttribute | undefined,
  problems: Problems,
): MeasuredElement | undefined {
  let measures: Partial<Record<Metric, number>> | undefined;
  let times: Partial<Record<Metric, number>> | undefined;
  for (const { path, name, value, time } of readings) {
    const attribute = attributeOf(name);
    if (attribute === undefined) continue;
    const given = attribute.read(value);
    if (given === undefined) {
      if (attribute.allowed !== undefined) problems.add(path, `${name} must be ${attribute.allowed}`);
      continue;
    }
    (measures ??= {})[attribute.metric] = given;
    if (time !== undefined) (times ??= {})[attribute.metric] = time;
  }
  return measures === undefined ? undefined : { measures, times };
}
