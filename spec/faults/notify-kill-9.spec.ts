import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { cpu, okBody, windowSize } from '../e2e/policy/actions.js';
import { seeded } from './stage/random.js';
import { launcher, type Launcher } from './stage/service-process.js';

const SERVERS = Array.from({ length: 400 }, (_, i) => `web-${i}`);
/** Elements of each server in one notification. */
const ELEMENTS = 3;
/** Number of kills that must find one part of the servers before their facts, and the other part after them. */
const KILLS_BETWEEN = 2;
const MOST_KILLS = 60;

/** The elements of one server are not side by side. */
const NOTIFICATION = {
  data: Array.from({ length: ELEMENTS }, (_, i) =>
    SERVERS.map((id) => ({ id, type: 'host', cpuLoadPct: i })),
  ).flat(),
};

describe('kill -9 during a notification of several servers', () => {
  let services: Launcher | undefined;
  afterEach(() => services?.close());

  it('leaves each server with all of its elements or none, and loses nothing that was answered', async () => {
    services = await launcher();
    const random = seeded(20_267);
    let service = await services.start();
    let api = await apiClient(service.url);
    await windowSize(api, 1);
    const taken = new Map(SERVERS.map((server) => [server, 0]));
    let between = 0;
    for (let kill = 0; between < KILLS_BETWEEN && kill < MOST_KILLS; kill += 1) {
      const startedAt = performance.now();
      await notify(api);
      const tookMs = performance.now() - startedAt;
      const cut = notify(api).then(
        () => 1,
        () => 0,
      );
      await pause(random() * tookMs);
      await service.kill('SIGKILL');
      const answered = 1 + (await cut);
      service = await services.start();
      api = await apiClient(service.url);
      if (await areBetween(api, taken, answered)) between += 1;
    }
    expect(between, 'kills between two servers').to.equal(KILLS_BETWEEN);
  });
});

async function notify(api: ApiClient): Promise<void> {
  const { facts, servers } = okBody(await api.call('POST', '/demo/notify', NOTIFICATION));
  expect({ facts, servers }).to.deep.equal({ facts: NOTIFICATION.data.length, servers: SERVERS.length });
}

/**
 * Compares the number of facts of each server with what was answered, and adds a fact. Returns true if some servers have
 * the facts of a notification that was not answered, and others have not.
 */
async function areBetween(api: ApiClient, taken: Map<string, number>, answered: number): Promise<boolean> {
  const gains = await Promise.all(
    SERVERS.map(async (server) => {
      const number = await cpu(api, server, 1);
      const gain = number - 1 - taken.get(server)!;
      taken.set(server, number);
      return gain;
    }),
  );
  const [least, most] = [answered * ELEMENTS, 2 * ELEMENTS];
  for (const [i, gain] of gains.entries()) expect(gain, SERVERS[i]).to.be.oneOf([least, most]);
  return new Set(gains).size > 1;
}
