import { expect } from 'chai';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { mongoOfSuite } from '../../../servers/mongodb.js';
import type { ApiAnswer } from '../../api-client.js';
import { type Scene, scenes } from '../../scene.js';
import { ALWAYS, factsBody, okBody } from '../actions.js';

const url = 'http://127.0.0.1:9/hook';

describe('the limits of a tenant whose nodes share MongoDB', () => {
  const open = scenes();
  const mongo = mongoOfSuite();

  /** Starts two nodes on a new database. `aheadMs` sets their clocks. */
  async function nodes(settings: Readonly<Record<string, string>>) {
    const clock = { aheadMs: 0 };
    const shared = { MONGODB_URL: mongo.database(), ...settings };
    const now = (): number => Date.now() + clock.aheadMs;
    const [one, two] = [await open.service(shared, now), await open.service(shared, now)];
    for (const { api } of [one, two]) okBody(await api.call('GET', '/v1.0/demo'));
    return { one, two, clock };
  }

  /** Asks until the answer has a status: the count of a node is about a second old. */
  const become = (status: number, ask: () => Promise<ApiAnswer>): Promise<ApiAnswer> => {
    let last: ApiAnswer | undefined;
    return eventually(
      async () => {
        last = await ask();
        return last.status === status ? last : undefined;
      },
      SOON_MS,
      () => `${last?.status} instead of ${status}: ${last?.text}`,
    );
  };

  it('refuse a new server at each node, and no known one, until one is deleted', async () => {
    const { one, two, clock } = await nodes({ TENANT_SERVERS: '2' });
    const fact = ({ api }: Scene, server: string) =>
      api.call('POST', `/demo/servers/${server}`, factsBody({ cpuLoadPct: 5 }));
    okBody(await fact(one, 'a'));
    okBody(await fact(two, 'b'));
    // A name of its own for each try: what is made before the count is known may exceed the limit.
    for (const [i, node] of [one, two].entries()) {
      let made = 0;
      const refused = await become(409, () => fact(node, `new-${i}-${(made += 1)}`));
      expect(refused.text).to.include('this tenant has 2 servers, and can have no more (TENANT_SERVERS)');
      okBody(await fact(node, 'a'));
      okBody(await fact(node, 'b'));
    }
    const { servers } = okBody(await one.api.call('GET', '/operator/servers')) as unknown as {
      servers: readonly { serverId: string }[];
    };
    for (const { serverId } of servers)
      okBody(await one.api.call('DELETE', `/v1.0/demo/servers/${serverId}`));
    // A deleted server counts until what began before its deletion has ended at all nodes: about a minute.
    clock.aheadMs = 120_000;
    await become(200, () => fact(two, 'after'));
  });

  it('refuse a new subscription at each node, and answer an existing one with its id', async () => {
    const { one, two } = await nodes({ TENANT_SUBSCRIPTIONS: '2' });
    const ruleId = okBody(await one.api.call('POST', '/v1.0/demo/rules', ALWAYS))['ruleId']!;
    const subscribe = ({ api }: Scene, server: string, path: string) =>
      api.call('POST', `/v1.0/demo/servers/${server}/subscription`, { ruleId, url: `${url}/${path}` });
    const first = okBody(await subscribe(one, 'a', 'first'));
    // The other node knows the rule a second later.
    await become(200, () => subscribe(two, 'b', 'first'));
    for (const [i, node] of [one, two].entries()) {
      let made = 0;
      const refused = await become(409, () => subscribe(node, 'c', `${i}-${(made += 1)}`));
      expect(refused.text).to.include(
        'this tenant has 2 subscriptions, and can have no more (TENANT_SUBSCRIPTIONS)',
      );
      expect(okBody(await subscribe(node, 'a', 'first'))).to.deep.equal(first);
    }
  });
});
