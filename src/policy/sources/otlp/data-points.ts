import { Refusal } from '../../../errors.js';
import { isObject } from '../../../untrusted/json.js';

/** A data point. */
export interface DataPoint {
  /** As the sender writes it, such as `system.cpu.utilization`. */
  readonly metric: string;
  /** What names the server; empty if nothing does. */
  readonly server: string;
  /** NaN if it has none that is a number, as those of histograms and summaries. */
  readonly value: number;
  /** ms since the epoch, with fractions; NaN if it has none. */
  readonly at: number;
  /** In which state of the machine the value was measured, such as `idle`; undefined if the point names none. */
  readonly state: string | undefined;
}

/** The attributes of a resource that name the server; the first that is there counts. */
const SERVER_ATTRIBUTES: readonly string[] = ['host.name', 'host.id', 'service.instance.id'];
/** The attributes of a data point that name the state, in the versions of the semantic conventions. */
const STATE_ATTRIBUTES: readonly string[] = [
  'state',
  'cpu.mode',
  'system.cpu.state',
  'system.memory.state',
  'system.filesystem.state',
];

/** The kinds of data with data points. */
const KINDS = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'];

/** The bit of a data point's `flags` that says that it has no value. */
const NO_RECORDED_VALUE = 1;

const INTEGER = /^-?\d{1,20}$/;
const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NANOSECONDS_IN_MS = 1e6;

/**
 * Reads the data points in an ExportMetricsServiceRequest, as JSON or as its protobuf was read. Data
 * points that say that they have no value are left out. Throws `Refusal('bad-request')` for a member of the wrong type.
 */
export function* dataPointsOf(request: unknown): Generator<DataPoint> {
  const body = object(request, 'body');
  for (const [resourceMetrics, path] of list(body, 'resourceMetrics', '')) {
    const resource = member(resourceMetrics, 'resource', path);
    const server = attributeOf(resource, SERVER_ATTRIBUTES, `${path}.resource`) ?? '';
    for (const [scopeMetrics, scope] of list(resourceMetrics, 'scopeMetrics', path)) {
      for (const [metric, where] of list(scopeMetrics, 'metrics', scope)) {
        const name = text(metric, 'name', where) ?? '';
        for (const kind of KINDS) {
          const data = member(metric, kind, where);
          for (const [point, at] of list(data, 'dataPoints', `${where}.${kind}`)) {
            const { flags } = point;
            if (typeof flags === 'number' && (flags & NO_RECORDED_VALUE) !== 0) continue;
            yield {
              metric: name,
              server,
              value: number(point, 'asDouble', at) ?? number(point, 'asInt', at) ?? Number.NaN,
              at: timeOf(point, at),
              state: attributeOf(point, STATE_ATTRIBUTES, at),
            };
          }
        }
      }
    }
  }
}

type Members = Readonly<Record<string, unknown>>;

const NOTHING: Members = {};

/** Returns a member; undefined if it is absent or null, which JSON of protobuf does not distinguish. */
function given(parent: Members, name: string): unknown {
  return Object.hasOwn(parent, name) ? (parent[name] ?? undefined) : undefined;
}

function object(value: unknown, path: string): Members {
  if (isObject(value)) return value;
  throw wrong(path, 'an object');
}

/** Returns a member that is an object; an empty one if it is absent. */
function member(parent: Members, name: string, path: string): Members {
  const value = given(parent, name);
  return value === undefined ? NOTHING : object(value, `${path}.${name}`);
}

/** Yields the objects of a list, with their paths. */
function* list(parent: Members, name: string, path: string): Generator<[Members, string]> {
  const value = given(parent, name);
  if (value === undefined) return;
  const where = path === '' ? name : `${path}.${name}`;
  if (!Array.isArray(value)) throw wrong(where, 'an array');
  for (let i = 0; i < value.length; i += 1) yield [object(value[i], `${where}[${i}]`), `${where}[${i}]`];
}

function text(parent: Members, name: string, path: string): string | undefined {
  const value = given(parent, name);
  if (value === undefined || typeof value === 'string') return value;
  throw wrong(`${path}.${name}`, 'a string');
}

/** Returns a number, which JSON may also write as a string: `NaN` and the infinities are strings there. */
function number(parent: Members, name: string, path: string): number | undefined {
  const value = given(parent, name);
  if (value === undefined || typeof value === 'number') return value;
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  if (typeof value === 'string' && DECIMAL.test(value)) return Number(value);
  throw wrong(`${path}.${name}`, 'a number, or a string with a decimal number');
}

function timeOf(point: Members, path: string): number {
  const value = given(point, 'timeUnixNano');
  const ns = typeof value === 'string' && INTEGER.test(value) ? Number(value) : value;
  if (ns === undefined || ns === 0) return Number.NaN;
  if (typeof ns === 'number' && ns > 0) return ns / NANOSECONDS_IN_MS;
  throw wrong(`${path}.timeUnixNano`, 'nanoseconds since 1970, as a number or as a string with an integer');
}

/** Returns the text of the first of some attributes that a resource or a data point has; undefined if it has none. */
function attributeOf(owner: Members, names: readonly string[], path: string): string | undefined {
  let best = names.length;
  let found: string | undefined;
  for (const [attribute, where] of list(owner, 'attributes', path)) {
    const place = names.indexOf(text(attribute, 'key', where) ?? '');
    if (place === -1 || place >= best) continue;
    const value = given(member(attribute, 'value', where), 'stringValue');
    if (typeof value !== 'string' || value === '') continue;
    best = place;
    found = value;
  }
  return found;
}

function wrong(path: string, what: string): Refusal {
  return new Refusal('bad-request', `${path}: must be ${what}`);
}
