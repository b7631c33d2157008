import { parseArgs } from 'node:util';
import { oneOf, seeded } from '../../spec/faults/stage/random.js';
import { PLANTED, type Planted } from './planted.js';

/** Faults that a round can have. */
const FAULTS = ['kill', 'pause', 'network', 'database', 'step-down', 'clocks', 'chain', 'disk'] as const;
export type Fault = (typeof FAULTS)[number];

/** Loads that a round can have. */
const LOADS = ['facts', 'order', 'ledger'] as const;
export type Load = (typeof LOADS)[number];

/** Faults of each store. With the embedded store there is one node. */
const FAULTS_OF = {
  mongodb: ['kill', 'pause', 'network', 'database', 'step-down', 'clocks', 'chain'],
  embedded: ['kill', 'pause', 'clocks', 'chain', 'disk'],
} as const satisfies Record<string, readonly Fault[]>;

/** The command line. What is absent is drawn for each round from its seed. */
export interface Options {
  readonly seed: number;
  /** End of the run: no round begins after it. */
  readonly minutes: number;
  /** Maximum number of rounds. */
  readonly rounds: number;
  /** Duration of a round's load, s. */
  readonly seconds: number;
  readonly store: 'mongodb' | 'embedded' | undefined;
  readonly nodes: number | undefined;
  readonly routing: 'random' | 'hashed' | undefined;
  readonly faults: readonly Fault[] | undefined;
  readonly loads: readonly Load[];
  /** A fault that is put into a copy of the service. */
  readonly planted: Planted | undefined;
}

/** One round. */
export interface Plan {
  readonly seed: number;
  readonly seconds: number;
  readonly store: 'mongodb' | 'embedded';
  readonly nodes: number;
  readonly routing: 'random' | 'hashed';
  readonly faults: readonly Fault[];
  readonly loads: readonly Load[];
}

export const USAGE = `Usage: npm run faults -- [options]
  --minutes N       duration, default 5; with FAULTS=full 240
  --rounds N        maximum number of rounds
  --seconds N       load of each round, default 30
  --seed N          seed of the first round; the next one has N + 1
  --store S         mongodb or embedded
  --nodes N         2 or 3
  --routing R       random or hashed
  --faults A,B      ${FAULTS.join(', ')}
  --loads A,B       ${LOADS.join(', ')}; default all
  --planted NAME    ${Object.keys(PLANTED).join(', ')}: a fault in a copy of the service, to be found
What is not given is drawn from the seed of each round.`;

/** The program cannot run so. The message says what to do. */
export class Unusable extends Error {}

/** Reads the command line. Throws an `Unusable` that says which option is wrong. */
export function readOptions(args: readonly string[], full: boolean, seed: number): Options {
  const names = 'minutes rounds seconds seed store nodes routing faults loads planted'.split(' ');
  const values = valuesOf(args, names);

  const number = (name: string, otherwise: number): number => {
    const value = Number(values[name] ?? otherwise);
    if (!(value > 0)) throw new Unusable(`--${name} is ${values[name]}: it must be a number above 0`);
    return value;
  };
  const word = <T extends string>(name: string, text: string, allowed: readonly T[]): T => {
    const found = allowed.find((one) => one === text);
    if (found === undefined)
      throw new Unusable(`--${name} is ${text}: it must be one of ${allowed.join(', ')}`);
    return found;
  };
  const oneWord = <T extends string>(name: string, allowed: readonly T[]): T | undefined =>
    values[name] === undefined ? undefined : word(name, values[name], allowed);
  const words = <T extends string>(name: string, allowed: readonly T[]): readonly T[] | undefined =>
    values[name]?.split(',').map((text) => word(name, text, allowed));

  const nodes = oneWord('nodes', ['2', '3']);
  return {
    seed: Math.floor(number('seed', seed)),
    minutes: number('minutes', full ? 240 : 5),
    rounds: number('rounds', Infinity),
    seconds: number('seconds', 30),
    store: oneWord('store', ['mongodb', 'embedded']),
    nodes: nodes === undefined ? undefined : Number(nodes),
    routing: oneWord('routing', ['random', 'hashed']),
    faults: words('faults', FAULTS),
    loads: words('loads', LOADS) ?? LOADS,
    planted: oneWord('planted', Object.keys(PLANTED) as Planted[]),
  };
}

function valuesOf(
  args: readonly string[],
  names: readonly string[],
): Readonly<Record<string, string | undefined>> {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new Unusable(`${(error as Error).message}\n${USAGE}`);
  }
}

/** Draws a round from its seed. Options that are given hold. */
export function planRound(options: Options, seed: number): Plan {
  const random = seeded(seed);
  // Each number is drawn, also if an option decides: the seed then means the same with and without it.
  const store = random() < 0.2 ? 'embedded' : 'mongodb';
  const nodes = random() < 0.6 ? 2 : 3;
  const routing = oneOf(random, ['random', 'hashed'] as const);
  const chosenStore = options.store ?? store;
  // The server with fail points is slow, so few rounds have it.
  const likely = (fault: Fault): number => (fault === 'step-down' ? 0.25 : 0.6);
  const drawn = FAULTS.filter((fault) => random() < likely(fault));
  const possible: readonly Fault[] = FAULTS_OF[chosenStore];
  const faults = (options.faults ?? ['kill', ...drawn.filter((fault) => fault !== 'kill')]).filter((fault) =>
    possible.includes(fault),
  );
  return {
    seed,
    seconds: options.seconds,
    store: chosenStore,
    nodes: chosenStore === 'embedded' ? 1 : (options.nodes ?? nodes),
    routing: options.routing ?? routing,
    faults: options.loads.includes('ledger') ? faults : faults.filter((fault) => fault !== 'chain'),
    loads: options.loads,
  };
}

/** Returns the command that repeats a round. */
export function commandOf(plan: Plan, planted: Planted | undefined): string {
  const { seed, seconds, store, nodes, routing, faults, loads } = plan;
  return [
    `npm run faults -- --rounds 1 --seed ${seed} --seconds ${seconds} --store ${store}`,
    ...(store === 'embedded' ? [] : [`--nodes ${nodes} --routing ${routing}`]),
    ...(faults.length === 0 ? [] : [`--faults ${faults.join(',')}`]),
    `--loads ${loads.join(',')}`,
    ...(planted === undefined ? [] : [`--planted ${planted}`]),
  ].join(' ');
}
