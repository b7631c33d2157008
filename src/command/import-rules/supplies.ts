import { isMetricName } from '../../config/metrics.js';

/** A metric that Prometheus has to send. */
export interface Supply {
  readonly metric: string;
  /** The name of the series in Prometheus. */
  readonly series: string;
  /** The expression of its recording rule; undefined if Prometheus has the series without one. */
  readonly expr: string | undefined;
}

/** Beginning of the names of recorded series. The configuration in docs/sources.md removes it when they are sent. */
const PREFIX = 'mirzam:';

const LONGEST = 64;

/** The metrics of a file. Equal expressions have one metric. */
export class Supplies {
  readonly #byMetric: Map<string, Supply>;

  /** `others`: the supplies to begin with. */
  constructor(others: readonly Supply[] = []) {
    this.#byMetric = new Map(others.map((one) => [one.metric, one]));
  }

  /** All of them, in the order in which they were needed. */
  get all(): readonly Supply[] {
    return [...this.#byMetric.values()];
  }

  /** Returns the supply of a series that Prometheus has; undefined if its name cannot be the name of a metric. */
  sent(series: string): Supply | undefined {
    const metric = series.replaceAll(':', '_');
    return isMetricName(metric) ? this.#take({ metric, series, expr: undefined }) : undefined;
  }

  /** Returns the supply of an expression under this name; undefined if another supply has it. */
  named(metric: string, expr: string): Supply | undefined {
    return this.#take({ metric, series: `${PREFIX}${metric}`, expr });
  }

  /** Returns the supply of an expression, under a name made of that of an alert. */
  recorded(alert: string, expr: string): Supply {
    const there = this.all.find((one) => one.expr === expr);
    if (there !== undefined) return there;
    const name = metricNameOf(alert);
    for (let i = 1; ; i += 1) {
      const end = i === 1 ? '' : `_${i}`;
      const taken = this.named(`${name.slice(0, LONGEST - end.length)}${end}`, expr);
      if (taken !== undefined) return taken;
    }
  }

  #take(supply: Supply): Supply | undefined {
    const there = this.#byMetric.get(supply.metric);
    if (there !== undefined)
      return there.expr === supply.expr && there.series === supply.series ? there : undefined;
    this.#byMetric.set(supply.metric, supply);
    return supply;
  }
}

/** Returns `host_out_of_memory` for `HostOutOfMemory`. */
function metricNameOf(alert: string): string {
  const words = alert
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toLowerCase();
  return isMetricName(words) ? words : `alert_${words}`;
}
