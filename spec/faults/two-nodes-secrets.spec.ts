import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { type Receiver, startReceiver } from '../delivery/senders/receiver.js';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { arrived, okBody } from '../e2e/policy/actions.js';
import { ALWAYS, factsBody } from './stage/clients.js';
import { eventually } from './stage/eventually.js';
import { nodesOnMongo } from './stage/nodes-on-mongo.js';

const PATH = '/v1.0/demo/webhook-secret';

describe('webhook secret of a tenant on two nodes', () => {
  const nodes = nodesOnMongo();
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver((response) => response.end());
  });
  afterEach(async () => {
    await receiver.stop();
  });

  const secret = async (node: ApiClient, method = 'GET'): Promise<string> =>
    okBody(await node.call(method, PATH))['secret']!;

  it('is the same from the first start, and its replacement reaches both within a second', async () => {
    const started = await Promise.all([nodes().start(), nodes().start()]);
    const one = await apiClient(started[0].url);
    const other = await apiClient(started[1].url);
    const first = await secret(one);
    expect(await secret(other)).to.equal(first);

    const server = '/v1.0/demo/servers/web-1';
    okBody(await one.call('PUT', '/v1.0/demo', { windowsize: 1 }));
    const { ruleId } = okBody(await one.call('POST', `${server}/rules`, ALWAYS));
    okBody(await one.call('POST', `${server}/subscription`, { ruleId, url: receiver.origin }));
    for (let turn = 0; turn < 3; turn += 1) {
      const [here, there] = turn % 2 === 0 ? [one, other] : [other, one];
      const next = await secret(here, 'POST');
      await eventually(
        async () => ((await secret(there)) === next ? true : undefined),
        1_000,
        () => 'the other node shows an old secret for more than a second',
      );
      const before = receiver.got.length;
      okBody(await there.call('POST', server, factsBody(99)));
      const got = (await arrived(receiver, before + 1))[before]!;
      for (const each of [first, next])
        new Webhook(each).verify(got.body, got.headers as Record<string, string>);
    }
  });
});
