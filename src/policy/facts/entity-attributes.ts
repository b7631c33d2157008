import { ENTITY_MEMBERS } from '../../config/metrics.js';
import { fieldOf, isObject } from '../../untrusted/json.js';

/** One attribute of an element. */
export interface Reading {
  /** Returns the path of the value in the body. Only faults need it, and every fact has several readings. */
  readonly path: () => string;
  readonly name: string;
  readonly value: unknown;
  /** The time that came with the value, µs since the epoch; absent if none did. */
  readonly time?: number;
}

const NO_ATTRIBUTES: ReadonlySet<string> = new Set(ENTITY_MEMBERS);

/** Value of an attribute that NGSI-LD reports as deleted. */
const LD_NULL = 'urn:ngsi-ld:null';

/** A time of NGSI-LD: ISO 8601 with any number of digits for fractions of a second. */
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads the attributes of an entity in a notification: NGSIv2 (normalized, key-values) or NGSI-LD (normalized, concise,
 * key-values). An attribute that is null is absent. Of several instances of an attribute (NGSI-LD `datasetId`) the one
 * without a `datasetId` counts; without one, the attribute is absent.
 */
export function readEntity(entity: Readonly<Record<string, unknown>>, path: string): readonly Reading[] {
  const readings: Reading[] = [];
  for (const name of Object.keys(entity)) {
    if (NO_ATTRIBUTES.has(name)) continue;
    const reading = readAttribute(entity[name], () => `${path}.${name}`, name);
    if (reading !== undefined) readings.push(reading);
  }
  return readings;
}

function readAttribute(attribute: unknown, path: () => string, name: string): Reading | undefined {
  if (isNull(attribute)) return undefined;
  if (Array.isArray(attribute) && attribute.every(isInstance)) {
    const at = attribute.findIndex((instance) => !isNull(instance) && isDefault(instance));
    return at === -1 ? undefined : readInstance(attribute[at], () => `${path()}[${at}]`, name);
  }
  if (!isObject(attribute)) return { path, name, value: attribute };
  return isDefault(attribute) ? readInstance(attribute, path, name) : undefined;
}

/** Returns undefined for an instance whose value is null. */
function readInstance(instance: unknown, path: () => string, name: string): Reading | undefined {
  const value = fieldOf(instance, 'value');
  if (isNull(value)) return undefined;
  const reading = { path: () => `${path()}.value`, name, value };
  const time =
    microsecondsOf(fieldOf(instance, 'observedAt')) ?? microsecondsOf(fieldOf(instance, 'modifiedAt'));
  return time === undefined ? reading : { ...reading, time };
}

/** An instance that is null is absent. */
function isInstance(value: unknown): boolean {
  return isObject(value) || isNull(value);
}

function isDefault(instance: unknown): boolean {
  const datasetId = fieldOf(instance, 'datasetId');
  return datasetId === undefined || datasetId === null || datasetId === '@none';
}

/** True for null in each of its forms: of JSON, of NGSI-LD, and of JSON-LD with a type, as Scorpio sends it. */
function isNull(value: unknown): boolean {
  return value === null || value === LD_NULL || fieldOf(value, '@value') === null;
}

/** Returns a time in µs since the epoch, without its smaller fractions; undefined if it is not a time. */
export function microsecondsOf(text: unknown): number | undefined {
  const [, seconds, fraction = '', zone] = (typeof text === 'string' && TIME.exec(text)) || [];
  const ms = seconds === undefined ? Number.NaN : Date.parse(seconds + zone);
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}
