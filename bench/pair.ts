import { load } from './facts-load.js';
import type { FactsOptions } from './facts.js';
import { median, quantile, ratio } from './ratios.js';
import type { Target } from './target.js';

/** An operation under load. */
export interface Operation {
  readonly name: string;
  /** Duration of the load before the measurement, in which V8 optimizes the service, s. */
  readonly warmUpS: number;
  /** Loads a service. Returns the answers of 2xx per second, and their number. */
  readonly load: (target: Target, options: LoadOptions) => Promise<{ perS: number; answers: number }>;
}

type LoadOptions = Pick<FactsOptions, 'seconds' | 'connections'>;

/** Operation P1. */
export const P1: Operation = {
  name: 'P1',
  warmUpS: 3,
  async load({ url }, options) {
    const { requestsPerS, requests } = await load(url, options);
    return { perS: requestsPerS, answers: requests };
  },
};

/** Ratios of one service to another: more than 1 if it is faster, or takes less CPU time. */
export interface PairRatios {
  /** Throughput, by round. */
  readonly ratios: readonly number[];
  /** Answers for each second of CPU, by round. */
  readonly cpuRatios: readonly number[];
}

/** Rounds with the same two processes. */
const ROUNDS_OF_A_START = 2;

/**
 * Measures the throughput and the CPU time of an operation of two services in turns, the first as a ratio to the second. Both
 * start anew after every two rounds, in the other order: two equal processes differ by up to a tenth, and by their order.
 */
export async function measuredInManyStarts(
  operation: Operation,
  startOne: () => Promise<Target>,
  startOther: () => Promise<Target>,
  options: FactsOptions,
): Promise<PairRatios> {
  const ratios: number[] = [];
  const cpuRatios: number[] = [];
  for (let start = 0; ratios.length < options.rounds; start += 1) {
    const rounds = Math.min(ROUNDS_OF_A_START, options.rounds - ratios.length);
    const inTurn = <T>(pair: readonly T[]): readonly T[] => (start % 2 === 0 ? pair : pair.toReversed());
    const measured = await inOrder(inTurn([startOne, startOther]), (targets) => {
      const [one, other] = inTurn(targets);
      return measuredPair(operation, one!, other!, { ...options, rounds });
    });
    ratios.push(...measured.ratios);
    cpuRatios.push(...measured.cpuRatios);
  }
  return { ratios, cpuRatios };
}

/** Starts services in order, and stops them after `use`. */
async function inOrder<T>(
  starts: readonly (() => Promise<Target>)[],
  use: (targets: readonly Target[]) => Promise<T>,
): Promise<T> {
  const targets: Target[] = [];
  try {
    for (const start of starts) targets.push(await start());
    return await use(targets);
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
  }
}

/**
 * Measures the throughput and the CPU time of an operation of two services in turns, `one` as a ratio to `other`. The first of
 * each pair alternates. Other load on the machine changes the CPU time less.
 */
export async function measuredPair(
  operation: Operation,
  one: Target,
  other: Target,
  { rounds, ...options }: FactsOptions,
): Promise<PairRatios> {
  const measured = async (target: Target): Promise<Run> => {
    const before = await cpuSeconds(target.url);
    const { perS, answers } = await operation.load(target, options);
    return { perS, cpuUs: (((await cpuSeconds(target.url)) - before) / answers) * 1e6 };
  };
  for (const target of [one, other]) await operation.load(target, { ...options, seconds: operation.warmUpS });
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
  return { ratios, cpuRatios };
}

/** Prints the medians of a pair with their quartiles, and returns them. */
export function pairFigures(what: string, baseline: string, { ratios, cpuRatios }: PairRatios) {
  const figures = {
    rounds: ratios.length,
    ratio: median(ratios),
    ofCpu: median(cpuRatios),
    ratioQuartiles: quartiles(ratios),
    ofCpuQuartiles: quartiles(cpuRatios),
  };
  const shownQuartiles = ([p25, p75]: readonly number[]): string => `(p25 ${p25}, p75 ${p75})`;
  console.log(
    `\n${what}: ${figures.ratio} ${shownQuartiles(figures.ratioQuartiles)} of ${baseline} (median of ${figures.rounds})`,
  );
  console.log(
    `answers for each second of CPU: ${figures.ofCpu} ${shownQuartiles(figures.ofCpuQuartiles)} of ${baseline}\n`,
  );
  return figures;
}

const quartiles = (values: readonly number[]): readonly number[] => [
  quantile(values, 0.25),
  quantile(values, 0.75),
];

interface Run {
  readonly perS: number;
  /** CPU time of the process for an answer, µs. */
  readonly cpuUs: number;
}

function shown({ perS, cpuUs }: Run): string {
  return `${perS.toFixed(0)} a second, ${cpuUs.toFixed(1)} µs of CPU each`;
}

const cpuSeconds = (url: string): Promise<number> => figureOf(url, 'process_cpu_seconds_total');

/** Resolves with metrics without labels of a service, in the order of their names. */
export async function figuresOf(url: string, names: readonly string[]): Promise<readonly number[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return names.map((name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)![1]));
}

/** Resolves with a metric without labels of a service. */
export async function figureOf(url: string, name: string): Promise<number> {
  return (await figuresOf(url, [name]))[0]!;
}
