import { expect } from 'chai';
import type { InboxMessage } from '../../../src/embedded/inbox.js';
import { pageIn, post } from '../../policy/http/mute/link-scene.js';
import type { ApiClient } from '../api-client.js';
import { scenes } from '../scene.js';
import { addSubscribedRule, factsBody, mailsIn, okBody } from './actions.js';

const WEEK_MS = 7 * 86_400_000;
const RULE = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater', clear: 70 } },
  resolve: true,
  repeat: 0,
  action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Add a machine, please.' },
} as const;

const measure = async (api: ApiClient, ...values: number[]): Promise<unknown> =>
  okBody(
    await api.call('POST', '/demo/servers/web-1', factsBody(...values.map((cpuLoadPct) => ({ cpuLoadPct })))),
  );

describe('the e-mails of a service', () => {
  const open = scenes();

  it('say that a rule fires and that it is over, each with its window as a picture', async () => {
    const { api } = await open.service();
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', RULE);
    await measure(api, 88, 91, 93, 95, 97, 96);
    await measure(api, 10, 5);
    const [resolved, firing] = (await mailsIn(api, 2)) as [InboxMessage, InboxMessage];
    expect([firing.subject, resolved.subject]).to.deep.equal([
      'Firing: busy on web-1',
      'Resolved: busy on web-1',
    ]);
    expect(firing.text).to.match(
      /^busy fires on web-1\.\n\nAdd a machine, please\.\n\nHolds since \S+: the mean of cpu is 92\.8, greater than 85\.\n/,
    );
    expect(firing.text).to.include('88, 91, 93, 95, 97; the threshold is 85 %, it clears at 70 %.');
    expect(resolved.text).to.match(
      /^Resolved: busy holds no longer on web-1\.\n\nDoes not hold: the mean of cpu is 60\.6, not greater than 85\.\n\nWhen it fires, the rule says:\nAdd a machine, please\.\n\n/,
    );
    for (const { html } of [firing, resolved]) {
      expect(html.match(/<img [^>]*>/g)).to.have.length(1);
      expect(html).to.match(
        /<img src="data:image\/png;base64,iVBORw0KGgo[^"]+" width="280" height="96" alt="Chart of cpu: 5/,
      );
    }
  });

  it('have a link in headers, text and HTML: one click of a mail program mutes, the page unmutes', async () => {
    const { url, api } = await open.service();
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', RULE);
    await measure(api, 88, 91, 93, 95, 97);
    const [{ headers, html, text }] = (await mailsIn(api, 1)) as [InboxMessage];
    const address = /^<(.*)>$/.exec(headers['list-unsubscribe']!)![1]!;
    expect(address.startsWith(`${url}/mute/`)).to.equal(true);
    expect(html).to.include(`<a href="${address}">`);
    expect(text).to.include(`Mute: ${address}`);
    expect((await fetch(address)).status).to.equal(200);
    expect(headers['list-unsubscribe-post']).to.equal('List-Unsubscribe=One-Click');
    await pageIn(await post(address, headers['list-unsubscribe-post']!));
    // It is over, and nobody is told.
    await measure(api, 1, 1, 1, 1, 1);
    const explained = okBody(await api.call('GET', `/v1.0/demo/servers/web-1/rules/${ruleId}/explain`));
    const [{ state, unsent }] = explained['subscriptions'] as unknown as [{ state: string; unsent: number }];
    expect({ state, unsent }).to.deep.equal({ state: 'calm', unsent: 1 });
    const path = `/v1.0/demo/servers/web-1/subscription/${subscriptionId}`;
    const { mutedUntil } = okBody(await api.call('GET', path));
    expect(Date.parse(mutedUntil!)).to.be.closeTo(Date.now() + WEEK_MS, 60_000);
    expect(await mailsIn(api, 1)).to.have.length(1);
    await pageIn(await post(address, 'action=unmute'));
    expect(okBody(await api.call('GET', path))).not.to.have.property('mutedUntil');
  });
});
