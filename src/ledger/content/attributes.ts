import { type AttributeType, GEO_PROPERTY, isAttribute, typeOf } from './attribute-types.js';
import { A_DATE_TIME, isDateTime } from './date-time.js';
import { type Faults, type Place, below } from './faults.js';
import { A_NAME, isName } from './uri.js';

/** What NGSI-LD writes where an update deletes an attribute: it stands for a value of any type. */
const NGSI_LD_NULL = 'urn:ngsi-ld:null';

/** The keywords of JSON-LD: no names of attributes, and passed as they are. */
const KEYWORD = /^@[A-Za-z]+$/;

/** Attributes of an entity that are places (ledger §2, Entity). */
const PLACES = new Set(['location', 'observationSpace', 'operationSpace']);

const checkText = (value: unknown, place: Place, faults: Faults) => {
  if (typeof value !== 'string') faults.add(place, 'must be a string');
};
const checkTime = (value: unknown, place: Place, faults: Faults) => {
  if (!isDateTime(value)) faults.add(place, A_DATE_TIME);
};

/** Members of an attribute that are no attributes of it (ledger §2, Property), but its type and its value. */
const OWN_MEMBERS: ReadonlyMap<string, AttributeType['check']> = new Map([
  ['createdAt', checkTime],
  ['modifiedAt', checkTime],
  ['observedAt', checkTime],
  ['unitCode', checkText],
  ['datasetId', checkText],
]);

/** Adds what is wrong with a member of an entity that is neither its id nor its type. */
export function checkEntityMember(name: string, value: unknown, faults: Faults, entity: Place): void {
  const place = below(entity, name);
  if (name === 'createdAt' || name === 'modifiedAt') checkTime(value, place, faults);
  else if (name === 'observedAt' && typeof value === 'string') checkTime(value, place, faults);
  else checkNamed(name, value, place, faults, PLACES.has(name));
}

/** An attribute by its name and value: one, several beside each other, or a bare value, which may be anything. */
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

/** Where a place does not say its type, a value of any kind is meant as a geometry. */
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
