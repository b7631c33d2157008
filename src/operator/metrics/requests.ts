import type { Registry } from 'prom-client';
import type { Observe } from '../../http/request-log.js';
import { type Durations, durations } from './durations.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Creates the histogram of answered requests. The result records one answer. */
export function requestMetrics(registry: Registry): Observe {
  const durationsOf = durations<'method' | 'route' | 'status'>(
    registry,
    {
      name: 'mirzam_http_request_seconds',
      help: 'Time to answer a request, by the pattern of its route',
    },
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
  );
  const byRoute = new Map<string, Map<string, Map<number, Durations>>>();

  return (method, status, seconds, route = 'none') => {
    const known = METHODS.has(method) ? method : 'other';
    const byMethod = at(byRoute, route, () => new Map<string, Map<number, Durations>>());
    const byStatus = at(byMethod, known, () => new Map<number, Durations>());
    at(byStatus, status, () => durationsOf({ method: known, route, status: String(status) })).observe(
      seconds,
    );
  };
}

/** Returns the value of a key. Adds it if it is missing. */
function at<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
