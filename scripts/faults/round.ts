import { config } from 'chai';
import { MongoClient } from 'mongodb';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { type Proxy, startProxy } from '../../spec/chain/proxy.js';
import { keptChain } from '../../spec/faults/ledger/kept-chain.js';
import { type LedgerLoad, ledgerLoad, WALLET_TOKEN } from '../../spec/faults/ledger/ledger-load.js';
import { auditFacts, auditState } from '../../spec/faults/stage/audit.js';
import { act, type World } from '../../spec/faults/stage/clients.js';
import { faultyRelay } from '../../spec/faults/stage/faulty-relay.js';
import { type FlakyReceiver, flakyReceiver } from '../../spec/faults/stage/flaky-receiver.js';
import { effectiveHistory, observer } from '../../spec/faults/stage/observer.js';
import { type OrderLoad, orderLoad } from '../../spec/faults/stage/order-load.js';
import { type OrderedReceivers, orderedReceivers } from '../../spec/faults/stage/ordered-receivers.js';
import { seeded } from '../../spec/faults/stage/random.js';
import { worldAt } from '../../spec/faults/stage/scene.js';
import { launcher as createLauncher } from '../../spec/faults/stage/service-process.js';
import { smallDisk } from '../../spec/faults/stage/small-disk.js';
import { startMongo } from '../../spec/servers/mongodb.js';
import { deployTimestamper } from '../../src/embedded/chain/deploy.js';
import { type Cluster, createCluster } from './cluster.js';
import { type Counts, injectFaults } from './fault-lanes.js';
import { checkHistories } from './linearizability.js';
import { noncesSentTwice } from './sent-nonces.js';
import { type Fault, type Load, type Plan, Unusable } from './options.js';

// A failure tells all that it compared.
config.truncateThreshold = 0;

/**
 * Longest recovery after the last fault, ms: attempts at a receiver are up to five minutes apart. More with clocks that are
 * apart, for a wake-up of the one that is ahead.
 */
const RECOVERY_MS = 330_000;
/** A node's clock is at most so far off, ms. */
const CLOCK_MS = 20_000;

const OBSERVERS = 12;
const CLIENTS = 2;
const CLIENT_PAUSE_MS = 20;
const ORDER_SERVERS = 8;
const LEDGER_CLIENTS = 6;
const LEDGER_PAUSE_MS = 20;
/** Room on the disk when it is full, in bytes. */
const LEFT = 64 * 1024;

/** What a round found. */
export interface Round {
  /** A line for each broken promise. */
  readonly failures: readonly string[];
  readonly figures: Figures;
}

/** Figures of one or several rounds. */
export interface Figures {
  facts: number;
  /** Operations of the histories. */
  operations: number;
  messages: number;
  /** Messages of rules with states that came once more after a later one. */
  lateRepeats: number;
  transactions: number;
  faults: Counts;
}

/** What a round stops at its end, the last one first. */
type Stops = (() => unknown)[];

/**
 * Starts a database, a chain, receivers and nodes, puts load on them, injects faults, lets them recover, and checks the
 * promises. `main`: the file that starts the service. `folder` gets the logs of the nodes and what the checks need if one fails.
 */
export async function runRound(
  plan: Plan,
  tools: { readonly main: string | undefined; readonly checker: string; readonly folder: string },
): Promise<Round> {
  const stops: Stops = [];
  try {
    return await performRound(plan, tools, stops);
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** The receivers, and the loads that use them. */
interface Loads {
  readonly flaky: FlakyReceiver;
  readonly ordered: OrderedReceivers;
  readonly world: World | undefined;
  readonly order: OrderLoad | undefined;
  readonly ledger: LedgerLoad | undefined;
  readonly proxy: Proxy | undefined;
}

async function performRound(
  plan: Plan,
  { main, checker, folder }: { main: string | undefined; checker: string; folder: string },
  stops: Stops,
): Promise<Round> {
  /** Each part has numbers of its own: how often one part draws does not change another part. */
  const random = (part: number): (() => number) => seeded(plan.seed * 16 + part);
  const has = (fault: Fault): boolean => plan.faults.includes(fault);
  const loads = (load: Load): boolean => plan.loads.includes(load);

  const mongo = plan.store === 'mongodb' ? await startMongo({ failPoints: has('step-down') }) : undefined;
  if (plan.store === 'mongodb' && mongo === undefined)
    throw new Unusable('No round without a database: see the line above, or try --store embedded');
  stops.push(() => mongo?.stop());
  const url = new URL(mongo?.database() ?? 'none:');
  const relays = await Promise.all(
    Array.from({ length: plan.nodes }, async () => {
      if (mongo === undefined) return undefined;
      return faultyRelay({ host: url.hostname, port: Number(url.port || 27_017) });
    }),
  );
  for (const relay of relays) stops.push(() => relay?.close());
  const chain = loads('ledger') ? await keptChain() : undefined;
  stops.push(() => chain?.close());
  const proxy = chain && (await startProxy(chain.url));
  stops.push(() => proxy?.close());
  const flaky = await flakyReceiver(random(1));
  stops.push(() => flaky.stop());
  const ordered = await orderedReceivers(random(2), true);
  stops.push(() => ordered.stop());
  const settings = {
    SMTP_URL: ordered.smtpUrl,
    MAIL_INTERVAL_S: '0',
    ...(chain !== undefined && {
      LEDGER: 'on',
      CHAIN_RPC_URL: proxy!.url,
      CHAIN_CONTRACT: await deployTimestamper(chain.url),
      WALLET_DEV_TOKEN: WALLET_TOKEN,
    }),
  };
  const launcher = await createLauncher(settings, main);
  stops.push(() => launcher.close());
  const disk = has('disk') ? smallDisk(launcher.folder) : undefined;
  stops.push(() => disk?.close());

  let world: World | undefined;
  const clocks = random(3);
  const cluster: Cluster = createCluster(
    launcher,
    relays,
    (relay): Record<string, string> => {
      if (relay === undefined) return {};
      const own = new URL(url);
      own.host = `127.0.0.1:${relay.port}`;
      return { MONGODB_URL: own.href };
    },
    () => (has('clocks') ? (clocks() * 2 - 1) * CLOCK_MS : 0),
    () => {
      if (world !== undefined) world.urls = cluster.urls();
    },
  );
  await Promise.all(cluster.nodes.map((node) => cluster.start(node)));
  // Before the launcher removes the folder.
  stops.push(() => Promise.all(cluster.nodes.map((node) => cluster.kill(node))));

  if (loads('facts')) {
    const [first] = cluster.urls();
    // The set-up by one node alone also works with a planted fault.
    const made = await worldAt([first!], flaky.url, random(4), plan.routing === 'hashed');
    world = { ...made, severalNodes: plan.nodes > 1, urls: cluster.urls() };
  }
  const order = loads('order')
    ? await orderLoad(() => cluster.urls(), ordered, random(5), ORDER_SERVERS)
    : undefined;
  const ledger = chain && (await ledgerLoad(() => cluster.urls(), chain.url));
  const all: Loads = { flaky, ordered, world, order, ledger, proxy };
  const operator = has('step-down')
    ? await MongoClient.connect(url.href, { appName: 'operator' })
    : undefined;
  stops.push(() => operator?.close());

  const stage = {
    cluster,
    database:
      has('database') && mongo?.kill !== undefined
        ? { kill: mongo.kill, restart: mongo.restart! }
        : undefined,
    stepDown:
      operator &&
      (async (errorCode: number, times: number): Promise<void> => {
        const data = { appName: 'mirzam', failCommands: ['insert', 'update', 'delete', 'find'], errorCode };
        await operator.db('admin').command({ configureFailPoint: 'failCommand', mode: { times }, data });
      }),
    killChain: has('chain') && chain !== undefined ? () => process.kill(chain.pid(), 'SIGKILL') : undefined,
    disk:
      disk === undefined
        ? undefined
        : {
            fill: () => disk.limit(statSync(join(launcher.folder, 'data.mdb')).size + LEFT, pidOf(cluster)),
            free: () => disk.grow(pidOf(cluster)),
          },
  };
  const load = { on: true };
  const running = runLoads(all);
  const injecting = injectFaults(stage, plan.faults, random(6), load);
  await Promise.race([pause(plan.seconds * 1000), running, injecting]);
  load.on = false;
  const faults = await injecting;
  if (world !== undefined) world.running = false;
  order?.stop();
  ledger?.stop();
  await running;

  const withinMs = RECOVERY_MS + (has('clocks') ? 2 * CLOCK_MS : 0);
  const round = await check(all, cluster, { checker, folder, withinMs, faults });
  if (round.failures.length > 0) {
    await Promise.all(cluster.nodes.map((node) => cluster.kill(node)));
    mkdirSync(folder, { recursive: true });
    for (const [n, { output }] of cluster.nodes.entries())
      writeFileSync(join(folder, `node-${n}.log`), output);
  }
  return round;
}

function pidOf({ nodes }: Cluster): number {
  return nodes[0]!.process?.pid ?? 0;
}

/** Runs the loads until they are stopped. */
async function runLoads({ world, order, ledger }: Loads): Promise<void> {
  await Promise.all([
    ...(world === undefined ? [] : Array.from({ length: OBSERVERS }, () => observer(world))),
    ...(world === undefined ? [] : Array.from({ length: CLIENTS }, () => slowly(world))),
    order?.run(),
    ledger?.run(LEDGER_CLIENTS, LEDGER_PAUSE_MS),
  ]);
}

/** Runs a client that pauses between its actions. */
async function slowly(world: World): Promise<void> {
  while (world.running) {
    await act(world);
    await pause(CLIENT_PAUSE_MS);
  }
}

/** Waits until the cluster has recovered, and checks each promise, also after one was found broken. */
async function check(
  { flaky, ordered, world, order, ledger, proxy }: Loads,
  cluster: Cluster,
  options: { checker: string; folder: string; withinMs: number; faults: Counts },
): Promise<Round> {
  const { checker, folder, withinMs, faults } = options;
  const failures: string[] = [];
  const attempt = async (what: string, part: () => Promise<void>): Promise<void> => {
    try {
      await part();
    } catch (error) {
      failures.push(`${what}: ${(error as Error).message}`);
    }
  };
  const figures: Figures = { facts: 0, operations: 0, messages: 0, lateRepeats: 0, transactions: 0, faults };
  flaky.behave();
  await attempt('health', () => cluster.healthy());
  if (world !== undefined) {
    await attempt('state', () => auditState(world));
    await attempt('facts', async () => {
      figures.facts = (await auditFacts(world, flaky, withinMs)).facts;
      figures.messages += flaky.counts().firings;
    });
    await attempt('history', async () => {
      const hot = [...world.books.servers].filter(([, { firing }]) => firing.length > 0);
      const histories = new Map(hot.map(([id, book]) => [id, effectiveHistory(book, flaky)]));
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      const checked = await checkHistories(checker, histories, folder);
      figures.operations = checked.operations;
      failures.push(...checked.failures);
      if (checked.failures.length === 0) rmSync(folder, { recursive: true });
      else writeFileSync(join(folder, 'histories.json'), JSON.stringify([...histories]));
    });
  }
  if (order !== undefined) {
    await attempt('order', async () => {
      figures.messages += await order.audit(withinMs);
      figures.lateRepeats = ordered.lateRepeats();
    });
  }
  if (ledger !== undefined) {
    await attempt('ledger', async () => {
      figures.transactions = (await ledger.audit(withinMs)).transactions;
    });
    failures.push(...noncesSentTwice(proxy!.requests.flatMap(({ calls }) => calls)));
  }
  return { failures, figures };
}

/** Returns the folder for what a failed round leaves. */
export function folderOf({ seed }: Plan): string {
  return join(fileURLToPath(new URL('../../../.cache/faults', import.meta.url)), String(seed));
}
