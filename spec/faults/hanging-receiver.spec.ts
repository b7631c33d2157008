import { expect } from 'chai';
import { mapInBatches } from '../../src/system/in-batches.js';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { type Receiver, startReceiver } from '../delivery/senders/receiver.js';
import { ALWAYS, factsBody } from './stage/clients.js';
import { eventually } from './stage/eventually.js';
import { launcher, type Launcher } from './stage/service-process.js';

const FIRINGS = 1_000;
/** Requests on the way at once. */
const AT_ONCE = 32;

describe('a receiver that never answers', () => {
  let services: Launcher;
  let hanging: Receiver;
  let lively: Receiver;

  beforeEach(async () => {
    services = await launcher();
    hanging = await startReceiver(() => undefined);
    lively = await startReceiver((response) => response.end());
  });
  afterEach(async () => {
    await services.close();
    await Promise.all([hanging.stop(), lively.stop()]);
  });

  it('delays no others: webhooks arrive, facts are accepted, a restart is fast', async () => {
    const service = await services.start();
    let api = await apiClient(service.url);
    await api.call('PUT', '/v1.0/demo', { windowsize: 1 });
    await addSubscribedRule(api, 'stuck', hanging.origin);
    await addSubscribedRule(api, 'well', lively.origin);

    const firings = Array.from({ length: FIRINGS }, () => 'stuck');
    await mapInBatches(firings, AT_ONCE, (server) => fact(api, server));
    await promptly(api);

    await service.kill('SIGKILL');
    const again = await services.start();
    api = await apiClient(again.url);
    expect((await again.ready).tookMs, 'ms until it is ready').to.be.below(5_000);
    await promptly(api);
    await pendingAre(api, FIRINGS);
    expect(again.output(), 'errors').not.to.include('"level":"error"');
    expect(service.output(), 'errors').not.to.include('"level":"error"');
  });

  async function addSubscribedRule(api: ApiClient, server: string, url: string): Promise<void> {
    const { body } = await api.call('POST', `/v1.0/demo/servers/${server}/rules`, ALWAYS);
    const bound = await api.call('POST', `/v1.0/demo/servers/${server}/subscription`, {
      ruleId: body['ruleId'],
      url,
    });
    expect(bound.status).to.equal(200);
  }

  async function fact(api: ApiClient, server: string): Promise<void> {
    const { status, text } = await api.call('POST', `/v1.0/demo/servers/${server}`, factsBody(1));
    expect(status, text).to.equal(200);
  }

  /** Fires ten times in sequence. Each webhook must reach the other receiver within two seconds. */
  async function promptly(api: ApiClient): Promise<void> {
    for (let n = 0; n < 10; n += 1) {
      const before = lively.got.length;
      await fact(api, 'well');
      await eventually(
        () => (lively.got.length > before ? true : undefined),
        2_000,
        () => 'the firing is late',
      );
    }
  }

  async function pendingAre(api: ApiClient, count: number): Promise<void> {
    const { body } = await api.call('GET', '/operator/deliveries?state=pending&limit=1000');
    expect(body['deliveries'], 'pending').to.have.length(count);
  }
});
