import { publicSubscriptionId } from '../../broker/subscription-id.js';
import { type Problems, Refusal } from '../../errors.js';
import { fieldOf, isObject } from '../../untrusted/json.js';
import { readEntity, type Reading } from './entity-attributes.js';

/** One element of a body. */
export interface Element {
  /** Path of the entity in the body. */
  readonly path: string;
  /** The entity's `id`, unchecked. */
  readonly id: unknown;
  readonly readings: readonly Reading[];
  /** True for an entity without attributes: a broker tells of their deletion. */
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
