import { expect } from 'chai';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import type { ApiClient } from '../../api-client.js';
import { scenes } from '../../scene.js';
import { addSubscribedRule, cpu, factsBody, okBody, onceAbove, windowSize } from '../actions.js';
import { deliveries } from '../deliveries.js';
import { nothingStoredWith, storedWith } from './stored.js';

const PATH = '/v1.0/demo/servers/web-1';
const MINUTE_MS = 60_000;
const STATEFUL = onceAbove(50);

async function history(api: ApiClient): Promise<readonly { readonly factId: number | null }[]> {
  return okBody(await api.call('GET', `${PATH}/history`))['history']!;
}

async function pending(api: ApiClient): Promise<number> {
  return (await deliveries(api, 'state=pending')).length;
}

describe('the deletion of a server', () => {
  const open = scenes();
  let time = Date.now();
  const later = (ms: number): void => void (time += ms);

  it('deletes all that is the server’s: rules, subscriptions, windows, history, trend, messages', async () => {
    const { api } = await open.service({}, () => time);
    await windowSize(api, 1);
    const down = await open.receiver((response) => response.writeHead(503).end());
    const refusing = await open.receiver((response) => response.writeHead(400).end());
    await addSubscribedRule(api, 'web-1', down.origin, STATEFUL);
    await addSubscribedRule(api, 'web-1', refusing.origin);
    await addSubscribedRule(api, 'web-2', refusing.origin);
    for (let minute = 0; minute < 24; minute += 1) {
      await cpu(api, 'web-1', minute % 2 === 0 ? 90 : 10);
      later(MINUTE_MS);
    }
    const kinds = async (): Promise<ReadonlySet<string>> =>
      new Set(
        (await storedWith(api, 'web-1')).map(
          (line) => (JSON.parse(line) as { id: string }).id.split('/')[0]!,
        ),
      );
    await eventually(
      async () => {
        const stored = await kinds();
        return (
          ['server', 'history', 'trend', 'delivery', 'endpoint', 'receiver'].every((kind) =>
            stored.has(kind),
          ) || undefined
        );
      },
      SOON_MS,
      async () => `only these are stored: ${[...(await kinds())].join()}`,
    );
    expect(await pending(api)).to.be.above(0);

    const answer = await api.call('DELETE', PATH);
    expect([answer.status, answer.text]).to.deep.equal([200, '']);
    for (const path of ['', '/history', '/trend?metric=cpu'])
      expect((await api.call('GET', PATH + path)).status, path).to.equal(404);
    expect((await api.call('DELETE', PATH)).status).to.equal(404);
    expect(await pending(api)).to.equal(0);
    const { servers } = okBody(await api.call('GET', '/v1.0/demo/servers')) as unknown as {
      servers: readonly { serverId: string }[];
    };
    expect(servers.map(({ serverId }) => serverId)).to.deep.equal(['web-2']);
    await eventually(
      async () => {
        later(10_000);
        return (await storedWith(api, 'web-1')).length === 0 || undefined;
      },
      SOON_MS,
      async () => `still stored: ${(await storedWith(api, 'web-1')).join('\n')}`,
    );
    // Its other url is that of the other server, too.
    expect(await storedWith(api, down.origin)).to.deep.equal([]);
    expect(await storedWith(api, refusing.origin)).to.not.deep.equal([]);
  });

  it('lets the next fact make the server anew, also while the old one is being deleted', async () => {
    const { api } = await open.service({}, () => time);
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/x', STATEFUL);
    for (const value of [90, 10, 90]) await cpu(api, 'web-1', value);
    okBody(await api.call('DELETE', PATH));

    expect(await cpu(api, 'web-1', 90)).to.equal(1);
    expect(okBody(await api.call('GET', PATH))['rules']).to.deep.equal([]);
    expect(await history(api)).to.deep.equal([]);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/y', STATEFUL);
    expect(await cpu(api, 'web-1', 90)).to.equal(2);
    await eventually(
      async () => {
        later(10_000);
        const stored = await storedWith(api, '"type":"erase"');
        const inText = await storedWith(api, 'type\\":\\"erase');
        return stored.length + inText.length === 0 || undefined;
      },
      SOON_MS,
      () => 'the old server is still being deleted',
    );
    expect(await cpu(api, 'web-1', 10)).to.equal(3);
    expect((await history(api)).map(({ factId }) => factId)).to.deep.equal([3, 2]);
    const trend = okBody(await api.call('GET', `${PATH}/trend?metric=cpu`)) as unknown as {
      buckets: readonly { count: number }[];
    };
    expect(trend.buckets.reduce((sum, { count }) => sum + count, 0)).to.equal(2);
  });

  it('is done once: a rule that is made meanwhile stays', async () => {
    const { api } = await open.service({}, () => time);
    await windowSize(api, 1);
    await cpu(api, 'web-1', 90);
    okBody(await api.call('DELETE', PATH));
    const { ruleId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/x', STATEFUL);
    okBody(await api.call('DELETE', `${PATH}/rules/${ruleId}`));
    later(10_000);
    await eventually(
      async () => {
        later(10_000);
        return (await storedWith(api, 'type\\":\\"erase')).length === 0 || undefined;
      },
      SOON_MS,
      () => 'the old server is still being deleted',
    );
    expect(okBody(await api.call('GET', PATH))['rules']).to.deep.equal([]);
  });

  it('is refused for an unknown server, a query and another tenant, and then changes nothing', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    const unknown = await api.call('DELETE', '/v1.0/demo/servers/web-9');
    expect(unknown.status).to.equal(404);
    expect(unknown.text).to.contain('no server web-9 is known');
    okBody(await api.call('POST', '/demo/servers/web-1', factsBody({ cpuLoadPct: '1' })));
    expect((await api.call('DELETE', `${PATH}?now=1`)).status).to.equal(400);
    expect((await api.call('DELETE', '/v1.0/other/servers/web-1')).status).to.equal(403);
    expect((await api.call('GET', PATH)).status).to.equal(200);
    expect(await storedWith(api, 'web-9')).to.deep.equal([]);
  });

  it('is an operator’s, too', async () => {
    const { api } = await open.service({ OPERATOR_TOKEN: 'a-long-operator-token' });
    await windowSize(api, 1);
    await cpu(api, 'web-1', 90);
    const operator = { 'X-Operator-Token': 'a-long-operator-token', 'X-Auth-Token': '' };
    okBody(await api.call('DELETE', PATH, undefined, operator));
    expect((await api.call('GET', PATH)).status).to.equal(404);
  });
});

describe('SERVER_FORGET_DAYS', () => {
  const open = scenes();
  const HOUR_MS = 3_600_000;
  const DAY_MS = 24 * HOUR_MS;
  let time = Date.now();

  async function isThere(api: ApiClient, server: string): Promise<boolean> {
    return (await api.call('GET', `/v1.0/demo/servers/${server}`)).status === 200;
  }

  async function gone(api: ApiClient, server: string): Promise<void> {
    await eventually(
      async () => !(await isThere(api, server)) || undefined,
      SOON_MS,
      () => `${server} is still there`,
    );
  }

  it('forgets servers without subscription, own rule and fact for so long, and no others', async () => {
    const { api } = await open.service({ SERVER_FORGET_DAYS: '10' }, () => time);
    await windowSize(api, 1);
    const { ruleId } = await addSubscribedRule(api, 'ruled', 'http://127.0.0.1:9/x', STATEFUL);
    await addSubscribedRule(api, 'subscribed', 'http://127.0.0.1:9/x', STATEFUL);
    for (const server of ['idle', 'ruled', 'subscribed', 'busy']) await cpu(api, server, 10);
    time += 6 * DAY_MS;
    await cpu(api, 'busy', 10);
    okBody(await api.call('DELETE', `/v1.0/demo/servers/ruled/rules/${ruleId}`));

    time += 4 * DAY_MS - 1_000;
    await cpu(api, 'other', 10);
    expect(await isThere(api, 'idle')).to.equal(true);
    time += 2_000;
    await gone(api, 'idle');
    for (const server of ['ruled', 'subscribed', 'busy'])
      expect(await isThere(api, server), server).to.equal(true);

    time += 6 * DAY_MS;
    await gone(api, 'busy');
    await gone(api, 'ruled');
    expect(await isThere(api, 'subscribed')).to.equal(true);
    expect(await cpu(api, 'idle', 10)).to.equal(1);
    await eventually(
      async () => {
        time += 10_000;
        return (await storedWith(api, '/busy')).length === 0 || undefined;
      },
      SOON_MS,
      () => 'busy is still stored',
    );
  });

  it('counts from the last fact, whatever was planned before', async () => {
    const { api } = await open.service({ SERVER_FORGET_DAYS: '1' }, () => time);
    await windowSize(api, 1);
    for (let fact = 0; fact < 5; fact += 1) {
      await cpu(api, 'web-1', 10);
      time += DAY_MS - 1_000;
      await cpu(api, 'other', 10);
      expect(await isThere(api, 'web-1')).to.equal(true);
    }
    time += 2_000;
    await gone(api, 'web-1');
  });

  it('holds for servers that were idle before it was set', async () => {
    const DATA_DIR = await open.folder();
    const before = await open.service({ DATA_DIR }, () => time);
    await windowSize(before.api, 1);
    await cpu(before.api, 'old', 10);
    time += 2 * DAY_MS;
    await cpu(before.api, 'new', 10);
    await before.close();
    const { api } = await open.service({ DATA_DIR, SERVER_FORGET_DAYS: '1' }, () => time);
    await gone(api, 'old');
    expect(await isThere(api, 'new')).to.equal(true);
    time += DAY_MS;
    await gone(api, 'new');
  });

  it('forgets nothing by default', async () => {
    const { api } = await open.service({}, () => time);
    await windowSize(api, 1);
    await cpu(api, 'web-1', 10);
    time += 40_000 * DAY_MS;
    await cpu(api, 'other', 10);
    expect(await isThere(api, 'web-1')).to.equal(true);
    await nothingStoredWith(api, '"wakeAt":1');
  });
});
