import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type List, timesOfList } from './lists.js';
import { median, ratio } from './ratios.js';
import { seedServers } from './seed.js';
import { startMirzam, type Target } from './target.js';

/** Numbers of servers that are compared. */
const SIZES = [1_000, 100_000] as const;
const LISTS: readonly List[] = [
  { name: 'the worst first', path: '/operator/servers', pauseMs: 0 },
  { name: 'the oldest first', path: '/operator/servers?sort=since', pauseMs: 0 },
  { name: 'firing of a tenant', path: '/operator/servers?state=firing&tenant=demo', pauseMs: 0 },
  { name: 'rules', path: '/operator/rules', pauseMs: 1_100 },
  { name: 'overview', path: '/console/api/overview', pauseMs: 1_600 },
  { name: 'number in trouble', path: '/console/api/trouble', pauseMs: 1_600 },
];

/**
 * Measures how long the lists of servers take with 100,000 servers, as a ratio to 1,000 servers. Both services run, and the
 * requests alternate. `mongodb`: the url of a server without a database; undefined: the embedded store.
 */
export async function measureFleet(rounds: number, mongodb: string | undefined): Promise<object> {
  const services: Service[] = [];
  try {
    for (const size of SIZES) services.push(await fleetOf(size, mongodb));
    const figures: Record<string, object> = {};
    const targets = services.map(({ target }) => target);
    for (const list of LISTS) {
      const { name } = list;
      const [few, many] = (await timesOfList(targets, list, rounds)).map(median) as [number, number];
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
  console.log(`${size} servers stored in ${(await seedServers(size, settings)).toFixed(1)} s`);
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
