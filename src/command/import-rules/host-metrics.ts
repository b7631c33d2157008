import { constantOf, type Promql } from './promql.js';

/** A metric of the document that an expression is a linear function of: `expression = offset + factor * metric`. */
export interface HostMetric {
  readonly metric: 'cpu' | 'mem' | 'hdd';
  readonly factor: number;
  readonly offset: number;
  /** The expression of the recording rule that supplies the metric, in percent. */
  readonly expr: string;
}

/** `offset + factor * of`. */
interface Linear {
  readonly of: Promql;
  readonly factor: number;
  readonly offset: number;
}

/** Finds the CPU, the memory or the file system of node_exporter in an expression, in any unit, in use or free. */
export function hostMetricIn(part: Promql): HostMetric | undefined {
  const { of, factor, offset } = linear(part);
  const share = idleShare(of) ?? freeShare(of);
  if (share === undefined) return undefined;
  // What is free, of 1, is 1 - metric / 100.
  const { metric, expr, scale, used } = share;
  const sign = used ? 1 : -1;
  return {
    metric,
    factor: (sign * factor * scale) / 100,
    offset: offset + (used ? 0 : factor * scale),
    expr,
  };
}

function linear(part: Promql): Linear {
  if (part.is === 'negative') return scaled(linear(part.of), -1);
  if (part.is !== 'operation' || part.modifiers !== '') return { of: part, factor: 1, offset: 0 };
  const { operator, left, right } = part;
  const [a, b] = [constantOf(left), constantOf(right)];
  if (operator === '+' && a !== undefined) return moved(linear(right), a);
  if (operator === '+' && b !== undefined) return moved(linear(left), b);
  if (operator === '-' && a !== undefined) return moved(scaled(linear(right), -1), a);
  if (operator === '-' && b !== undefined) return moved(linear(left), -b);
  if (operator === '*' && a !== undefined) return scaled(linear(right), a);
  if (operator === '*' && b !== undefined) return scaled(linear(left), b);
  if (operator === '/' && b !== undefined) return scaled(linear(left), 1 / b);
  return { of: part, factor: 1, offset: 0 };
}

function scaled({ of, factor, offset }: Linear, by: number): Linear {
  return { of, factor: factor * by, offset: offset * by };
}

function moved(given: Linear, by: number): Linear {
  return { ...given, offset: given.offset + by };
}

/** A share of something: `scale` times what is in use, or what is free. */
type Share = Pick<HostMetric, 'metric' | 'expr'> & { readonly scale: number; readonly used: boolean };

const RATES = new Set(['rate', 'irate']);

/** The mean over the CPUs of a server of the time in which they are idle. */
function idleShare(part: Promql): Share | undefined {
  if (part.is !== 'aggregation' || part.name.toLowerCase() !== 'avg' || part.args.length !== 1)
    return undefined;
  const { by, labels } = part.grouping ?? { by: true, labels: [] };
  const wanted = by
    ? labels.join() === 'instance'
    : labels.every((label) => label === 'cpu' || label === 'mode');
  const rate = part.args[0]!;
  if (!wanted || rate.is !== 'call' || !RATES.has(rate.name)) return undefined;
  const range = rate.args[0];
  const cpu = range?.is === 'shifted' ? range.of : undefined;
  if (cpu?.is !== 'selector' || cpu.name !== 'node_cpu_seconds_total') return undefined;
  if (!/\bmode *= *["']idle["']/.test(cpu.matchers)) return undefined;
  return { metric: 'cpu', scale: 1, used: false, expr: percent(part.text) };
}

const TOTALS: Readonly<Record<string, { readonly metric: 'mem' | 'hdd'; readonly total: string }>> = {
  node_memory_MemAvailable_bytes: { metric: 'mem', total: 'node_memory_MemTotal_bytes' },
  node_filesystem_avail_bytes: { metric: 'hdd', total: 'node_filesystem_size_bytes' },
  node_filesystem_free_bytes: { metric: 'hdd', total: 'node_filesystem_size_bytes' },
};

/** The free part of the memory or of file systems: `free / total`, or `(total - free) / total`. */
function freeShare(part: Promql): Share | undefined {
  if (part.is !== 'operation' || part.operator !== '/' || part.modifiers !== '') return undefined;
  const { of: above, factor, offset } = linear(part.left);
  const total = part.right;
  if (offset !== 0 || total.is !== 'selector') return undefined;
  const isDifference = above.is === 'operation' && above.operator === '-' && above.modifiers === '';
  if (isDifference && above.left.text !== total.text) return undefined;
  const free = isDifference ? above.right : above;
  if (free.is !== 'selector') return undefined;
  const known = TOTALS[free.name ?? ''];
  if (known === undefined || known.total !== total.name) return undefined;
  const expr = percent(`${free.text} / ${total.text}`);
  return {
    metric: known.metric,
    scale: factor,
    used: isDifference,
    expr: known.metric === 'hdd' ? `max by (instance) (${expr})` : expr,
  };
}

/** A value out of 0..100 would be refused: the idle time of a CPU can seem to be longer than the time. */
function percent(free: string): string {
  return `clamp(100 * (1 - ${free}), 0, 100)`;
}
