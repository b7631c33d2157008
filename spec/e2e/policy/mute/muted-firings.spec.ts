import { expect } from 'chai';
import type { Explanation } from '../../../../src/policy/explain/shapes.js';
import type { ApiClient } from '../../api-client.js';
import { scenes } from '../../scene.js';
import {
  addSubscribedRule,
  arrived,
  cpu,
  factsIn,
  mailsIn,
  okBody,
  subscribe,
  windowSize,
} from '../actions.js';

const BUSY = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Look at it.' },
};

describe('a muted subscription', () => {
  const open = scenes();

  const muteOf = (id: string): string => `/v1.0/demo/servers/web-1/subscription/${id}/mute`;
  const explained = async (api: ApiClient, ruleId: string, id: string) => {
    const answer = await api.call('GET', `/v1.0/demo/servers/web-1/rules/${ruleId}/explain`);
    const { subscriptions } = okBody(answer) as unknown as Explanation;
    return subscriptions.find(({ subscriptionId }) => subscriptionId === id)!;
  };

  it('is evaluated and sends nothing, then and later; its messages are counted', async () => {
    const { api } = await open.service({ MAIL_INTERVAL_S: '0' });
    await windowSize(api, 1);
    const muted = await open.receiver();
    const other = await open.receiver();
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', muted.origin, BUSY);
    const heard = await subscribe(api, 'web-1', ruleId, other.origin);
    const answer = okBody(await api.call('PUT', muteOf(subscriptionId), { for: 3_600 }));
    const mutedUntil = String(answer['mutedUntil']);

    for (const value of [90, 95, 10, 97]) await cpu(api, 'web-1', value);
    await arrived(other, 3);
    const silent = await explained(api, ruleId, subscriptionId);
    expect(silent).to.include({ state: 'firing', firings: 0, unsent: 3, mutedUntil, lastFiring: null });
    expect(silent.sentence).to.match(/^Muted until \S+Z\. Holds since /);
    expect(silent.sentence).to.contain(`Muted until ${mutedUntil.slice(0, 19)}Z. `);
    expect(await explained(api, ruleId, heard)).to.include({ state: 'firing', firings: 3, unsent: 0 });

    okBody(await api.call('DELETE', muteOf(subscriptionId)));
    await cpu(api, 'web-1', 98);
    await arrived(other, 4);
    expect(factsIn(await arrived(muted, 1))).to.deep.equal([5]);
    const again = await explained(api, ruleId, subscriptionId);
    expect(again).to.include({ state: 'firing', firings: 1, unsent: 3 });
    expect(Object.keys(again)).not.to.include('mutedUntil');
    expect(again.sentence).to.match(/^Holds since /);
    expect(muted.got).to.have.length(1);
  });

  it('sends no mail either, and the mail after it stands for no silent firing', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    const receiver = await open.receiver();
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin, BUSY);
    okBody(await api.call('PUT', muteOf(subscriptionId), { for: 3_600 }));
    for (const value of [90, 95]) await cpu(api, 'web-1', value);
    okBody(await api.call('DELETE', muteOf(subscriptionId)));
    await cpu(api, 'web-1', 97);
    await arrived(receiver, 1);
    const [mail, ...others] = await mailsIn(api, 1);
    expect(others).to.deep.equal([]);
    expect(mail!.text).to.contain('97').and.not.to.contain('since the last e-mail');
  });
});
