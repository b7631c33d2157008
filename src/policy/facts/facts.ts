import { Problems } from '../../errors.js';
import type { Measures, Metric } from '../rules/metrics.js';
import { readElements } from './facts-formats.js';
import type { Reading } from './entity-attributes.js';
import type { Element } from './facts-formats.js';
import { measuringAttributes } from './measuring-attributes.js';
import type { FactsSettings, MeasuringAttributes } from './measuring-attributes.js';

/** The measurements of one request. */
export interface Facts {
  /** One per element that measures something, in the order of the body. */
  readonly measures: readonly Measures[];
  /** Times that came with the values, for each of `measures`, µs since the epoch; absent if none did. */
  readonly times?: readonly (Measures | undefined)[];
  /** Id of the broker subscription that sent the body; undefined if the body names none. */
  readonly source: string | undefined;
}

/** The measurements of one server in a notification of several. */
export interface ServerFacts {
  readonly serverId: string;
  readonly facts: Facts;
}

/** The values of an element, with the times that came with them. */
export interface Measured {
  readonly measures: Measures;
  /** Times that came with the values, µs since the epoch; undefined if none did. */
  readonly times: Measures | undefined;
}

/** An element that measures something. */
export interface MeasuredElement extends Measured {
  readonly element: Element;
}

/** The elements of a body that measure something. */
export interface MeasuredElements {
  readonly measured: readonly MeasuredElement[];
  /** As in `Facts`. */
  readonly source: string | undefined;
}

/**
 * Makes the function that reads the body of operation 1: `contextResponses` of NGSI-10, or a notification of NGSIv2 or
 * NGSI-LD. It throws one `Refusal('bad-request')` that names every problem of the body.
 */
export function factsReader(settings: FactsSettings): (body: unknown) => Facts {
  const read = measuredReader(settings, () => undefined);
  return (body) => {
    const { measured, source } = read(body);
    return factsOf(measured, source);
  };
}

/**
 * Makes the function that reads a body's elements that measure something. `check` adds the further problems of an element.
 * It throws one `Refusal('bad-request')` that names every problem of the body.
 */
export function measuredReader(
  settings: FactsSettings,
  check: (element: Element, problems: Problems) => void,
): (body: unknown) => MeasuredElements {
  const { attributeOf, names } = measuringAttributes(settings);
  return (body) => {
    const problems = new Problems();
    const { elements, source, hasEmpty } = readElements(body, problems);
    const measured = elements.flatMap((element) => {
      check(element, problems);
      const values = measuredIn(element.readings, attributeOf, problems);
      return values === undefined ? [] : [{ measures: values.measures, times: values.times, element }];
    });
    problems.refuse();
    if (measured.length === 0 && !hasEmpty) {
      problems.add('body', `no element measures anything: at least one attribute of ${names} is needed`);
      problems.refuse();
    }
    return { measured, source };
  };
}

/** Returns the facts in elements of one server. */
export function factsOf(measured: readonly Measured[], source: string | undefined): Facts {
  const measures = measured.map((one) => one.measures);
  if (measured.every(({ times }) => times === undefined)) return { measures, source };
  return { measures, times: measured.map(({ times }) => times), source };
}

/** Returns the values of an element; undefined if it has none. The last of several attributes with one name counts. */
function measuredIn(
  readings: readonly Reading[],
  attributeOf: MeasuringAttributes['attributeOf'],
  problems: Problems,
): Measured | undefined {
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
