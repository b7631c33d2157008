import { Histogram, type Registry } from 'prom-client';

/** The answers of one method and status at one route. */
interface Times {
  readonly labels: Readonly<Record<'method' | 'route' | 'status', string | number>>;
  /** By bucket: how many took at most as long as its bound, and longer than the bound before. */
  readonly counts: number[];
  count: number;
  /** Seconds. */
  sum: number;
}

const NAME = 'mirzam_http_request_seconds';
const HELP = 'Time to answer a request, by the pattern of its route';
/** Upper bounds of the buckets, seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];

/**
 * The histogram of answered requests. It counts an answer without making an object and a text of its labels, which would take
 * a large part of a microsecond.
 */
export class RequestTimes extends Histogram {
  readonly #all: Times[] = [];
  /** By route, status and method. */
  readonly #byRoute = new Map<string, Map<number, Map<string, Times>>>();

  constructor(registry: Registry) {
    super({
      name: NAME,
      help: HELP,
      labelNames: ['method', 'route', 'status'],
      buckets: BOUNDS,
      registers: [registry],
    });
  }

  /** Counts an answer. */
  add(method: string, status: number, seconds: number, route: string): void {
    const times = this.#byRoute.get(route)?.get(status)?.get(method) ?? this.#first(method, status, route);
    times.count += 1;
    times.sum += seconds;
    for (let i = 0; i < BOUNDS.length; i += 1) {
      if (seconds > BOUNDS[i]!) continue;
      times.counts[i]! += 1;
      return;
    }
  }

  #first(method: string, status: number, route: string): Times {
    const times = { labels: { method, route, status }, counts: BOUNDS.map(() => 0), count: 0, sum: 0 };
    const ofRoute = this.#byRoute.get(route) ?? new Map<number, Map<string, Times>>();
    const ofStatus = ofRoute.get(status) ?? new Map<string, Times>();
    this.#all.push(times);
    this.#byRoute.set(route, ofRoute.set(status, ofStatus.set(method, times)));
    return times;
  }

  /** Returns all samples. prom-client calls it for each scrape, but its types do not name it. */
  async getForPromString() {
    const values = this.#all.flatMap(samplesOf);
    return { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values };
  }
}

function samplesOf({ labels, counts, count, sum }: Times) {
  const of = (part: string, value: number, bound: object = {}) => ({
    metricName: `${NAME}_${part}`,
    labels: bound,
    sharedLabels: labels,
    value,
  });
  let total = 0;
  const buckets = BOUNDS.map((le, i) => of('bucket', (total += counts[i]!), { le }));
  return [...buckets, of('bucket', count, { le: '+Inf' }), of('sum', sum), of('count', count)];
}
