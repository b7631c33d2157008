import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { openStore } from '../src/store/select.js';
import { tokenOf } from './caller.js';
import { factsBody, factsPath } from './facts-load.js';
import { type List, timesOfList } from './lists.js';
import { measuredPair, type Operation, P1, pairFigures } from './pair.js';
import { median, ratio } from './ratios.js';
import { seedServers } from './seed.js';
import { startMirzam, type Target } from './target.js';

/** Numbers of servers that are compared. */
const SIZES = [1_000, 1_000_000] as const;
/** The first pages and counts that are read. */
const LISTS: readonly List[] = [
  { name: 'fleet, first page', path: '/operator/servers', pauseMs: 0 },
  { name: 'fleet by name, first page', path: '/operator/servers?sort=name', pauseMs: 0 },
  { name: 'rules, first page', path: '/operator/rules', pauseMs: 0 },
  { name: 'overview', path: '/console/api/overview', pauseMs: 1_600 },
  { name: 'metrics', path: '/metrics', pauseMs: 1_100 },
];
/** Readings of the memory, and the pause between two of them, ms. */
const READINGS = { times: 5, pauseMs: 500 };
/** Calls of the store that a sweep makes, and the documents that one of them finds at most. */
const SWEEPS = 200;
const SWEPT = 200;
const HOUR_MS = 3_600_000;
/** Requests of operation 1 a second beside a long answer. */
const BESIDE_PER_S = 200;

export interface MillionOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  /** Folder that keeps the stores for the next run. */
  readonly seeds: string;
}

/**
 * Measures what a million servers cost on the embedded store, as ratios to a thousand: the start, the memory, facts, sweeps, first
 * pages and counts. Then what operation 1 feels of the list of all servers and of the export. Reads /proc: Linux only.
 */
export async function measureMillion(options: MillionOptions): Promise<object> {
  const folders: string[] = [];
  for (const size of SIZES) folders.push(await seededFolder(options.seeds, size));
  // With trends, the first fact of a server after ten minutes needs three commits. A load of a million servers has only such facts.
  const settings = folders.map((DATA_DIR) => ({ DATA_DIR, TREND: 'off' }));
  const figures: Record<string, object> = { start: await starts(settings, options.rounds) };
  const targets: Target[] = [];
  try {
    for (const [i, one] of settings.entries()) targets.push(await startMirzam(`${SIZES[i]} servers`, one));
    const [few, many] = targets as [Target, Target];
    figures['memory after the start'] = await memories(targets);
    figures['facts'] = pairFigures('facts/s', 'a thousand', await measuredPair(P1, many, few, options));
    figures['memory after facts of 1,000 servers'] = await memories(targets);
    for (const list of LISTS)
      figures[list.name] = compared(list.name, await timesOfList(targets, list, options.rounds), 'ms');
    figures['memory after lists'] = await memories(targets);
    const all = await measuredPair(ofAllServers(few), many, few, options);
    figures['facts of all servers'] = pairFigures('facts/s of all servers', 'a thousand', all);
    figures['memory after facts of all servers'] = await memories(targets);
    figures['beside'] = await besideLongAnswers(many, options.seconds);
    figures['memory after long answers'] = await memories(targets);
  } finally {
    for (const target of targets) await target.stop();
  }
  figures['sweep'] = await sweeps(folders);
  console.log(JSON.stringify(figures, undefined, 2));
  return figures;
}

async function seededFolder(seeds: string, size: number): Promise<string> {
  const folder = join(seeds, `servers-${size}`);
  const isThere = await stat(join(folder, 'data.mdb')).then(
    () => true,
    () => false,
  );
  if (!isThere || !(await isQuiet(folder))) {
    await rm(folder, { recursive: true, force: true });
    const seconds = await seedServers(size, { DATA_DIR: folder });
    console.log(`${size} servers stored in ${seconds.toFixed(1)} s`);
  }
  return folder;
}

/** False if a service would wake servers during the bench: most of its commits would be those of the sweeps. */
async function isQuiet(folder: string): Promise<boolean> {
  const store = await openStore({ folder, mongodbUrl: undefined });
  const due = await store.due(Date.now() + HOUR_MS, SWEPT);
  await store.close();
  return due.length < SWEPT;
}

/** Compares two medians, and prints them. */
function compared(name: string, [few, many]: readonly [readonly number[], readonly number[]], unit: string) {
  const figures = { few: median(few), many: median(many), ratio: ratio(median(many), median(few)) };
  console.log(`${name}: ${figures.few.toFixed(2)} and ${figures.many.toFixed(2)} ${unit}, ${figures.ratio}`);
  return figures;
}

async function starts(settings: readonly { readonly DATA_DIR: string }[], rounds: number): Promise<object> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, one] of settings.entries()) {
      const begun = performance.now();
      const target = await startMirzam('mirzam', one);
      times[i]!.push(performance.now() - begun);
      await target.stop();
    }
  }
  return compared('start', times, 'ms');
}

/** Returns the lowest of several readings of the memory, MB: all of it, and that which is not a page of a file. */
async function memoryOf({ pid }: Target): Promise<{ readonly resident: number; readonly anonymous: number }> {
  const seen = [];
  for (let reading = 0; reading < READINGS.times; reading += 1) {
    const text = await readFile(`/proc/${pid}/status`, 'utf8');
    const mb = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)![1]) / 1e3;
    seen.push({ resident: mb('VmRSS'), anonymous: mb('RssAnon') });
    await pause(READINGS.pauseMs);
  }
  return seen.reduce((low, next) => (next.resident < low.resident ? next : low));
}

async function memories(targets: readonly Target[]): Promise<object> {
  const [few, many] = await Promise.all(targets.map(memoryOf));
  return {
    resident: compared('resident memory', [[few!.resident], [many!.resident]], 'MB'),
    anonymous: compared('without pages of files', [[few!.anonymous], [many!.anonymous]], 'MB'),
  };
}

/** Operation 1 for one server after the other, of all that a service has. */
function ofAllServers(few: Target): Operation {
  return {
    name: 'P1 of all servers',
    warmUpS: 3,
    async load(target, { seconds, connections }) {
      const { url } = target;
      const size = target === few ? SIZES[0] : SIZES[1];
      let n = 0;
      const result = await autocannon({
        url,
        connections,
        duration: seconds,
        requests: [
          {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            setupRequest: (request) => {
              // No common factor with the sizes: each server once before the first again, and no neighbours.
              n = (n + 7_919) % size;
              return { ...request, path: factsPath(n), body: factsBody(n, 1) };
            },
          },
        ],
      });
      const answers = result['2xx'];
      if (result.non2xx + result.errors > 0) throw new Error('facts were refused');
      return { perS: answers / result.duration, answers };
    },
  };
}

/** Measures operation 1 at a low rate: alone, beside operation 9, and beside the export. */
async function besideLongAnswers(target: Target, seconds: number): Promise<object> {
  const headers = { 'x-auth-token': await tokenOf(target.url, 'demo') };
  const figures: Record<string, object> = {};
  for (const [name, path] of [
    ['nothing', undefined],
    ['the list of servers', '/v1.0/demo/servers/'],
    ['the export', '/operator/export'],
  ] as const) {
    const progress = { ended: path === undefined };
    const reading = path === undefined ? undefined : read(target.url + path, headers);
    const done = reading?.finally(() => (progress.ended = true));
    const latencies: { p50: number; p99: number; max: number }[] = [];
    do {
      latencies.push(await latencyOf(target, seconds));
    } while (!progress.ended);
    const of = (key: 'p50' | 'p99' | 'max'): number => median(latencies.map((one) => one[key]));
    const { mb = 0, s = 0 } = (await done) ?? {};
    figures[name] = { p50: of('p50'), p99: of('p99'), max: of('max'), mb, s };
    const size = path === undefined ? '' : `; ${mb.toFixed(0)} MB in ${s.toFixed(1)} s`;
    console.log(
      `P1 beside ${name}: p50 ${of('p50')} ms, p99 ${of('p99')} ms, at most ${of('max')} ms${size}`,
    );
  }
  return figures;
}

async function read(url: string, headers: Record<string, string>): Promise<{ mb: number; s: number }> {
  const begun = performance.now();
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  let bytes = 0;
  for await (const piece of response.body!) bytes += (piece as Uint8Array).length;
  return { mb: bytes / 1e6, s: (performance.now() - begun) / 1_000 };
}

async function latencyOf(target: Target, seconds: number) {
  const { latency, non2xx, errors } = await autocannon({
    url: target.url,
    connections: 4,
    duration: seconds,
    overallRate: BESIDE_PER_S,
    requests: [
      {
        method: 'POST',
        path: factsPath(0),
        headers: { 'content-type': 'application/json' },
        body: factsBody(0, 1),
      },
    ],
  });
  if (non2xx + errors > 0) throw new Error('facts were refused');
  return { p50: latency.p50, p99: latency.p99, max: latency.max };
}

/** Measures the call of the store by which a sweep finds what is due, while the service is stopped. */
async function sweeps(folders: readonly string[]): Promise<object> {
  const times: [number[], number[]] = [[], []];
  for (const [i, folder] of folders.entries()) {
    const store = await openStore({ folder, mongodbUrl: undefined });
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
      const begun = performance.now();
      await store.due(Date.now(), SWEPT);
      times[i]!.push((performance.now() - begun) * 1_000);
      await pause(0);
    }
    await store.close();
  }
  return compared('sweep', times, 'µs');
}
