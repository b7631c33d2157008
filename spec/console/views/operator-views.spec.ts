import { expect } from 'chai';
import type { InboxView, KindsView, MailView } from '../../../src/console/shapes.js';
import { embeddedTenantId } from '../../../src/identity/embedded.js';
import { apiClient, type ApiClient } from '../../e2e/api-client.js';
import { addSubscribedRule, cpu, okBody, windowSize } from '../../e2e/policy/actions.js';
import { expectRefusal } from '../../e2e/refusal.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { browserClient, DEMO } from '../browser-client.js';

const EMAIL = {
  name: 'tell',
  condition: { cpu: { value: 0, operand: 'greater equal' } },
  action: { actionName: 'notify-email', email: 'ops@example.org', body: 'It is <b>busy</b>.' },
};

const KINDS = '/console/api/kinds';
const INBOX = '/console/api/inbox';

async function inbox(api: ApiClient, query = ''): Promise<InboxView> {
  return okBody(await api.call('GET', INBOX + query)) as unknown as InboxView;
}

describe('views of the console for operators', () => {
  const open = scenes();

  it('list the kinds of actors with their states', async () => {
    const { api } = await open.service();
    const { kinds } = okBody(
      await api.call('GET', KINDS, undefined, { 'x-auth-token': '' }),
    ) as never as KindsView;
    const delivery = kinds.find(({ kind }) => kind === 'delivery');
    expect(delivery?.states).to.include.members(['sending', 'waiting', 'delivered', 'dead']);
    expect(kinds.map(({ kind }) => kind)).to.include.members(['server', 'tenant', 'endpoint']);
    // Each with its transitions and their events.
    const ways = delivery!.chart.transitions.filter(({ from }) => from === 'waiting');
    expect(ways.find(({ to }) => to === 'sending')?.events).to.include.members(['wake', 'acquired']);
    for (const { states, chart } of kinds) {
      expect(chart.states).to.deep.equal(states);
      for (const { from, to } of chart.transitions) expect(states).to.include.members([from, to]);
    }
  });

  it('list the mails of the inbox in pages, newest first, and show one', async () => {
    const { url } = await open.service();
    const { api } = await sent(url, 3);
    const all = await inbox(api);
    expect(all.next).to.equal(null);
    const pages = [await inbox(api, '?limit=2')];
    pages.push(await inbox(api, `?limit=2&before=${pages[0]!.next}`));
    expect(pages.flatMap(({ mails }) => mails)).to.deep.equal(all.mails);
    expect(pages[1]!.next).to.equal(null);
    expect(all.mails.map(({ receivedAt }) => receivedAt)).to.deep.equal(
      all.mails
        .map(({ receivedAt }) => receivedAt)
        .toSorted()
        .toReversed(),
    );

    const [row] = all.mails;
    const members = ['from', 'id', 'receivedAt', 'subject', 'tenantId', 'to'];
    expect(Object.keys(row!).toSorted()).to.deep.equal(members);
    expect(row!.tenantId).to.equal(embeddedTenantId('demo'));
    const mail = okBody(await api.call('GET', `${INBOX}/${row!.id}`)) as unknown as MailView;
    expect(mail).to.deep.include({ ...row, hasHtml: true });
    expect(mail.text).to.include('It is <b>busy</b>.');
    expect(mail.headers).to.have.property('message-id');
    expectRefusal(await api.call('GET', `${INBOX}/nothing`), 404, 'no such mail');
    expectRefusal(await api.call('GET', `${INBOX}?before=nothing`), 400, 'before');
    expectRefusal(await api.call('GET', `${INBOX}?after=1`), 400, 'before, limit');
    expectRefusal(await api.call('GET', `${INBOX}/${row!.id}?limit=1`), 400, 'limit');
  });

  it('are not for tenants', async () => {
    const { url } = await open.service();
    const demo = await browserClient(url, DEMO);
    for (const path of [KINDS, INBOX, `${INBOX}/some`]) {
      expectRefusal(await demo.call('GET', path), 403, 'operators');
    }
  });

  it('say that there is no inbox when mails go elsewhere', async () => {
    const { api } = await open.service({ SMTP_URL: 'smtp://127.0.0.1:9' });
    const asOperator = { 'x-auth-token': '' };
    expectRefusal(await api.call('GET', INBOX, undefined, asOperator), 404, 'SMTP_URL');
  });

  /** Sends mails. Returns an operator's client once they have arrived. */
  async function sent(url: string, count: number): Promise<{ readonly api: ApiClient }> {
    const tenant = await apiClient(url);
    const api: ApiClient = {
      ...tenant,
      call: (method, path, body, headers) =>
        tenant.call(method, path, body, { 'x-auth-token': '', ...headers }),
    };
    await windowSize(tenant, 1);
    for (let i = 0; i < count; i += 1) {
      await addSubscribedRule(tenant, `web-${i}`, 'http://127.0.0.1:9/', EMAIL);
      await cpu(tenant, `web-${i}`, 90);
    }
    await eventually(
      async () => (await inbox(api)).mails.length === count || undefined,
      SOON_MS,
      () => 'the mails have not arrived',
    );
    return { api };
  }
});
