import { expect } from 'chai';
import { request } from '../e2e/api-client.js';
import { type MongoServer, startMongo } from '../servers/mongodb.js';
import { auditFacts, auditState } from './stage/audit.js';
import { client, factsBody, type World } from './stage/clients.js';
import { eventually, SOON_MS } from './stage/eventually.js';
import { flakyReceiver, type FlakyReceiver } from './stage/flaky-receiver.js';
import { seeded } from './stage/random.js';
import { worldAt } from './stage/scene.js';
import { launcher, type Launcher } from './stage/service-process.js';

/** Longest request during the outage, ms: two attempts of 5 s, and a margin. */
const PATIENCE_MS = 15_000;
const OUTAGES = 2;
/** Longest recovery, ms: twice the back-off of 9 s, and the queue. */
const ARRIVAL_MS = 40_000;

describe('outage of the database', function () {
  let mongo: MongoServer | undefined;
  let services: Launcher;
  let receiver: FlakyReceiver;

  beforeEach(async function () {
    mongo = await startMongo();
    if (mongo?.kill === undefined) return this.skip();
    services = await launcher({ MONGODB_URL: mongo.database() });
    receiver = await flakyReceiver(seeded(40_261));
  });
  afterEach(async () => {
    if (mongo?.kill !== undefined) {
      await services.close();
      await receiver.stop();
    }
    await mongo?.stop();
  });

  it('answers requests with 503 meanwhile, loses nothing, and needs no restart', async () => {
    const service = await services.start();
    const world = await worldAt([service.url], receiver.url, seeded(40_262));
    for (let outage = 1; outage <= OUTAGES; outage += 1) {
      world.running = true;
      const clients = Array.from({ length: 8 }, () => client(world));
      const sofar = receiver.counts().firings;
      await eventually(
        () => (receiver.counts().firings > sofar + 100 ? true : undefined),
        SOON_MS,
        () => 'few firings',
      );
      await mongo!.kill!();
      await refused(world, service.url);
      world.running = false;
      await Promise.all(clients);
      await mongo!.restart!();
      await eventually(
        async () => ((await request(`${service.url}/health`, 'GET')).status === 200 ? true : undefined),
        PATIENCE_MS,
        () => 'the service is not healthy again',
      );
    }
    receiver.behave();
    expect(service.output()).not.to.include('"level":"fatal"');
    await auditState(world);
    await auditFacts(world, receiver, ARRIVAL_MS);
  });

  /** Checks the answers during the outage: reads did nothing, writes have an unknown outcome, both have Retry-After. */
  async function refused({ token }: World, url: string): Promise<void> {
    const headers = { 'x-auth-token': token };
    // Values read before may be served from a cache for half a second.
    await eventually(
      async () => {
        const { status } = await request(`${url}/v1.0/demo/rules`, 'GET', undefined, headers);
        return status === 503 ? true : undefined;
      },
      PATIENCE_MS,
      () => 'reads are still answered',
    );
    const started = performance.now();
    const answers = await Promise.all([
      request(`${url}/v1.0/demo/rules`, 'GET', undefined, headers),
      request(`${url}/v1.0/demo/servers/new-one`, 'POST', factsBody(1), headers),
      request(`${url}/v1.0/demo`, 'PUT', { windowsize: 1 }, headers),
      request(`${url}/health`, 'GET'),
    ]);
    for (const [i, answer] of answers.entries()) {
      expect(answer.status, answer.text).to.equal(503);
      expect(Number(answer.headers.get('retry-after'))).to.be.at.least(1);
      const isHealth = i === answers.length - 1;
      const said = isHealth ? /the database does not answer: / : /nothing was done|outcome is unknown/;
      expect(answer.body.error?.message).to.match(said);
    }
    expect(performance.now() - started, 'ms until the refusal').to.be.below(PATIENCE_MS);
  }
});
