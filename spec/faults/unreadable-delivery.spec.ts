import { expect } from 'chai';
import { openLmdb } from '../../src/store/lmdb/lmdb.js';
import type { Commit } from '../../src/store/port.js';
import { startReceiver } from '../delivery/senders/receiver.js';
import type { Receiver } from '../delivery/senders/receiver.js';
import { okBody } from '../e2e/policy/actions.js';
import { apiClient } from '../e2e/api-client.js';
import { eventually } from './stage/eventually.js';
import { launcher } from './stage/service-process.js';
import type { Launcher } from './stage/service-process.js';

const DAY_MS = 86_400_000;

describe('a waiting delivery written by a newer release', function () {
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

  it('prevents neither the start of the service nor the attempts of other deliveries', async () => {
    const tenant = await knownTenant();
    const store = await openLmdb({ folder: services.folder });
    await store.commit([waiting(tenant, 'msg_newer', 99), waiting(tenant, 'msg_plain', 1)]);
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

  /** Returns the id of the demo tenant, from a service that is then stopped. */
  async function knownTenant(): Promise<string> {
    const before = await services.start();
    const api = await apiClient(before.url);
    await api.call('GET', '/v1.0/demo');
    const page = okBody(await api.call('GET', '/operator/actors?kind=tenant'));
    await before.kill('SIGKILL');
    return (page['actors'] as unknown as { tenant: string }[])[0]!.tenant;
  }

  /** Stores a delivery with its next attempt tomorrow, which the start makes due. */
  function waiting(tenant: string, name: string, version: number): Commit {
    const wakeAt = Date.now() + DAY_MS;
    const message = { channel: 'webhook', url: `${receiver.origin}/hook`, body: '{}' };
    const about = { tenant, server: 's', subscriptionId: 'u' };
    const hot = JSON.stringify({ since: Date.now(), tries: 1, attempts: [], outbox: [], wakeAt });
    const queue = `${tenant}/${receiver.origin}`;
    const next = { version, state: 'waiting', wakeAt, queue, hot, cold: JSON.stringify({ message, about }) };
    return {
      id: `delivery/${tenant}/${name}`,
      expected: 0,
      revision: 1,
      commitId: name,
      next,
      previous: undefined,
    };
  }
});
