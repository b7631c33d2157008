import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { startReceiver } from '../delivery/senders/receiver.js';
import type { Receiver } from '../delivery/senders/receiver.js';
import { apiClient } from '../e2e/api-client.js';
import type { ApiClient } from '../e2e/api-client.js';
import { arrived, okBody } from '../e2e/policy/actions.js';
import { startMongo } from '../servers/mongodb.js';
import type { MongoServer } from '../servers/mongodb.js';
import { ALWAYS, factsBody } from './stage/clients.js';
import { eventually } from './stage/eventually.js';
import { launcher } from './stage/service-process.js';
import type { Launcher } from './stage/service-process.js';

const PATH = '/v1.0/demo/webhook-secret';

describe('webhook secret of a tenant on two nodes', function () {
  this.timeout(60_000);
  let mongo: MongoServer | undefined;
  let services: Launcher;
  let receiver: Receiver;

  before(async function () {
    mongo = await startMongo();
    if (mongo === undefined) this.skip();
  });
  after(() => mongo?.stop());
  beforeEach(async () => {
    services = await launcher({ MONGODB_URL: mongo!.database() });
    receiver = await startReceiver((response) => response.end());
  });
  afterEach(async () => {
    await services.close();
    await receiver.stop();
  });

  const secret = async (node: ApiClient, method = 'GET'): Promise<string> =>
    okBody(await node.call(method, PATH))['secret']!;

  it('is the same from the first start, and its replacement reaches both within a second', async () => {
    const nodes = await Promise.all([services.start(), services.start()]);
    const one = await apiClient(nodes[0].url);
    const other = await apiClient(nodes[1].url);
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
