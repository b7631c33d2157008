import type { Context } from 'koa';
import { isMetricName, type MetricSettings } from '../../config/metrics.js';
import { plain, wrongParameter } from '../../http/query.js';
import type { Metric } from '../rules/metrics.js';
import { metricRanges } from './condition-schema.js';

/** Makes the function that returns the query parameter `metric`. It throws a `Refusal` for what is not a metric here. */
export function metricOf(settings: MetricSettings) {
  const names = [...metricRanges(settings).keys()];
  const others = settings.any ? ', or the name of another metric' : '';
  return (ctx: Context): Metric => {
    const name = plain(ctx, 'metric');
    if (name !== undefined && (names.includes(name) || (settings.any && isMetricName(name)))) return name;
    throw wrongParameter('metric', `must be one of ${names.join(', ')}${others}`);
  };
}
