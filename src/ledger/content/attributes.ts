import { type AttributeType, GEO_PROPERTY, isAttribute, typeOf } from './attribute-types.js';
import { type Faults, type Place, below } from './faults.js';
import { A_NAME, isName } from './uri.js';

/** The value, of any type, by which an update deletes an attribute (NGSI-LD Null). */
const NGSI_LD_NULL = 'urn:ngsi-ld:null';

/** Keywords of JSON-LD: members that are not attributes and are not checked. */
const KEYWORD = /^@[A-Za-z]+$/;

/** Attributes of an entity that must be a GeoProperty (ledger §2, Entity). */
const PLACES = new Set(['location', 'observationSpace', 'operationSpace']);

/** Date and time in the extended format of ISO 8601; seconds, their fraction and the offset may be left out. */
const DATE_TIME =
  /^(?<year>\d{4})-(?<month>0[1-9]|1[0-2])-(?<day>\d\d)T(?:[01]\d|2[0-3]):(?:[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?|59:60(?:[.,]\d+)?)(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/;

const A_DATE_TIME = 'must be a date and time of ISO 8601, as in 2024-05-31T12:30:00Z';

const checkText = (value: unknown, place: Place, faults: Faults) => {
  if (typeof value !== 'string') faults.add(place, 'must be a string');
};
const checkTime = (value: unknown, place: Place, faults: Faults) => {
  if (!isDateTime(value)) faults.add(place, A_DATE_TIME);
};

/** Members of an attribute that are not attributes themselves, besides its type and value (ledger §2, Property). */
const OWN_MEMBERS: ReadonlyMap<string, AttributeType['check']> = new Map([
  ['createdAt', checkTime],
  ['modifiedAt', checkTime],
  ['observedAt', checkTime],
  ['unitCode', checkText],
  ['datasetId', checkText],
]);

/** Adds the faults of a member of an entity other than its id and type. */
export function checkEntityMember(name: string, value: unknown, faults: Faults, entity: Place): void {
  const place = below(entity, name);
  if (name === 'createdAt' || name === 'modifiedAt') checkTime(value, place, faults);
  else if (name === 'observedAt' && typeof value === 'string') checkTime(value, place, faults);
  else checkNamed(name, value, place, faults, PLACES.has(name));
}

/** Checks a named member: an attribute, an array of attributes, or a bare value, which may be any JSON but null. */
function checkNamed(name: string, value: unknown, place: Place, faults: Faults, isPlace: boolean): void {
  if (KEYWORD.test(name)) return;
  if (!isName(name)) faults.add(place, `its name ${A_NAME}`);
  if (value === null) faults.add(place, 'must not be null');
  else if (isAttribute(value)) checkAttribute(value, place, faults, isPlace);
  else if (Array.isArray(value)) {
    value.forEach((one, i) => {
      if (isAttribute(one)) checkAttribute(one, below(place, i), faults, isPlace);
    });
  }
}

function checkAttribute(
  attribute: Readonly<Record<string, unknown>>,
  place: Place,
  faults: Faults,
  isPlace: boolean,
): void {
  const type = isPlace ? placeTypeOf(attribute, place, faults) : typeOf(attribute, place, faults);
  if (type !== undefined) checkValue(type, attribute, place, faults);
  for (const [name, value] of Object.entries(attribute)) {
    if (name === 'type' || name === type?.member) continue;
    const check = OWN_MEMBERS.get(name);
    if (check === undefined) checkNamed(name, value, below(place, name), faults, false);
    else check(value, below(place, name), faults);
  }
}

/** As `typeOf`, for a GeoProperty: without a type, a member `value` counts as a geometry. */
function placeTypeOf(
  attribute: Readonly<Record<string, unknown>>,
  place: Place,
  faults: Faults,
): AttributeType | undefined {
  const type = typeOf(attribute, place, faults);
  if (type === undefined || type === GEO_PROPERTY) return type;
  if (type.member === GEO_PROPERTY.member && !Object.hasOwn(attribute, 'type')) return GEO_PROPERTY;
  faults.add(place, `must be a ${GEO_PROPERTY.name}`);
  return undefined;
}

function checkValue(
  { name, member, check }: AttributeType,
  attribute: Readonly<Record<string, unknown>>,
  attributePlace: Place,
  faults: Faults,
): void {
  const place = below(attributePlace, member);
  const value = Object.hasOwn(attribute, member) ? attribute[member] : undefined;
  if (value === undefined) faults.add(place, `is required in a ${name}`);
  else if (value === null) faults.add(place, 'must not be null');
  else if (value !== NGSI_LD_NULL) check(value, place, faults);
}

/** True for a date-time of ISO 8601 whose day exists. */
export function isDateTime(value: unknown): value is string {
  const { year, month, day } = (typeof value === 'string' && DATE_TIME.exec(value)?.groups) || {};
  return day !== undefined && Number(day) >= 1 && Number(day) <= daysOf(Number(year), Number(month));
}

function daysOf(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 2) return isLeap ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
