import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openMongo } from '../../../src/store/mongo/mongo.js';
import { mongoOfSuite } from '../../servers/mongodb.js';
import { relaySockets } from '../../servers/relay.js';
import { change, commitOne, create, loadExisting } from '../documents.js';

/** The field of a command by which a server knows a repetition again. Eight bytes follow. */
const NUMBER = Buffer.from('\x12txnNumber\0', 'latin1');

describe('a write to MongoDB that the driver repeats', () => {
  const server = mongoOfSuite();

  it('has an unknown outcome, not a lost one, on an engine that does not know it again, if later commits hide it', async () => {
    const direct = new URL(server.database());
    let armed = false;
    let first: Socket | undefined;
    const relay = await relaySockets(Number(direct.port), (client, remote) => {
      client.on('data', (data) => {
        if (armed && data.includes('updates')) {
          if (first === undefined) first = client;
          else if (data.includes(NUMBER)) data.writeInt32LE(1_000_000, data.indexOf(NUMBER) + NUMBER.length);
        }
        remote.write(data);
      });
      remote.on('data', (data) => client !== first && client.write(data));
    });
    const throughRelay = new URL(direct);
    throughRelay.port = String(relay.port);
    const store = await openMongo({ url: throughRelay.href, timeoutMs: 15_000 });
    const other = await MongoClient.connect(direct.href);
    try {
      const before = await create(store, 'k/t/a');
      const mine = change('k/t/a', before, { frequent: 'mine' });
      armed = true;
      const outcome = commitOne(store, mine).catch((error: unknown) => error as Error);
      const actors = other.db().collection<{ _id: string; rev: number; by: string }>('actors');
      while ((await actors.findOne({ _id: 'k/t/a' }))?.by !== mine.commitId);
      await actors.updateOne({ _id: 'k/t/a' }, { $set: { rev: mine.revision + 1, by: 'others' } });
      const closed = once(first!, 'close');
      first!.resetAndDestroy();
      await closed;
      expect(await outcome)
        .to.be.an('error')
        .with.property('name', 'StoreUnavailable');
      expect(await loadExisting(store, 'k/t/a')).to.include({ frequent: 'mine' });
    } finally {
      await store.close();
      await other.close();
      await relay.close();
    }
  });
});
