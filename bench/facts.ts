import { load, type LoadResult } from './facts-load.js';
import { median, ratio } from './ratios.js';
import { subscribeServers } from './rules.js';
import { startBaseline, startMirzam } from './target.js';

/** Duration and load of the measurement. */
export interface FactsOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

/**
 * Measures the durable throughput of operation P1 as ratios to the baselines. The targets take turns, so that other load on
 * the machine affects all of them. Each ratio compares neighbouring runs.
 */
export async function measureFacts({ rounds, seconds, connections }: FactsOptions): Promise<object> {
  const targets = [
    await startBaseline('bare node:http', './baselines/bare-server.js'),
    await startBaseline('no-op Koa stack', './baselines/noop-server.js'),
    await startMirzam('mirzam'),
  ];

  try {
    const [bare, noop, mirzam] = targets;
    await subscribeServers(mirzam!.url);
    const runs = new Map(targets.map((target) => [target.name, [] as LoadResult[]]));
    for (const target of targets) await load(target.url, { seconds: 2, connections });
    for (let round = 0; round < rounds; round += 1) {
      for (const target of targets) {
        const measured = await load(target.url, { seconds, connections });
        runs.get(target.name)!.push(measured);
        console.log(
          `round ${round + 1}  ${target.name.padEnd(16)} ${measured.requestsPerS.toFixed(0).padStart(7)} req/s  ` +
            `p99 ${measured.p99} ms  failed ${measured.failed}`,
        );
      }
    }
    const batched = await load(mirzam!.url, { seconds, connections, elements: 20 });
    const rate = (name: string): number => median(runs.get(name)!.map((run) => run.requestsPerS));
    const ofNeighbours = (name: string, baseline: string): number =>
      median(runs.get(name)!.map((run, i) => ratio(run.requestsPerS, runs.get(baseline)![i]!.requestsPerS)));
    const figures = {
      rounds,
      seconds,
      connections,
      requestsPerS: Object.fromEntries(targets.map(({ name }) => [name, Math.round(rate(name))])),
      ofNoop: ofNeighbours(mirzam!.name, noop!.name),
      ofBare: ofNeighbours(mirzam!.name, bare!.name),
      measurementsOf20: ratio(batched.requestsPerS * 20, rate(mirzam!.name)),
      failed: runs.get(mirzam!.name)!.reduce((sum, run) => sum + run.failed, batched.failed),
    };
    console.log(
      `\nP1, durable, ${connections} connections: ${figures.ofNoop} of the no-op Koa stack (median of ${rounds})`,
    );
    console.log(`                                ${figures.ofBare} of bare node:http`);
    console.log(
      `20 measurements in a request: ${figures.measurementsOf20} times the measurements/s of one by one`,
    );
    console.log(`failed requests: ${figures.failed}`);
    return figures;
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
  }
}
