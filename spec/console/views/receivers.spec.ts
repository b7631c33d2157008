import { expect } from 'chai';
import type { ReceiversView } from '../../../src/console/shapes.js';
import { apiClient, type ApiClient } from '../../e2e/api-client.js';
import { addSubscribedRule, ALWAYS, cpu, factsBody, okBody, windowSize } from '../../e2e/policy/actions.js';
import { expectRefusal } from '../../e2e/refusal.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { browserClient, DEMO } from '../browser-client.js';

const PATH = '/console/api/receivers';

async function receivers(api: Pick<ApiClient, 'call'>, query = ''): Promise<ReceiversView> {
  return okBody(await api.call('GET', PATH + query)) as unknown as ReceiversView;
}

/** Resolves with the receivers once each of them has this number of dead letters, in this order. */
function untilDead(api: Pick<ApiClient, 'call'>, counts: readonly number[]): Promise<ReceiversView> {
  let seen: ReceiversView | undefined;
  return eventually(
    async () => {
      seen = await receivers(api);
      return seen.receivers.map(({ dead }) => dead).join() === counts.join() ? seen : undefined;
    },
    SOON_MS,
    () => `the receivers are ${JSON.stringify(seen)}`,
  );
}

describe('/console/api/receivers', () => {
  const open = scenes();

  it('lists subscriptions with dead letters, most of them first, and no others', async () => {
    const { api, url } = await open.service({
      OPERATOR_TOKEN: 'operator-token-of-at-least-32-characters',
      IDENTITY_USERS: 'demo:demo:demo,other:olga:pass',
    });
    const operator = await browserClient(url, { operatorToken: 'operator-token-of-at-least-32-characters' });
    const refusing = await open.receiver((response) => response.writeHead(400).end());
    const taking = await open.receiver();
    await windowSize(api, 1);
    const few = await addSubscribedRule(api, 'web-1', `${refusing.origin}/few`);
    const many = await addSubscribedRule(api, 'web-2', `${refusing.origin}/many`);
    await addSubscribedRule(api, 'web-3', taking.origin);
    for (const server of ['web-1', 'web-2', 'web-2', 'web-2', 'web-3']) await cpu(api, server, 90);

    const { receivers: found, more } = await untilDead(operator, [3, 1]);
    expect(more).to.equal(false);
    const tenant = (await browserClient(url, DEMO)).view.viewer as { readonly tenantId: string };
    const common = { tenant: tenant.tenantId, suspended: null };
    expect(found).to.deep.equal([
      {
        ...common,
        server: 'web-2',
        subscriptionId: many.subscriptionId,
        url: `${refusing.origin}/many`,
        dead: 3,
      },
      {
        ...common,
        server: 'web-1',
        subscriptionId: few.subscriptionId,
        url: `${refusing.origin}/few`,
        dead: 1,
      },
    ]);
  });

  it('lists a suspended subscription, with the time', async () => {
    const { api } = await open.service();
    const gone = await open.receiver((response) => response.writeHead(410).end());
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', gone.origin);
    await cpu(api, 'web-1', 90);
    const { receivers: found } = await untilDead(api, [1]);
    expect(Date.parse(found[0]!.suspended!)).to.be.closeTo(Date.now(), 20_000);
  });

  it('shows a tenant its own only', async () => {
    const service = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    const refusing = await open.receiver((response) => response.writeHead(400).end());
    const other = await apiClient(service.url, 'other', 'olga', 'pass');
    okBody(await other.call('PUT', '/v1.0/other', { windowsize: 1 }));
    const { ruleId } = okBody(await other.call('POST', '/v1.0/other/rules', ALWAYS));
    okBody(
      await other.call('POST', '/v1.0/other/servers/web-1/subscription', { ruleId, url: refusing.origin }),
    );
    okBody(await other.call('POST', '/other/servers/web-1', factsBody({ cpuLoadPct: '90' })));

    const olga = await browserClient(service.url, {
      tenantName: 'other',
      username: 'olga',
      password: 'pass',
    });
    const [own] = (await untilDead(olga, [1])).receivers;
    const demo = await browserClient(service.url, DEMO);
    expect((await receivers(demo)).receivers).to.deep.equal([]);
    expect((await receivers(demo, `?tenant=${own!.tenant}`)).receivers).to.deep.equal([]);
  });

  it('refuses other parameters, and strangers', async () => {
    const { url, api } = await open.service({ OPERATOR_TOKEN: 'operator-token-of-at-least-32-characters' });
    const demo = await browserClient(url, DEMO);
    expectRefusal(await demo.call('GET', `${PATH}?state=dead`), 400, 'state', 'allowed: tenant');
    expectRefusal(await api.call('GET', PATH, undefined, { 'x-auth-token': '' }), 401, 'log in');
  });
});
