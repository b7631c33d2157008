import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { median, ratio } from './ratios.js';
import { seedServers } from './seed.js';
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

async function timed(url: string): Promise<number> {
  const begun = performance.now();
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return performance.now() - begun;
}
