import type { SourceValue } from '../source-value.js';
import type { DataPoint } from './data-points.js';

/** The metrics of the host semantic conventions that are read as metrics of the document. */
const CPU = 'system.cpu.utilization';
const MEMORY = 'system.memory.utilization';
const FILE_SYSTEM = 'system.filesystem.utilization';

/** Collects the values of one server and one time. */
interface Collected {
  readonly server: string;
  readonly at: number;
  /** Sum and number of the shares of time in which each CPU was idle. */
  idle: number;
  cpus: number;
  mem: number | undefined;
  /** True if a share of the time of a CPU does not say which state it is of. */
  isCpuUnclear: boolean;
  hdd: number | undefined;
}

/** Collects the values of the host semantic conventions in one request: cpu, mem and hdd, as percentages. */
export class HostValues {
  readonly #byServer = new Map<string, Map<number, Collected>>();

  /** True for a metric that is collected here. */
  static has(metric: string): boolean {
    return metric === CPU || metric === MEMORY || metric === FILE_SYSTEM;
  }

  /**
   * Adds a data point. Points of other states are not needed: of a CPU only the idle share counts, of others the used one. A CPU or
   * memory that has only points without a state, which say nothing of its use, gets the value NaN.
   */
  add({ metric, server, at, value, state }: DataPoint): void {
    if (metric === CPU && state === 'idle') {
      const collected = this.#of(server, at);
      collected.idle += value;
      collected.cpus += 1;
    } else if (metric === MEMORY && state === 'used') {
      const collected = this.#of(server, at);
      if (Number.isNaN(collected.mem ?? Number.NaN)) collected.mem = value;
    } else if (metric === CPU && state === undefined) {
      this.#of(server, at).isCpuUnclear = true;
    } else if (metric === MEMORY && state === undefined) {
      this.#of(server, at).mem ??= Number.NaN;
    } else if (metric === FILE_SYSTEM && (state === undefined || state === 'used')) {
      const collected = this.#of(server, at);
      const { hdd = Number.NaN } = collected;
      // A file system without a size has no number. The others count all the same.
      collected.hdd = Number.isNaN(hdd) || value > hdd ? value : hdd;
    }
  }

  /** Yields the collected values. */
  *values(): Generator<SourceValue> {
    for (const byTime of this.#byServer.values()) {
      for (const { server, at, idle, cpus, isCpuUnclear, mem, hdd } of byTime.values()) {
        if (cpus > 0 || isCpuUnclear) yield { server, metric: 'cpu', value: percentage(1 - idle / cpus), at };
        if (mem !== undefined) yield { server, metric: 'mem', value: percentage(mem), at };
        if (hdd !== undefined) yield { server, metric: 'hdd', value: percentage(hdd), at };
      }
    }
  }

  #of(server: string, at: number): Collected {
    let byTime = this.#byServer.get(server);
    if (byTime === undefined) this.#byServer.set(server, (byTime = new Map<number, Collected>()));
    let collected = byTime.get(at);
    if (collected === undefined) {
      collected = { server, at, idle: 0, cpus: 0, isCpuUnclear: false, mem: undefined, hdd: undefined };
      byTime.set(at, collected);
    }
    return collected;
  }
}

/** Returns a share as a percentage 0..100: a sum of rounded shares may leave that range. NaN if it is not finite. */
function percentage(share: number): number {
  return Number.isFinite(share) ? Math.min(100, Math.max(0, 100 * share)) : Number.NaN;
}
