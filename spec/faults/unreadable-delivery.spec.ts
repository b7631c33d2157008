import { expect } from 'chai';
import { openLmdb } from '../../src/store/lmdb/lmdb.js';
import { type Receiver, startReceiver } from '../delivery/senders/receiver.js';
import { okBody } from '../e2e/policy/actions.js';
import { apiClient } from '../e2e/api-client.js';
import { waitingDelivery } from '../delivery/waiting-delivery.js';
import { eventually, SOON_MS } from './stage/eventually.js';
import { launcher, type Launcher } from './stage/service-process.js';

describe('a waiting delivery written by a newer release', () => {
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
    // Due tomorrow; the start makes them due at once.
    const delivery = { origin: receiver.origin, now: Date.now() };
    await store.commit([
      waitingDelivery(tenant, 'msg_newer', { ...delivery, version: 99 }),
      waitingDelivery(tenant, 'msg_plain', delivery),
    ]);
    await store.close();

    const service = await services.start();
    expect((await fetch(`${service.url}/health`)).status).to.equal(200);
    const arrived = () => receiver.got.map(({ headers }) => headers['webhook-id']);
    await eventually(
      () => (arrived().length > 0 ? true : undefined),
      SOON_MS,
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
});
