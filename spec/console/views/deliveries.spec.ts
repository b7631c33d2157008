import { expect } from 'chai';
import type { DeliveriesView, DeliveryView } from '../../../src/console/shapes.js';
import { apiClient } from '../../e2e/api-client.js';
import { ALWAYS, factsBody, okBody } from '../../e2e/policy/actions.js';
import { expectRefusal } from '../../e2e/refusal.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { browserClient, type BrowserClient } from '../browser-client.js';

const PATH = '/console/api/deliveries';
const TOKEN = 'operator-token-of-at-least-32-characters';

async function list(viewer: BrowserClient, query = ''): Promise<DeliveriesView> {
  return okBody(await viewer.call('GET', PATH + query)) as unknown as DeliveriesView;
}

describe('/console/api/deliveries', () => {
  const open = scenes();
  let url: string;
  let operator: BrowserClient;
  let tenants: readonly BrowserClient[];
  beforeEach(async () => {
    ({ url } = await open.service({
      OPERATOR_TOKEN: TOKEN,
      IDENTITY_USERS: 'demo:demo:demo,one:ann:pass,two:bob:pass',
    }));
    operator = await browserClient(url, { operatorToken: TOKEN });
    tenants = await Promise.all([
      browserClient(url, { tenantName: 'one', username: 'ann', password: 'pass' }),
      browserClient(url, { tenantName: 'two', username: 'bob', password: 'pass' }),
    ]);
    const receiver = await open.receiver();
    await fire('one', 'ann', 3, receiver.origin);
    await fire('two', 'bob', 2, receiver.origin);
    await eventually(
      async () => (await list(operator, '?state=delivered')).deliveries.length === 5 || undefined,
      SOON_MS,
      () => 'not all are delivered',
    );
  });

  async function fire(tenant: string, user: string, count: number, to: string): Promise<void> {
    const api = await apiClient(url, tenant, user, 'pass');
    okBody(await api.call('PUT', `/v1.0/${tenant}`, { windowsize: 1 }));
    const { ruleId } = okBody(await api.call('POST', `/v1.0/${tenant}/rules`, ALWAYS));
    okBody(await api.call('POST', `/v1.0/${tenant}/servers/web-1/subscription`, { ruleId, url: to }));
    for (let i = 0; i < count; i += 1) {
      okBody(await api.call('POST', `/${tenant}/servers/web-1`, factsBody({ cpuLoadPct: '90' })));
    }
  }

  it('says which rule the alert of an Alertmanager is of, and that it is over', async () => {
    const receiver = await open.receiver();
    const api = await apiClient(url, 'one', 'ann', 'pass');
    const { ruleId } = okBody(await api.call('POST', '/v1.0/one/rules', { ...ALWAYS, name: 'hot' }));
    const wanted = { ruleId, url: receiver.origin, format: 'alertmanager' };
    const path = '/v1.0/one/servers/web-2/subscription';
    okBody(await api.call('PUT', '/v1.0/one', { windowsize: 1 }));
    const { subscriptionId } = okBody(await api.call('POST', path, wanted));
    okBody(await api.call('POST', '/one/servers/web-2', factsBody({ cpuLoadPct: '90' })));
    const told = (state: string) =>
      eventually(
        async () => {
          const { deliveries } = await list(operator, `?subscription=${subscriptionId}`);
          return deliveries.some((row) => row.title === 'hot' && row.notifies === state) || undefined;
        },
        SOON_MS,
        () => `no alert that is ${state}`,
      );
    await told('firing');
    okBody(await api.call('DELETE', `${path}/${subscriptionId}`));
    await told('resolved');
  });

  it('lists what fired, newest first, in pages, without the messages', async () => {
    const { deliveries } = await list(operator);
    expect(deliveries).to.have.length(5);
    expect(deliveries.map(({ title }) => title)).to.deep.equal(Array<string>(5).fill('always'));
    expect(deliveries[0]).not.to.have.property('message');
    const ids = deliveries.map(({ id }) => id);
    expect(ids).to.deep.equal(ids.toSorted().toReversed());
    const first = await list(operator, '?limit=2');
    expect(first.deliveries.map(({ id }) => id)).to.deep.equal(ids.slice(0, 2));
    const second = await list(operator, `?limit=3&before=${first.next}`);
    expect(second.deliveries.map(({ id }) => id)).to.deep.equal(ids.slice(2));
  });

  it('shows one with its message and its attempts', async () => {
    const { deliveries } = await list(operator, '?limit=1');
    const { id } = deliveries[0]!;
    const shown = okBody(await operator.call('GET', `${PATH}/${id}`)) as unknown as DeliveryView;
    const { message, ...row } = shown;
    expect(row).to.deep.equal(deliveries[0]);
    expect(row.attempts.map(({ result }) => result)).to.deep.equal(['delivered']);
    expect(JSON.parse((message as { readonly body: string }).body)).to.deep.include({
      id,
      serverId: 'web-1',
    });
  });

  it('shows a tenant its own only, whatever it asks for', async () => {
    const [one, two] = await Promise.all(tenants.map((tenant) => list(tenant)));
    expect([one!.deliveries.length, two!.deliveries.length]).to.deep.equal([3, 2]);
    const [others] = two!.deliveries;
    expect(await list(tenants[0]!, `?tenant=${others!.tenant}`)).to.deep.equal(one);
    expectRefusal(await tenants[0]!.call('GET', `${PATH}/${others!.id}`), 404, others!.id);
    okBody(await tenants[1]!.call('GET', `${PATH}/${others!.id}`));
    const ofTwo = await list(operator, `?tenant=${others!.tenant}`);
    expect(ofTwo).to.deep.equal(two);
  });

  it('refuses what it does not know', async () => {
    expectRefusal(await operator.call('GET', `${PATH}?after=1`), 400, 'after', 'before');
    expectRefusal(await operator.call('GET', `${PATH}?state=gone`), 400, 'state', 'pending, delivered, dead');
    expectRefusal(await operator.call('GET', `${PATH}/nothing`), 404, 'nothing');
  });
});
