import { load } from './facts-load.js';
import type { FactsOptions } from './facts.js';
import { median, ratio } from './ratios.js';
import type { Target } from './target.js';

/**
 * Measures the throughput and the CPU time of operation P1 of two services in turns. Returns `one` as a ratio to `other`,
 * more than 1 if it is faster. The first of each pair alternates. Other load on the machine changes the CPU time less.
 */
export async function measurePair(
  one: Target,
  other: Target,
  { rounds, seconds, connections }: FactsOptions,
): Promise<object> {
  const measured = async ({ url }: Target): Promise<Run> => {
    const before = await cpuSeconds(url);
    const { requestsPerS, requests } = await load(url, { seconds, connections });
    return { perS: requestsPerS, cpuUs: (((await cpuSeconds(url)) - before) / requests) * 1e6 };
  };
  for (const { url } of [one, other]) await load(url, { seconds: 3, connections });
  const ratios: number[] = [];
  const cpuRatios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? await measured(one) : undefined;
    const baseline = await measured(other);
    const run = first ?? (await measured(one));
    ratios.push(ratio(run.perS, baseline.perS));
    cpuRatios.push(ratio(baseline.cpuUs, run.cpuUs));
    console.log(`round ${round + 1}  ${one.name}: ${shown(run)}; ${other.name}: ${shown(baseline)}`);
  }
  const figures = { rounds, seconds, connections, ratio: median(ratios), ofCpu: median(cpuRatios) };
  console.log(`\nP1, ${one.name}: ${figures.ratio} of ${other.name} (median of ${rounds})`);
  console.log(`requests for each second of CPU: ${figures.ofCpu} of ${other.name}`);
  return figures;
}

interface Run {
  readonly perS: number;
  /** CPU time of the process for a request, µs. */
  readonly cpuUs: number;
}

function shown({ perS, cpuUs }: Run): string {
  return `${perS.toFixed(0)} req/s, ${cpuUs.toFixed(1)} µs of CPU each`;
}

async function cpuSeconds(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)![1]);
}
