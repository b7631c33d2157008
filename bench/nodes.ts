import { MongoClient } from 'mongodb';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FactsOptions } from './facts.js';
import { SERVERS } from './facts-load.js';
import { databaseAt } from './mongo.js';
import { figuresOf } from './pair.js';
import { median, ratio } from './ratios.js';
import { type RoutedLoad, routedLoad, type RoutedResult } from './routed-load.js';
import { subscribeServers } from './rules.js';
import { startMirzam, type Target } from './target.js';

/** Facts for each server before each measured load: servers move between nodes. */
const SETTLE_FACTS = 2;
/** Facts for each node before the measurement: V8 optimizes a node that is warm, and the windows of all servers are full. */
const WARM_UP_FACTS = 40_000;
/** Connections for each node where the CPU time of one, two and three nodes is compared. */
const EACH = 64;
const NAMES = ['one', 'two', 'three'];

/** A load with what the nodes needed for it. */
interface Measured extends RoutedResult {
  /** CPU time of the nodes for a fact, µs, without that of idle nodes. */
  readonly cpuUs: number;
  /** Commits in a call of the store. */
  readonly commitsPerCall: number;
}

/** What is measured on several nodes. */
export interface NodesOptions extends FactsOptions {
  /** The server of MongoDB, without a database. */
  readonly url: string;
  /** Time by which each answer of MongoDB is delayed, ms; 0: not at all. */
  readonly relayMs: number;
}

/**
 * Measures operation P1 on up to three nodes with one database: random routing as a ratio to hashed routing on two nodes; CPU
 * time for a fact, and commits for a call of the store, as ratios to one node, and to three nodes with a database each. All
 * loads take turns. So do the nodes of a load: V8 optimizes all of them alike.
 */
export async function measureNodes(options: NodesOptions): Promise<object> {
  const { rounds, seconds, connections, relayMs } = options;
  const client = new MongoClient(options.url);
  const relay = relayMs === 0 ? undefined : await delayed(options.url, relayMs);
  const begun = Date.now();
  const databases = ['shared', ...NAMES].map((name) => `mirzam-bench-${begun}-${name}`);
  const start = (name: string, database: string): Promise<Target> =>
    startMirzam(name, { MONGODB_URL: databaseAt(relay?.url ?? options.url, database), TREND: 'off' });
  const nodes: Target[] = [];
  const apart: Target[] = [];
  try {
    for (const [at, name] of NAMES.entries()) {
      nodes.push(await start(name, databases[0]!));
      apart.push(await start(`${name} apart`, databases[at + 1]!));
    }
    for (const { url } of [nodes[0]!, ...apart]) await subscribeServers(url);
    for (const all of [nodes, apart])
      for (let warm = 0; warm < all.length * WARM_UP_FACTS;)
        warm += (
          await routedLoad({ nodes: all, routing: 'hashed', servers: SERVERS, connections, seconds: 5 })
        ).facts;
    const run = async (load: Omit<RoutedLoad, 'seconds'>): Promise<Measured> => {
      for (let settled = 0; settled < SETTLE_FACTS * load.servers;)
        settled += (await routedLoad({ ...load, seconds: 1 })).facts;
      return measured({ ...load, seconds });
    };
    const results: Record<string, Measured>[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const turn = nodes.map((_, at) => nodes[(round + at) % nodes.length]!);
      const pair = turn.slice(0, 2);
      const evenly = (used: readonly Target[]): Promise<Measured> =>
        run({ nodes: used, routing: 'hashed', servers: SERVERS, connections: used.length * EACH });
      const loads = {
        hashed: () => run({ nodes: pair, routing: 'hashed', servers: SERVERS, connections }),
        random: () => run({ nodes: pair, routing: 'random', servers: SERVERS, connections }),
        'two servers': () => run({ nodes: pair, routing: 'random', servers: 2, connections: 32 }),
        'one node': () => evenly(turn.slice(0, 1)),
        'two nodes': () => evenly(pair),
        'three nodes': () => evenly(turn),
        'three apart': () => evenly(apart),
      };
      const result: Record<string, Measured> = {};
      for (const [name, load] of Object.entries(loads)) {
        result[name] = await load();
        console.log(`round ${round}  ${name.padEnd(12)} ${shown(result[name])}`);
      }
      results.push(result);
    }
    const of = (value: (one: Measured) => number, name: string, baseline: string): number =>
      median(results.map((result) => ratio(value(result[name]!), value(result[baseline]!))));
    const figures = {
      rounds,
      seconds,
      connections,
      relayMs,
      randomOfHashed: of((one) => one.factsPerS, 'random', 'hashed'),
      p99OfHashed: of((one) => one.p99, 'random', 'hashed'),
      failed: Object.fromEntries(
        Object.keys(results[0]!).map((name) => [
          name,
          results.reduce((sum, one) => sum + one[name]!.failed, 0),
        ]),
      ),
      cpuOfOneNode: ['two nodes', 'three nodes'].map((name) => of((one) => one.cpuUs, name, 'one node')),
      cpuOfThreeApart: of((one) => one.cpuUs, 'three nodes', 'three apart'),
      // What three processes on the same cores cost, whatever they share.
      threeApartOfOneNode: of((one) => one.cpuUs, 'three apart', 'one node'),
      commitsPerCallOfOneNode: ['two nodes', 'three nodes'].map((name) =>
        of((one) => one.commitsPerCall, name, 'one node'),
      ),
    };
    console.log(figures);
    return figures;
  } finally {
    await Promise.all([...nodes, ...apart].map((node) => node.stop()));
    relay?.stop();
    for (const database of databases) await client.db(database).dropDatabase();
    await client.close();
  }
}

/** Metrics of a node: CPU time, s, commits, and calls of the store. */
const FIGURES = [
  'process_cpu_seconds_total',
  'mirzam_commit_batch_size_sum',
  'mirzam_commit_batch_size_count',
] as const;

/** Measures a load. What the nodes take for as long without a load, and to read their metrics, is subtracted from the CPU time. */
async function measured(load: RoutedLoad): Promise<Measured> {
  const idle = await growth(load.nodes, () => pause(load.seconds * 1_000));
  const loaded = await growth(load.nodes, () => routedLoad(load));
  const [cpu, commits, calls] = loaded.figures;
  const cpuUs = ((cpu - idle.figures[0]) / loaded.result.facts) * 1e6;
  return { ...loaded.result, cpuUs, commitsPerCall: commits / calls };
}

/** Returns by how much the figures of all nodes together grow during some work. */
async function growth<T>(nodes: readonly Target[], work: () => Promise<T>) {
  const read = async (): Promise<readonly number[]> => {
    const all = await Promise.all(nodes.map(({ url }) => figuresOf(url, FIGURES)));
    return FIGURES.map((_, i) => all.reduce((sum, figures) => sum + figures[i]!, 0));
  };
  const before = await read();
  const result = await work();
  const after = await read();
  return { result, figures: after.map((figure, i) => figure - before[i]!) as [number, number, number] };
}

function shown({ factsPerS, p99, failed, cpuUs, commitsPerCall }: Measured): string {
  return (
    `${factsPerS.toFixed(0).padStart(6)} facts/s  p99 ${p99.toFixed(0).padStart(5)} ms  failed ${failed}  ` +
    `${cpuUs.toFixed(0).padStart(5)} µs of CPU each  ${commitsPerCall.toFixed(1).padStart(5)} commits a call`
  );
}

/** Starts a relay in front of a database, in a process of its own. */
async function delayed(server: string, ms: number) {
  const url = new URL(server);
  const child = fork(fileURLToPath(new URL('./slow-relay.js', import.meta.url)), [
    url.port || '27017',
    String(ms),
  ]);
  const [port] = (await once(child, 'message')) as [number];
  url.port = String(port);
  return { url: url.href, stop: () => child.kill() };
}
