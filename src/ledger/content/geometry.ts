import { fieldOf } from '../../untrusted/json.js';
import { type Faults, type Place, below } from './faults.js';

type Check = (value: unknown, place: Place, faults: Faults) => void;

/** Returns the check of an array: at least `least` elements, each checked by `element`. */
function several(least: number, what: string, element: Check): Check {
  return (value, place, faults) => {
    if (!Array.isArray(value) || value.length < least) {
      faults.add(place, `must be an array of ${least === 0 ? '' : `at least ${least} `}${what}`);
      return;
    }
    value.forEach((one, i) => element(one, below(place, i), faults));
  };
}

const position: Check = (value, place, faults) => {
  if (!Array.isArray(value) || value.length < 2 || !value.every(Number.isFinite)) {
    faults.add(place, 'must be a position: an array of two or more finite numbers');
  }
};

const fourPositions = several(4, 'positions', position);
const ring: Check = (value, place, faults) => {
  fourPositions(value, place, faults);
  if (Array.isArray(value) && value.length >= 4 && !isSame(value[0], value.at(-1))) {
    faults.add(place, 'must be a closed ring: its last position is its first one');
  }
};

function isSame(a: unknown, b: unknown): boolean {
  return (
    Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((value, i) => value === b[i])
  );
}

const line = several(2, 'positions', position);
const polygon = several(1, 'closed rings', ring);

/** The check of the coordinates, by type of geometry (RFC 7946, section 3.1). */
const coordinatesOf: ReadonlyMap<unknown, Check> = new Map([
  ['Point', position],
  ['MultiPoint', several(0, 'positions', position)],
  ['LineString', line],
  ['MultiLineString', several(0, 'lines', line)],
  ['Polygon', polygon],
  ['MultiPolygon', several(0, 'polygons', polygon)],
]);

/** The types of geometries in a query (ledger §4, query parameters). */
export const QUERY_GEOMETRIES = [...coordinatesOf.keys()].map(String);

const COLLECTION = 'GeometryCollection';
const A_GEOMETRY = `must be a GeoJSON geometry: an object whose type is one of ${[...QUERY_GEOMETRIES, COLLECTION].join(', ')}`;

/** Adds the faults of the coordinates of a geometry; `type` is one of `QUERY_GEOMETRIES`. */
export function checkCoordinates(type: string, coordinates: unknown, place: Place, faults: Faults): void {
  coordinatesOf.get(type)?.(coordinates, place, faults);
}

/** Adds the faults of a GeoJSON geometry (RFC 7946). Its other members are not checked. */
export function checkGeometry(value: unknown, place: Place, faults: Faults): void {
  const type = fieldOf(value, 'type');
  const coordinates = coordinatesOf.get(type);
  if (coordinates !== undefined) {
    coordinates(fieldOf(value, 'coordinates'), below(place, 'coordinates'), faults);
  } else if (type === COLLECTION) {
    several(0, 'geometries', checkGeometry)(fieldOf(value, 'geometries'), below(place, 'geometries'), faults);
  } else faults.add(place, A_GEOMETRY);
}

/** True for a value with the shape of a geometry, valid or not. */
export function looksLikeGeometry(value: unknown): boolean {
  const type = fieldOf(value, 'type');
  const content = type === COLLECTION ? 'geometries' : 'coordinates';
  return (type === COLLECTION || coordinatesOf.has(type)) && fieldOf(value, content) !== undefined;
}
