import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { contextIn } from '../src/actors/behavior.js';
import type { ServerContext } from '../src/policy/server/server-context.js';
import { placeOf } from '../src/policy/server/server-place.js';
import { actorId, type Commit, type Store } from '../src/store/port.js';
import { openStore } from '../src/store/select.js';
import { callerOf } from './caller.js';
import { median, ratio } from './ratios.js';
import { startMirzam, type Target } from './target.js';

/** Numbers of servers that are compared. */
const SIZES = [1_000, 100_000] as const;
/** The lists that are read, and the pause before each reading, ms: longer than an answer is kept. */
const LISTS = [
  { name: 'the worst first', path: '/operator/servers', pauseMs: 0 },
  { name: 'the oldest first', path: '/operator/servers?sort=since', pauseMs: 0 },
  { name: 'firing of a tenant', path: '/operator/servers?state=firing&tenant=demo', pauseMs: 0 },
  { name: 'rules', path: '/operator/rules', pauseMs: 1_100 },
  { name: 'overview', path: '/console/api/overview', pauseMs: 1_600 },
  { name: 'number in trouble', path: '/console/api/trouble', pauseMs: 1_600 },
] as const;
/** Servers that fire, and that are pending: as many in both services. The rest is calm. */
const SHARE = { firing: 50, pending: 100 };
/** Documents in one commit. */
const AT_ONCE = 1_000;

/**
 * Measures how long the lists of servers take with 100,000 servers, as a ratio to 1,000 servers. Both services run, and the
 * requests alternate. `mongodb`: the url of a server without a database; undefined: the embedded store.
 */
export async function measureFleet(rounds: number, mongodb: string | undefined): Promise<object> {
  const services: Service[] = [];
  try {
    for (const size of SIZES) services.push(await fleetOf(size, mongodb));
    const figures: Record<string, object> = {};
    for (const { name, path, pauseMs } of LISTS) {
      const times = services.map((): number[] => []);
      for (let round = 0; round <= rounds; round += 1) {
        await pause(pauseMs);
        for (const [i, { target }] of services.entries()) {
          const took = await timed(target.url + path);
          // The first one compiles.
          if (round > 0) times[i]!.push(took);
        }
      }
      const [few, many] = times.map((all) => median(all)) as [number, number];
      figures[name] = { few, many, ratio: ratio(many, few) };
      console.log(
        `${name.padEnd(20)} ${few.toFixed(2)} ms of ${SIZES[0]}, ${many.toFixed(2)} ms of ${SIZES[1]}`,
      );
    }
    console.log(JSON.stringify(figures, undefined, 2));
    return { rounds, ...figures };
  } finally {
    for (const { stop } of services) await stop();
  }
}

interface Service {
  readonly target: Target;
  readonly stop: () => Promise<void>;
}

/** Starts a service with a number of servers. */
async function fleetOf(size: number, mongodb: string | undefined): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-fleet-'));
  const url = mongodb === undefined ? undefined : `${mongodb.replace(/\/$/, '')}/fleet-${size}-${Date.now()}`;
  const settings = { DATA_DIR: folder, ...(url !== undefined && { MONGODB_URL: url }) };
  const first = await startMirzam('mirzam', settings);
  await makeExamples(first.url);
  await first.stop();
  const store = await openStore({ folder, mongodbUrl: url });
  const begun = performance.now();
  try {
    await copyExamples(store, size);
  } finally {
    await store.close();
  }
  console.log(`${size} servers stored in ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  const started = performance.now();
  const target = await startMirzam('mirzam', settings);
  console.log(`started with them in ${(performance.now() - started).toFixed(0)} ms`);
  return {
    target,
    async stop() {
      await target.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Makes one server of each state. */
async function makeExamples(url: string): Promise<void> {
  const call = await callerOf(url, 'demo');
  await call('PUT', '/v1.0/demo', { windowsize: 1 });
  const condition = { cpu: { value: 85, operand: 'greater' } };
  const action = { actionName: 'notify-scale', operation: 'scaleUp' };
  const labels = { severity: 'warning' };
  for (const [server, more] of [
    ['firing', { repeat: 0 }],
    ['pending', { for: 86_400 }],
    ['calm', { repeat: 0 }],
  ] as const) {
    const rule = { name: `busy ${server}`, condition, action, labels, ...more };
    const { ruleId } = (await call('POST', '/v1.0/demo/rules', rule)) as { ruleId: string };
    await call('POST', `/v1.0/demo/servers/${server}/subscription`, { ruleId, url: 'http://127.0.0.1:9/' });
    const attribute = { name: 'cpuLoadPct', type: 'string', value: server === 'calm' ? '1' : '99' };
    const contextElement = { id: server, type: 'host', isPattern: 'false', attributes: [attribute] };
    const statusCode = { code: '200', reasonPhrase: 'Ok' };
    await call('POST', `/demo/servers/${server}`, { contextResponses: [{ contextElement, statusCode }] });
  }
}

async function copyExamples(store: Store, size: number): Promise<void> {
  const { items } = await store.list({ kind: 'server', limit: 10 });
  const examples = items.map((item) => ({ ...item, context: contextIn(item) as ServerContext }));
  const of = (state: string) => examples.find((one) => one.state === state)!;
  const [firing, pending, calm] = [of('firing'), of('pending'), of('calm')];
  const copy = async (i: number): Promise<Commit> => {
    const example = i < SHARE.firing ? firing : i < SHARE.firing + SHARE.pending ? pending : calm;
    const address = { ...example.context.address, name: `server-${String(i).padStart(6, '0')}` };
    const states = example.context.states.map((state) =>
      state === null || typeof state === 'string' || state.since === undefined
        ? state
        : { ...state, since: state.since - i * 1_000 },
    );
    return {
      id: actorId(address),
      expected: 0,
      revision: await store.nextRevision(0),
      commitId: `copy-${i}`,
      next: {
        version: example.version,
        state: example.state,
        wakeAt: undefined,
        frequent: JSON.stringify({ ...(JSON.parse(example.frequent) as object), states, outbox: [] }),
        rare: JSON.stringify({ ...(JSON.parse(example.rare) as object), address }),
        place: placeOf({ ...example.context, states }),
      },
      previous: undefined,
    };
  };
  for (let from = 0; from < size; from += AT_ONCE) {
    const commits = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => copy(from + i)));
    const results = await store.commit(commits);
    if (results.some((one) => one !== 'won'))
      throw new Error(`not stored: ${String(results.find((one) => one !== 'won'))}`);
  }
}

async function timed(url: string): Promise<number> {
  const begun = performance.now();
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return performance.now() - begun;
}
