import { jsonOf } from '../../untrusted/json.js';
import { type Faults, below } from './faults.js';
import { A_PATTERN, isPattern } from './id-pattern.js';
import { QUERY_GEOMETRIES, checkCoordinates } from './geometry.js';
import { A_NAME, A_URI, isName, isUri } from './uri.js';

/** The parameters of a request, decoded; a repeated one has several values. */
export type QueryParameters = ReadonlyMap<string, readonly string[]>;

/** The entity that a query is recorded for without Related-Entity (ledger, "What is hashed"). */
export const DEFAULT_REQUESTOR = 'urn:ngsi-ld:requestor:default';

/** Checks the text of a parameter: undefined if it is valid, else the rule that it breaks. */
type Check = (text: string) => string | undefined;

/** The largest `limit` (ledger §8). */
export const LIMIT_MAX = 100;

/** The values of `options` of L2 and L4. */
export const OPTIONS = ['keyValues', 'sysAttrs'] as const;

const INTEGERS: ReadonlySet<string> = new Set(['limit', 'offset']);

const notEmpty: Check = (text) => (text === '' ? 'must not be empty' : undefined);
const oneOf =
  (...words: readonly string[]): Check =>
  (text) =>
    words.includes(text) ? undefined : `must be one of ${words.join(', ')}`;
const integer =
  (least: number, most: number): Check =>
  (text) =>
    /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most
      ? undefined
      : `must be an integer from ${least} to ${most}`;
const listOf =
  (what: string, isFit: (text: string) => boolean): Check =>
  (text) =>
    text.split(',').every(isFit) ? undefined : `each of its elements, separated by commas, ${what}`;

const name: Check = (text) => (isName(text) ? undefined : A_NAME);
const names = listOf(A_NAME, isName);
const options = oneOf(...OPTIONS);

const pattern: Check = (text) => (isPattern(text) ? undefined : A_PATTERN);

const GEOREL =
  /^(?:near;(?:max|min)Distance==\d+(?:\.\d+)?|within|contains|intersects|equals|disjoint|overlaps)$/;
const georel: Check = (text) =>
  GEOREL.test(text)
    ? undefined
    : 'must be near;maxDistance==<metres>, near;minDistance==<metres>, within, contains, intersects, equals, disjoint or overlaps';

/** The parameters of L2 (ledger §4, query entities). */
const QUERY: ReadonlyMap<string, Check> = new Map([
  ['id', listOf(A_URI, isUri)],
  ['idPattern', pattern],
  ['type', names],
  ['attrs', names],
  ['q', notEmpty],
  ['georel', georel],
  ['geometry', oneOf(...QUERY_GEOMETRIES)],
  ['coordinates', notEmpty],
  ['geoproperty', name],
  ['csf', notEmpty],
  ['limit', integer(1, LIMIT_MAX)],
  ['offset', integer(0, Number.MAX_SAFE_INTEGER)],
  ['options', options],
]);

/** The parameters of L4 (ledger §4, retrieve entity). */
const RETRIEVE: ReadonlyMap<string, Check> = new Map([
  ['attrs', names],
  ['type', name],
  ['options', options],
]);

/** The query object, which is hashed. */
export type Query = Record<string, string | number>;

/** Returns the parameters of L2: texts, `limit` and `offset` as integers. Adds their faults. */
export function readQuery(given: QueryParameters, faults: Faults): Query {
  const query = read(given, QUERY, faults);
  checkGeoQuery(given, query, faults);
  return query;
}

/** As `readQuery`, for the parameters of L4. */
export function readRetrieval(given: QueryParameters, faults: Faults): Query {
  return read(given, RETRIEVE, faults);
}

function read(given: QueryParameters, known: ReadonlyMap<string, Check>, faults: Faults): Query {
  const query: Query = {};
  for (const [name, [text = '', ...more]] of given) {
    const check = known.get(name);
    const fault =
      check === undefined
        ? `is no parameter here; there are ${[...known.keys()].join(', ')}`
        : more.length > 0
          ? 'must be given once'
          : check(text);
    if (fault === undefined) query[name] = INTEGERS.has(name) ? Number(text) : text;
    else faults.add(below(undefined, name), fault);
  }
  return query;
}

const GEO_QUERY = ['georel', 'geometry', 'coordinates'] as const;

function checkGeoQuery(given: QueryParameters, query: Query, faults: Faults): void {
  const missing = GEO_QUERY.filter((name) => !given.has(name));
  if (missing.length === GEO_QUERY.length) return;
  for (const name of missing) {
    faults.add(below(undefined, name), 'is required: georel, geometry and coordinates are given together');
  }
  const { geometry, coordinates } = query;
  if (geometry === undefined || coordinates === undefined) return;
  checkCoordinates(String(geometry), jsonOf(String(coordinates)), below(undefined, 'coordinates'), faults);
}
