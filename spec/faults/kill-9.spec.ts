import { setTimeout as pause } from 'node:timers/promises';
import { type MongoServer, startMongo } from '../servers/mongodb.js';
import { auditFacts, auditState } from './stage/audit.js';
import { client, sendFact } from './stage/clients.js';
import { flakyReceiver, type FlakyReceiver } from './stage/flaky-receiver.js';
import { seeded } from './stage/random.js';
import { worldAt } from './stage/scene.js';
import { type Launched, launcher, type Launcher } from './stage/service-process.js';

const KILLS = 50;
const CLIENTS = 8;
/** Number of further kills during starts. */
const KILLS_IN_START = 5;
/** Longest delay of a firing after the last start, ms: 10 s until its attempt, and the queue. */
const ARRIVAL_MS = 30_000;

describe('kill -9 under load', function () {
  let mongo: MongoServer | undefined;
  let services: Launcher | undefined;
  let receiver: FlakyReceiver | undefined;

  afterEach(async () => {
    await services?.close();
    await receiver?.stop();
    await mongo?.stop();
    services = receiver = mongo = undefined;
  });

  it('loses nothing that was acknowledged, and fires nothing under two ids: embedded store', async () => {
    services = await launcher();
    await survive(services, 20_261);
  });

  it('loses nothing that was acknowledged, and fires nothing under two ids: MongoDB', async function () {
    mongo = await startMongo();
    if (mongo === undefined) return this.skip();
    services = await launcher({ MONGODB_URL: mongo.database() });
    await survive(services, 20_262);
  });

  async function survive(from: Launcher, seed: number): Promise<void> {
    const random = seeded(seed);
    receiver = await flakyReceiver(seeded(seed + 1));
    const ready: number[] = [];
    const start = async (): Promise<Launched & { readonly url: string }> => {
      const launched = from.launch();
      const { url, tookMs } = await launched.ready;
      ready.push(tookMs);
      return { ...launched, url };
    };
    let service = await start();
    const world = await worldAt([service.url], receiver.url, random);

    for (let kill = 1; kill <= KILLS; kill += 1) {
      world.running = true;
      const clients = Array.from({ length: CLIENTS }, () => client(world));
      await pause(100 + random() * 500);
      world.running = false;
      await service.kill('SIGKILL');
      await Promise.all(clients);
      if (kill % (KILLS / KILLS_IN_START) === 0) {
        const early = from.launch();
        await pause(random() * 600);
        await early.kill('SIGKILL');
      }
      service = await start();
      world.urls = [service.url];
      // A lost fact would show as a reused number.
      await sendFact(world);
    }

    receiver.behave();
    await service.kill('SIGKILL');
    service = await start();
    world.urls = [service.url];
    await auditState(world);
    const { facts } = await auditFacts(world, receiver, ARRIVAL_MS);
    const { firings, requests } = receiver.counts();
    const sorted = ready.toSorted((a, b) => a - b);
    console.log(
      `      ${facts} facts, ${firings} firings in ${requests} requests; ` +
        `ready after ${sorted[sorted.length >> 1]!.toFixed(0)} ms (median), ${sorted.at(-1)!.toFixed(0)} ms (slowest)`,
    );
  }
});
