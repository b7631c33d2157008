import { expect } from 'chai';
import { startReceiver } from '../delivery/senders/receiver.js';
import {
  addRule,
  arrived,
  cpu,
  factsBody,
  subscribe,
  okBody,
  addSubscribedRule,
  windowSize,
} from '../e2e/policy/actions.js';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { scenes } from '../e2e/scene.js';
import { eventually } from './stage/eventually.js';

/** Silent receivers of one tenant: more than a tenant has permits for. */
const DEAD = 300;
/** Permits of a tenant for receivers that have not answered yet. */
const PERMITS = 192;
/** Duration of a hanging attempt with a margin, ms. */
const HANGS_MS = 20_000;

describe('permits of deliveries', () => {
  const open = scenes();

  it('stay available to other tenants, and are shared between the receivers of one, with 300 silent receivers', async () => {
    const { api, url } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,calm:calm:calm' });
    const dead = open.keep(await startReceiver(() => undefined, { host: '0.0.0.0' }), (one) => one.stop());
    const well = await open.receiver();
    const other = await open.receiver();
    const calm = await apiClient(url, 'calm', 'calm', 'calm');
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'stuck');
    for (let n = 0; n < DEAD; n += 1) {
      // Each loopback address counts as a separate receiver.
      await subscribe(api, 'stuck', ruleId, `http://127.0.${n >> 7}.${(n & 127) + 1}:${dead.port}/`);
    }
    await addSubscribedRule(api, 'well', well.origin);
    await subscribeCalm(calm, other.origin);

    for (let n = 0; n < 3; n += 1) await cpu(api, 'stuck', n);
    await arrived(dead, PERMITS);

    okBody(await calm.call('POST', '/calm/servers/calm', factsBody({ cpuLoadPct: 1 })));
    await arrived(other, 1);
    expect(dead.got.length, 'no attempt of the first tenant has ended').to.equal(PERMITS);

    await cpu(api, 'well', 1);
    await eventually(
      () => (well.got.length > 0 ? true : undefined),
      HANGS_MS,
      () => 'the healthy receiver got nothing',
    );
    // The first attempts have ended, and the next ones, one of them in the permit of the healthy one, are still hanging.
    expect(dead.got.length, 'attempts of the dead ones').to.be.at.most(2 * PERMITS);
  });

  async function subscribeCalm(calm: ApiClient, url: string): Promise<void> {
    okBody(await calm.call('PUT', '/v1.0/calm', { windowsize: 1 }));
    const path = '/v1.0/calm/servers/calm';
    const rule = {
      name: 'always',
      condition: { cpu: { value: 0, operand: 'greater equal' } },
      action: { actionName: 'notify-scale', operation: 'scaleUp' },
    };
    const { ruleId } = okBody(await calm.call('POST', `${path}/rules`, rule));
    okBody(await calm.call('POST', `${path}/subscription`, { ruleId, url }));
  }
});
