import { fieldOf, isObject } from '../../untrusted/json.js';
import { type Faults, type Place, below } from './faults.js';
import { checkGeometry, looksLikeGeometry } from './geometry.js';
import { A_URI, isUri } from './uri.js';

/** A type of attributes of NGSI-LD 1.9 (ledger, "Validation"). */
export interface AttributeType {
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
const isUriOrUris = (value: unknown) =>
  Array.isArray(value) ? value.length > 0 && value.every(isUri) : isUri(value);

const TERMS = 'must be a string or a non-empty array of strings';
const isTermOrTerms = (value: unknown) =>
  Array.isArray(value) ? value.length > 0 && value.every(isText) : isText(value);

const isText = (value: unknown) => typeof value === 'string';

const LANGUAGE = /^(?:@none|[A-Za-z]{1,8}(?:-[\dA-Za-z]{1,8})*)$/;
const isLanguageMap = (value: unknown) =>
  isObject(value) &&
  Object.entries(value).every(([language, text]) => LANGUAGE.test(language) && isTermOrTerms(text));

/** Both forms that brokers send: objects with the member `object`, or URIs. */
const isListOfObjects = (value: unknown) =>
  Array.isArray(value) && value.every((one) => isUriOrUris(isObject(one) ? fieldOf(one, 'object') : one));

/** An attribute whose value is a geometry. */
export const GEO_PROPERTY: AttributeType = { name: 'GeoProperty', member: 'value', check: checkGeometry };

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
export function isAttribute(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && (byName.has(fieldOf(value, 'type')) || valueMembersOf(value).length > 0);
}

/**
 * Returns the type of an attribute: the one it names, else the one of its members. Adds a fault and returns undefined for
 * an unknown type, and for members of several types.
 */
export function typeOf(
  attribute: Readonly<Record<string, unknown>>,
  place: Place,
  faults: Faults,
): AttributeType | undefined {
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

function addUnknownType(attribute: Readonly<Record<string, unknown>>, place: Place, faults: Faults): void {
  const { type } = attribute;
  if (typeof type === 'string' && NGSIV2.test(type) && Object.hasOwn(attribute, 'value')) {
    const wanted = type.startsWith('geo:') ? GEO_PROPERTY.name : 'Property';
    const explanation = ': this looks like NGSIv2, whose types of attributes NGSI-LD does not have';
    faults.addExplained(place, `must be ${wanted}`, explanation);
  } else {
    faults.addExplained(place, 'must be a type of attributes', `: ${[...byName.keys()].join(', ')}`);
  }
}

function valueMembersOf(attribute: Readonly<Record<string, unknown>>): readonly string[] {
  return [...byMember.keys()].filter((member) => Object.hasOwn(attribute, member));
}
