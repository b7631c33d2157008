import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { openMongo } from '../../../src/store/mongo/mongo.js';
import { type Store, StoreUnavailable } from '../../../src/store/port.js';
import { type MongoServer, startMongo } from '../../servers/mongodb.js';
import { change, commitAll, commitOne, create, creation, loadExisting } from '../documents.js';
import { expectAllFound, merge, startWriter } from '../writer.js';

describe('the store in MongoDB when processes are killed', () => {
  let server: MongoServer;
  let kill: () => Promise<void>;
  let restart: () => Promise<void>;

  beforeEach(async function () {
    const found = await startMongo();
    if (found === undefined) this.skip();
    server = found;
    if (found.kill === undefined || found.restart === undefined) {
      console.log('Skipping: the server of MONGODB_TEST_URL is not ours to kill');
      this.skip();
    }
    ({ kill, restart } = { kill: found.kill, restart: found.restart });
  });
  afterEach(() => server?.stop());

  it('is unavailable while the server is down, and goes on once it is back', async () => {
    const timeoutMs = 700;
    const store = await openMongo({ url: server.database(), timeoutMs });
    const before = await create(store, 'k/t/a', { rare: 'C' });
    await kill();
    const begun = Date.now();
    for (const use of [
      () => store.load('k/t/a'),
      () => store.commit([change('k/t/a', before, { frequent: 'H' }), creation('k/t/b')]),
      () => store.list({ kind: 'k', limit: 1 }),
      () => store.outline({ kind: 'k', limit: 1 }),
      () => store.due(1, 1),
      () => store.ping(),
    ]) {
      expect(await nameOfRefusal(use)).to.equal('StoreUnavailable');
    }
    expect(Date.now() - begun).to.be.below(5 * 4 * timeoutMs);
    await restart();
    await untilItServes(store);
    expect(await store.load('k/t/a')).to.deep.equal(before);
    expect(await commitOne(store, change('k/t/a', before, { frequent: 'H' }))).to.equal('won');
    await store.close();
  });

  it('is unavailable for calls that begin while the connections close', async () => {
    // In this moment, about every second call has no answer from the driver.
    for (let round = 0; round < 5; round += 1) {
      const store = await openMongo({ url: server.database(), timeoutMs: 300 });
      const before = await create(store, `k/t/${round}`);
      await kill();
      const load = nameOfRefusal(() => store.load(`k/t/${round}`));
      await setImmediate();
      const commit = nameOfRefusal(() => store.commit([change(`k/t/${round}`, before, { frequent: 'H' })]));
      expect(await Promise.all([load, commit])).to.deep.equal(['StoreUnavailable', 'StoreUnavailable']);
      await store.close();
      await restart();
    }
  });

  it('applies a commit after an outage that is shorter than its time', async () => {
    const store = await openMongo({ url: server.database(), timeoutMs: 15_000 });
    const before = await create(store, 'k/t/a');
    await kill();
    const outcomes = commitAll(store, [change('k/t/a', before, { frequent: 'H' }), creation('k/t/b')]);
    await restart();
    expect(await outcomes).to.deep.equal(['won', 'won']);
    expect((await loadExisting(store, 'k/t/a')).frequent).to.equal('H');
    await store.close();
  });

  it('has every commit that was acknowledged to a writer that is killed, again and again', async () => {
    const url = server.database();
    let acknowledged: ReadonlyMap<string, number> = new Map();
    const store = await openMongo({ url });
    for (let round = 0; round < 3; round += 1) {
      const writer = startWriter({ url });
      await writer.more(200 + 100 * round);
      await writer.kill();
      acknowledged = merge(acknowledged, writer.acknowledged);
      await expectAllFound(store, acknowledged);
    }
    await store.close();
  });

  it('has every acknowledged commit, each once, after the server is killed and comes back', async () => {
    const url = server.database();
    const writer = startWriter({ url });
    for (let round = 0; round < 3; round += 1) {
      await writer.more(300);
      await kill();
      await restart();
    }
    await writer.more(300);
    expect(await writer.end()).to.equal(0);
    const store = await openMongo({ url });
    await expectAllFound(store, writer.acknowledged);
    // No other process writes: a writer with the outcome `lost` has in truth won before, and would repeat the change.
    expect(writer.lines.filter((line) => line.endsWith('lost'))).to.deep.equal([]);
    await store.close();
  });
});

function nameOfRefusal(use: () => Promise<unknown>): Promise<string> {
  return use().then(
    () => 'an answer',
    (error: unknown) => (error as Error).name,
  );
}

async function untilItServes(store: Store): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      await store.ping();
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || Date.now() > deadline) throw error;
    }
  }
}
