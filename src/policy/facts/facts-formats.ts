import { publicSubscriptionId } from '../../broker/subscription-id.js';
import type { Problems } from '../../errors.js';
import { fieldOf, isObject } from '../../untrusted/json.js';

/** An attribute as an element carries it. */
export interface Reading {
  /** Where it stands in the body. */
  readonly path: string;
  readonly name: string;
  readonly value: unknown;
}

/** The elements of a body, each a list of readings, whatever the broker's format. */
export interface Elements {
  readonly elements: readonly (readonly Reading[])[];
  readonly source: string | undefined;
}

const SUCCESS = /^2\d\d$/;

/** Reads the elements of a body; what does not fit is added to the problems. */
export function readElements(body: unknown, problems: Problems): Elements {
  const nothing = { elements: [], source: undefined };
  if (!isObject(body)) {
    problems.add('body', 'must be a JSON object with contextResponses (NGSI-10) or data (NGSIv2, NGSI-LD)');
    return nothing;
  }
  const responses = fieldOf(body, 'contextResponses');
  const data = fieldOf(body, 'data');
  const name = responses === undefined && data !== undefined ? 'data' : 'contextResponses';
  const list = name === 'data' ? data : responses;
  if (!Array.isArray(list) || list.length === 0) {
    problems.add(name, 'must be a non-empty array');
    return nothing;
  }
  const read = name === 'data' ? readEntity : readResponse;
  const elements: (readonly Reading[])[] = [];
  for (let i = 0; i < list.length; i += 1) {
    const element = read(list[i], `${name}[${i}]`, problems);
    if (element !== undefined) elements.push(element);
  }
  const source = fieldOf(body, 'subscriptionId');
  return { elements, source: typeof source === 'string' ? publicSubscriptionId(source) : undefined };
}

/** An element of NGSI-10 (policy §2, Facts payload); undefined for one that reports a failure of the broker's query. */
function readResponse(response: unknown, path: string, problems: Problems): readonly Reading[] | undefined {
  if (!isObject(response)) {
    problems.add(path, 'must be an object with contextElement and statusCode');
    return undefined;
  }
  const succeeded = readStatus(fieldOf(response, 'statusCode'), `${path}.statusCode`, problems);
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
    const where = `${path}.contextElement.attributes[${i}]`;
    const name = isObject(attribute) ? fieldOf(attribute, 'name') : undefined;
    if (typeof name !== 'string') problems.add(where, 'must be an object with a name (string)');
    else
      readings.push({
        path: `${where}.value`,
        name,
        value: fieldOf(attribute, 'value'),
      });
  }
  return readings;
}

function readStatus(status: unknown, path: string, problems: Problems): boolean {
  if (status === undefined) return true;
  const code = isObject(status) ? fieldOf(status, 'code') : undefined;
  if (typeof code !== 'string' && !Number.isInteger(code)) {
    problems.add(path, 'must be an object with code (string), such as "200"');
    return false;
  }
  return SUCCESS.test(String(code));
}

/** An entity of a notification of NGSIv2 (normalized or key-values) or NGSI-LD (normalized, concise or key-values). */
function readEntity(entity: unknown, path: string, problems: Problems): readonly Reading[] | undefined {
  if (!isObject(entity)) {
    problems.add(path, 'must be an entity: an object with id, type and attributes');
    return undefined;
  }
  return Object.keys(entity).map((name) => {
    const attribute = entity[name];
    return isObject(attribute)
      ? { path: `${path}.${name}.value`, name, value: fieldOf(attribute, 'value') }
      : { path: `${path}.${name}`, name, value: attribute };
  });
}
