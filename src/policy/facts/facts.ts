import { publicSubscriptionId } from '../../broker/subscription-id.js';
import { Problems, Refusal } from '../../errors.js';
import { fieldOf, isObject } from '../../untrusted/json.js';
import type { Measures, Metric } from '../rules/metrics.js';
import { readEntity, type Reading } from './entity-attributes.js';
import { type FactsSettings, type MeasuringAttribute, measuringAttributes } from './measuring-attributes.js';

/** Where facts come from, beside operation 1 and facts by entity. */
export type SourceName = 'remote-write' | 'otlp' | 'mqtt';

/** The measurements of one request. */
export interface Facts {
  /** One per element that measures something, in the order of the body. */
  readonly measures: readonly Measures[];
  /** Times that came with the values, for each of `measures`, µs since the epoch; absent if none did. */
  readonly times?: readonly (Measures | undefined)[];
  /**
   * A number for each of `measures`: neighbours with the same one are of one time, and rules are evaluated after the last of
   * them. Absent: they are evaluated after each.
   */
  readonly groups?: readonly number[] | undefined;
  /** Id of the broker subscription that sent the body; undefined if the body names none. */
  readonly source: string | undefined;
  /** The source that sent them; absent for operation 1 and facts by entity. */
  readonly origin?: SourceName | undefined;
}

/** The values of an element, with the times that came with them. */
export interface MeasuredElement {
  readonly measures: Measures;
  /** Times that came with the values, µs since the epoch; undefined if none did. */
  readonly times: Measures | undefined;
  /** Number of the values. Those of several attributes with one name count each. */
  readonly count: number;
}

/**
 * Makes the function that reads the body of operation 1: `contextResponses` of NGSI-10, or a notification of NGSIv2 or
 * NGSI-LD. It throws one `Refusal('bad-request')` that names every problem of the body.
 */
export function factsReader(settings: FactsSettings): (body: unknown) => Facts {
  const { valuesOf, factsOf, nothingMeasured } = elementValues(settings);
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
  const { any } = settings.metrics;
  return {
    /** Returns the values of an element, and adds its faults to `problems`. Returns undefined if it measures nothing. */
    valuesOf: ({ readings }: Element, problems: Problems) => measuredIn(readings, attributeOf, problems),
    /**
     * Returns the facts in elements of one server. Throws `Refusal('too-large')` for more than `METRICS_LIMIT` metrics, which
     * only `METRICS=*` allows.
     */
    factsOf: (measured: readonly MeasuredElement[], source: string | undefined): Facts => {
      if (any) refuseTooManyMetrics(measured);
      return joined(measured, source);
    },
    /** Returns the refusal of a body in which no element measures anything. */
    nothingMeasured: () =>
      new Refusal(
        'bad-request',
        `body: no element measures anything: at least one attribute of ${names} is needed`,
      ),
  };
}

/**
 * Maximum number of metrics of a server in one request. The service takes all elements of a server in one turn of the event loop,
 * and V8 takes long for names that it has not seen.
 */
const METRICS_LIMIT = 1_000;

function refuseTooManyMetrics(measured: readonly MeasuredElement[]): void {
  if (measured.reduce((sum, { count }) => sum + count, 0) <= METRICS_LIMIT) return;
  const names = new Set<Metric>();
  for (const { measures } of measured) for (const metric of Object.keys(measures)) names.add(metric);
  if (names.size <= METRICS_LIMIT) return;
  throw new Refusal(
    'too-large',
    `body: the elements have ${names.size} metrics together; send at most ${METRICS_LIMIT} metrics of a server in one request`,
  );
}

function joined(measured: readonly MeasuredElement[], source: string | undefined): Facts {
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
  let count = 0;
  for (const { path, name, value, time } of readings) {
    const attribute = attributeOf(name);
    if (attribute === undefined) continue;
    const given = attribute.read(value);
    if (given === undefined) {
      if (attribute.allowed !== undefined) problems.add(path, `${name} must be ${attribute.allowed}`);
      continue;
    }
    (measures ??= {})[attribute.metric] = given;
    count += 1;
    if (time !== undefined) (times ??= {})[attribute.metric] = time;
  }
  return measures === undefined ? undefined : { measures, times, count };
}

/** One element of a body. */
export interface Element {
  /** Path of the entity in the body. */
  readonly path: string;
  /** The entity's `id`, unchecked. */
  readonly id: unknown;
  readonly readings: readonly Reading[];
  /** True for an entity without attributes: with it, a broker reports that they were deleted. */
  readonly isEmpty: boolean;
}

/** The elements of a body, in one form for all formats of brokers. */
export interface ElementList {
  /** Number of elements, at least one. */
  readonly length: number;
  /** Id of the broker subscription that sent the body; undefined if the body names none. */
  readonly source: string | undefined;
  /**
   * Reads the element at an index, and adds its faults to `problems`. Returns undefined for an element that cannot be read,
   * and for one whose status code reports a failed query of the broker.
   */
  readonly read: (index: number, problems: Problems) => Element | undefined;
  /** Returns the `id` of the element at an index as it was sent. */
  readonly idAt: (index: number) => unknown;
}

const SUCCESS = /^2\d\d$/;

/** Returns the elements of a body. Throws `Refusal('bad-request')` for a body without a list of them. */
export function elementsOf(body: unknown): ElementList {
  if (!isObject(body)) {
    throw badBody('body', 'must be a JSON object with contextResponses (NGSI-10) or data (NGSIv2, NGSI-LD)');
  }
  const responses = fieldOf(body, 'contextResponses');
  const data = fieldOf(body, 'data');
  const name = responses === undefined && data !== undefined ? 'data' : 'contextResponses';
  const list = name === 'data' ? data : responses;
  if (!Array.isArray(list) || list.length === 0) throw badBody(name, 'must be a non-empty array');
  const read = name === 'data' ? readEntityAt : readResponse;
  const toEntity = name === 'data' ? [] : ['contextElement'];
  const source = fieldOf(body, 'subscriptionId');
  return {
    length: list.length,
    source: typeof source === 'string' ? publicSubscriptionId(source) : undefined,
    read: (index, problems) => read(list[index], `${name}[${index}]`, problems),
    idAt: (index) => fieldOf(list[index], ...toEntity, 'id'),
  };
}

function badBody(path: string, what: string): Refusal {
  return new Refusal('bad-request', `${path}: ${what}`);
}

/**
 * Reads an element of NGSI-10 (policy §2, Facts payload). Returns undefined if the element has a fault, or if its status
 * code reports a failed query of the broker.
 */
function readResponse(response: unknown, path: string, problems: Problems): Element | undefined {
  if (!isObject(response)) {
    problems.add(path, 'must be an object with contextElement and statusCode');
    return undefined;
  }
  const succeeded = readStatus(fieldOf(response, 'statusCode'), path, problems);
  if (!succeeded) return undefined;
  const element = fieldOf(response, 'contextElement');
  if (!isObject(element)) {
    problems.add(`${path}.contextElement`, 'must be an object');
    return undefined;
  }
  const isPattern = fieldOf(element, 'isPattern');
  if (isPattern !== undefined && isPattern !== 'false' && isPattern !== false) {
    problems.add(`${path}.contextElement.isPattern`, 'must be "false": measurements are of one server');
  }
  const attributes = fieldOf(element, 'attributes');
  if (!Array.isArray(attributes)) {
    problems.add(`${path}.contextElement.attributes`, 'must be an array of {name, value, type}');
    return undefined;
  }
  const readings: Reading[] = [];
  for (let i = 0; i < attributes.length; i += 1) {
    const attribute: unknown = attributes[i];
    const name = isObject(attribute) ? fieldOf(attribute, 'name') : undefined;
    if (typeof name !== 'string')
      problems.add(attributePath(path, i), 'must be an object with a name (string)');
    else
      readings.push({
        path: () => `${attributePath(path, i)}.value`,
        name,
        value: fieldOf(attribute, 'value'),
      });
  }
  return { path: `${path}.contextElement`, id: fieldOf(element, 'id'), readings, isEmpty: false };
}

function attributePath(path: string, index: number): string {
  return `${path}.contextElement.attributes[${index}]`;
}

/** True if the element, whose path is `path`, has no status or a status code of 2xx. */
function readStatus(status: unknown, path: string, problems: Problems): boolean {
  if (status === undefined) return true;
  const code = isObject(status) ? fieldOf(status, 'code') : undefined;
  if (typeof code !== 'string' && !Number.isInteger(code)) {
    problems.add(`${path}.statusCode`, 'must be an object with code (string), such as "200"');
    return false;
  }
  return SUCCESS.test(String(code));
}

/** Reads an entity of `data`. Returns undefined if it is not an entity. */
function readEntityAt(entity: unknown, path: string, problems: Problems): Element | undefined {
  if (isObject(entity)) {
    const readings = readEntity(entity, path);
    return { path, id: fieldOf(entity, 'id'), readings, isEmpty: readings.length === 0 };
  }
  problems.add(path, 'must be an entity: an object with id, type and attributes');
  return undefined;
}
