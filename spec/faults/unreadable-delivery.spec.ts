import { expect } from 'chai';
import { openLmdb } from '../../src/store/lmdb.js';
import type { Commit } from '../../src/store/port.js';
import { startReceiver } from '../delivery/receiver.js';
import type { Receiver } from '../delivery/receiver.js';
import { eventually } from './eventually.js';
import { launcher } from './service-process.js';
import type { Launcher } from './service-process.js';

const DAY_MS = 86_400_000;

describe('a waiting delivery that a newer release wrote', function () {
  this.timeout(60_000);
  let services: Launcher;
  let receiver: Receiver;

  beforeEach(async () => {
    services = await launcher();
    receiver = await startReceiver((response) => response.end());
  });
  afterEach(async () => {
    await services.close();
    await receiver.stop();
  });

  it('keeps neither the service from its start nor its neighbours from theirs', async () => {
    const store = await openLmdb({ folder: services.folder });
    await store.commit([waiting('msg_newer', 99), waiting('msg_plain', 1)]);
    await store.close();

    const service = await services.start();
    expect((await fetch(`${service.url}/health`)).status).to.equal(200);
    const arrived = () => receiver.got.map(({ headers }) => headers['webhook-id']);
    await eventually(
      () => (arrived().length > 0 ? true : undefined),
      10_000,
      () => 'nothing was tried',
    );
    expect(arrived()).to.deep.equal(['msg_plain']);
  });

  /** A delivery whose next attempt would come tomorrow, were it not for the start. */
  function waiting(name: string, version: number): Commit {
    const wakeAt = Date.now() + DAY_MS;
    const message = { channel: 'webhook', url: `${receiver.origin}/hook`, body: '{}' };
    const about = { tenant: 't', server: 's', subscriptionId: 'u' };
    const hot = JSON.stringify({ since: Date.now(), tries: 1, attempts: [], outbox: [], wakeAt });
    const queue = `t/${receiver.origin}`;
    const next = { version, state: 'waiting', wakeAt, queue, hot, cold: JSON.stringify({ message, about }) };
    return { id: `delivery/t/${name}`, expected: 0, revision: 1, commitId: name, next, previous: undefined };
  }
});
