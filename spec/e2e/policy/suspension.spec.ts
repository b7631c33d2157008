import { expect } from 'chai';
import {
  addRule,
  arrived,
  cpu,
  factsBody,
  factsIn,
  subscribe,
  okBody,
  addSubscribedRule,
  windowSize,
} from './actions.js';
import type { ApiClient } from '../api-client.js';
import { deliveries, delivery } from './deliveries.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { scenes } from '../scene.js';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Operation 17. */
async function shown(api: ApiClient, id: string): Promise<Record<string, unknown>> {
  return okBody(await api.call('GET', `/v1.0/demo/servers/web-1/subscription/${id}`));
}

/** Resolves with the start of the suspension once the subscription is suspended. */
function suspendedSince(api: ApiClient, id: string): Promise<string> {
  return eventually(
    async () => (await shown(api, id))['suspended'] as string | undefined,
    SOON_MS,
    () => `${id} is not suspended`,
  );
}

/** Sends measurements of cpu together. Returns the title of the answer. */
async function measure(api: ApiClient, count: number): Promise<string> {
  const body = factsBody(...Array.from({ length: count }, () => ({ cpuLoadPct: '90' })));
  return okBody(await api.call('POST', '/demo/servers/web-1', body))['title']!;
}

describe('a subscription with a refusing receiver', () => {
  const open = scenes();

  it('is suspended by a 410, and its firings are dropped; those of others are not', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    const gone = await open.receiver((response) => response.writeHead(410).end());
    const good = await open.receiver();
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', gone.origin);
    const other = await subscribe(api, 'web-1', ruleId, good.origin);
    expect(Object.keys(await shown(api, subscriptionId))).not.to.include('suspended');

    await cpu(api, 'web-1', 90);
    const since = await suspendedSince(api, subscriptionId);
    expect(since).to.match(ISO);
    expect(Math.abs(Date.now() - Date.parse(since))).to.be.below(60_000);
    expect(await measure(api, 3)).to.equal('3 facts taken, 3 firings');
    await arrived(good, 4);
    expect(factsIn(good.got)).to.deep.equal([1, 2, 3, 4]);
    expect(gone.got).to.have.length(1);
    expect(Object.keys(await shown(api, other))).not.to.include('suspended');
    const server = okBody(await api.call('GET', `/operator/actors/server/${await tenantOf(api)}/web-1`));
    expect((server['context'] as unknown as { unsent: object }).unsent).to.deep.equal({
      [subscriptionId]: 3,
    });
  });

  it('stays suspended over a restart until operation 15 resumes it under its id', async () => {
    const folder = await open.folder();
    const status = { now: 410 };
    const receiver = await open.receiver((response) => response.writeHead(status.now).end());
    const first = await open.service({ DATA_DIR: folder });
    await windowSize(first.api, 1);
    const { ruleId, subscriptionId } = await addSubscribedRule(first.api, 'web-1', receiver.origin);
    await cpu(first.api, 'web-1', 90);
    const since = await suspendedSince(first.api, subscriptionId);
    await first.close();

    const { api } = await open.service({ DATA_DIR: folder });
    expect((await shown(api, subscriptionId))['suspended']).to.equal(since);
    expect(await measure(api, 2)).to.equal('2 facts taken');
    status.now = 200;
    expect(await subscribe(api, 'web-1', ruleId, receiver.origin)).to.equal(subscriptionId);
    expect(Object.keys(await shown(api, subscriptionId))).not.to.include('suspended');
    expect(await measure(api, 1)).to.equal('1 fact taken, 1 firing');
    await arrived(receiver, 2);
    expect(factsIn(receiver.got)).to.deep.equal([1, 4]);

    status.now = 410;
    await cpu(api, 'web-1', 90);
    expect(await suspendedSince(api, subscriptionId)).not.to.equal(since);
  });

  it('is suspended by 100 refusals in a row; one accepted message restarts the count', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    const status = { now: 404 };
    const receiver = await open.receiver((response) => response.writeHead(status.now).end());
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin);
    const refused = async (count: number): Promise<void> => {
      const before = (await deliveries(api, 'state=dead&limit=1000')).length;
      await measure(api, count);
      await eventually(
        async () => (await deliveries(api, 'state=dead&limit=1000')).length === before + count || undefined,
        SOON_MS,
        () => 'not all are dead letters',
      );
    };

    await refused(99);
    status.now = 204;
    await cpu(api, 'web-1', 90);
    await delivery(api, ({ state }) => state === 'delivered');
    await eventually(
      async () => {
        const path = `/operator/actors/endpoint/${await tenantOf(api)}/${subscriptionId}`;
        const { context } = okBody(await api.call('GET', path)) as unknown as {
          context: { refusals: number };
        };
        return context.refusals === 0 || undefined;
      },
      SOON_MS,
      () => 'the row goes on',
    );
    status.now = 404;
    await refused(99);
    expect(Object.keys(await shown(api, subscriptionId))).not.to.include('suspended');
    await refused(1);
    expect(await suspendedSince(api, subscriptionId)).to.match(ISO);
  });

  it('is not suspended by missing answers or by answers that ask for a retry', async () => {
    const { api } = await open.service({ DELIVERY_GIVE_UP_S: '1' });
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'web-1');
    const broken = await open.receiver((response) => response.writeHead(503).end());
    const torn = await open.receiver((response) => response.destroy());
    const ids = await Promise.all(
      [broken, torn].map(({ origin }) => subscribe(api, 'web-1', ruleId, origin)),
    );
    await measure(api, 110);
    await eventually(
      async () => (await deliveries(api, 'state=dead&limit=1000')).length === 220 || undefined,
      SOON_MS,
      () => 'not all were given up',
    );
    for (const id of ids) expect(Object.keys(await shown(api, id))).not.to.include('suspended');
  });
});

async function tenantOf(api: ApiClient): Promise<string> {
  const { actors } = okBody(await api.call('GET', '/operator/actors?kind=server')) as unknown as {
    actors: { tenant: string }[];
  };
  return actors[0]!.tenant;
}
