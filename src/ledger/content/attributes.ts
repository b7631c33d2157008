import { fieldOf, isObject } from '../../untrusted/json.js';
import { type Faults, type Place, below } from './faults.js';
import { checkGeometry, looksLikeGeometry } from './geometry.js';
import { A_URI, isUri, A_NAME, isName, oneOrSeveral } from './uri.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** A type of attributes of NGSI-LD 1.9 (ledger, "Validation"). */
interface AttributeType {
  readonly name: string;
  /** The member that holds the attribute's value. */
  readonly member: string;
  /** Adds the faults of that member, which is present and not null. */
  readonly check: (value: unknown, place: Place, faults: Faults) => void;
}

const anything = () => undefined;

/** Returns a check that adds `what` unless the value is fit. */
function must(what: string, isFit: (value: unknown) => boolean): AttributeType['check'] {
  return (value, place, faults) => {
    if (!isFit(value)) faults.add(place, what);
  };
}

const URIS = `${A_URI}, or a non-empty array of such`;
const isUriOrUris = oneOrSeveral(isUri);

const TERMS = 'must be a string or a non-empty array of strings';
const isText = (value: unknown) => typeof value === 'string';
const isTermOrTerms = oneOrSeveral(isText);

const LANGUAGE = /^(?:@none|[A-Za-z]{1,8}(?:-[\dA-Za-z]{1,8})*)$/;
const isLanguageMap = (value: unknown) =>
  isObject(value) &&
  Object.entries(value).every(([language, text]) => LANGUAGE.test(language) && isTermOrTerms(text));

/** Both forms that brokers send: objects with the member `object`, or URIs. */
const isListOfObjects = (value: unknown) =>
  Array.isArray(value) && value.every((one) => isUriOrUris(isObject(one) ? fieldOf(one, 'object') : one));

/** An attribute whose value is a geometry. */
const GEO_PROPERTY: AttributeType = { name: 'GeoProperty', member: 'value', check: checkGeometry };

const types: readonly AttributeType[] = [
  { name: 'Property', member: 'value', check: anything },
  GEO_PROPERTY,
  { name: 'Relationship', member: 'object', check: must(URIS, isUriOrUris) },
  {
    name: 'LanguageProperty',
    member: 'languageMap',
    check: must(
      'must be an object of language tags, each with a string or an array of strings',
      isLanguageMap,
    ),
  },
  { name: 'VocabProperty', member: 'vocab', check: must(TERMS, isTermOrTerms) },
  { name: 'JsonProperty', member: 'json', check: anything },
  { name: 'ListProperty', member: 'valueList', check: must('must be an array', Array.isArray) },
  {
    name: 'ListRelationship',
    member: 'objectList',
    check: must('must be an array of URIs, or of objects with a URI as object', isListOfObjects),
  },
];

const byName: ReadonlyMap<unknown, AttributeType> = new Map(types.map((type) => [type.name, type]));
const byMember: ReadonlyMap<string, AttributeType> = new Map(
  types.filter((type) => type !== GEO_PROPERTY).map((type) => [type.member, type]),
);

/** True for an object with the shape of an attribute, valid or not. Any other value is the bare value of an attribute. */
function isAttribute(value: unknown): value is JsonObject {
  return isObject(value) && (byName.has(fieldOf(value, 'type')) || valueMembersOf(value).length > 0);
}

/**
 * Returns the type of an attribute: the one it names, else the one of its members. Adds a fault and returns undefined for
 * an unknown type, and for members of several types.
 */
function typeOf(attribute: JsonObject, place: Place, faults: Faults): AttributeType | undefined {
  if (Object.hasOwn(attribute, 'type')) {
    const type = byName.get(attribute['type']);
    if (type === undefined) addUnknownType(attribute, below(place, 'type'), faults);
    return type;
  }
  const [member = '', ...others] = valueMembersOf(attribute);
  if (others.length > 0) {
    faults.add(place, `must have a type, or only one of ${[member, ...others].join(', ')}`);
    return undefined;
  }
  return member === 'value' && looksLikeGeometry(attribute['value']) ? GEO_PROPERTY : byMember.get(member);
}

/** Types that NGSIv2 recommends, in the attributes of who takes the ledger for an NGSIv2 broker. */
const NGSIV2 =
  /^(?:Text|TextUnrestricted|Number|Integer|Float|Boolean|DateTime|ISO8601|StructuredValue|None|geo:\w+)$/;

function addUnknownType(attribute: JsonObject, place: Place, faults: Faults): void {
  const { type } = attribute;
  if (typeof type === 'string' && NGSIV2.test(type) && Object.hasOwn(attribute, 'value')) {
    const wanted = type.startsWith('geo:') ? GEO_PROPERTY.name : 'Property';
    const explanation = ': this looks like NGSIv2, whose types of attributes NGSI-LD does not have';
    faults.addExplained(place, `must be ${wanted}`, explanation);
  } else {
    faults.addExplained(place, 'must be a type of attributes', `: ${[...byName.keys()].join(', ')}`);
  }
}

function valueMembersOf(attribute: JsonObject): readonly string[] {
  return [...byMember.keys()].filter((member) => Object.hasOwn(attribute, member));
}

/** The value, of any type, by which an update deletes an attribute (NGSI-LD Null). */
const NGSI_LD_NULL = 'urn:ngsi-ld:null';

/** Keywords of JSON-LD: members that are not attributes and are not checked. */
const KEYWORD = /^@[A-Za-z]+$/;

/** Attributes of an entity that must be a GeoProperty (ledger §2, Entity). */
const PLACES = new Set(['location', 'observationSpace', 'operationSpace']);

/** Date and time in the extended format of ISO 8601; seconds, their fraction and the offset may be left out. */
const DATE_TIME =
  /^(?<date>\d{4}-(?:0[1-9]|1[0-2])-(?<day>\d\d))T(?:[01]\d|2[0-3]):(?:[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?|59:60(?:[.,]\d+)?)(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/;

const checkText = must('must be a string', isText);
const checkTime = must('must be a date and time of ISO 8601, as in 2024-05-31T12:30:00Z', isDateTime);

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

function checkAttribute(attribute: JsonObject, place: Place, faults: Faults, isPlace: boolean): void {
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
function placeTypeOf(attribute: JsonObject, place: Place, faults: Faults): AttributeType | undefined {
  const type = typeOf(attribute, place, faults);
  if (type === undefined || type === GEO_PROPERTY) return type;
  if (type.member === GEO_PROPERTY.member && !Object.hasOwn(attribute, 'type')) return GEO_PROPERTY;
  faults.add(place, `must be a ${GEO_PROPERTY.name}`);
  return undefined;
}

function checkValue(type: AttributeType, attribute: JsonObject, up: Place, faults: Faults): void {
  const { name, member, check } = type;
  const place = below(up, member);
  const value = Object.hasOwn(attribute, member) ? attribute[member] : undefined;
  if (value === undefined) faults.add(place, `is required in a ${name}`);
  else if (value === null) faults.add(place, 'must not be null');
  else if (value !== NGSI_LD_NULL) check(value, place, faults);
}

/** True for a date-time of ISO 8601 whose day exists. */
export function isDateTime(value: unknown): value is string {
  const { date, day } = (typeof value === 'string' && DATE_TIME.exec(value)?.groups) || {};
  // A date takes February 30 for March 2.
  return date !== undefined && new Date(date).getUTCDate() === Number(day);
}
