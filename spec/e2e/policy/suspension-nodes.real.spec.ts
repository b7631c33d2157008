import { expect } from 'chai';
import { type Receiver, startReceiver } from '../../delivery/senders/receiver.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { nodesOnMongo } from '../../faults/stage/nodes-on-mongo.js';
import { cpu, subscribe, okBody, addSubscribedRule, windowSize } from './actions.js';
import { apiClient, type ApiClient } from '../api-client.js';

describe('a subscription with a refusing receiver on two nodes', () => {
  const launched = nodesOnMongo();
  let receiver: Receiver;
  let nodes: readonly ApiClient[];
  const status = { now: 410 };

  beforeEach(async () => {
    receiver = await startReceiver((response) => response.writeHead(status.now).end());
    const started = await Promise.all([launched().start(), launched().start()]);
    nodes = await Promise.all(started.map(({ url }) => apiClient(url)));
    await windowSize(nodes[0]!, 1);
  });
  afterEach(() => receiver.stop());

  const suspendedOn = (node: ApiClient, id: string): Promise<string> =>
    eventually(
      async () => {
        const path = `/v1.0/demo/servers/web-1/subscription/${id}`;
        const { suspended } = okBody(await node.call('GET', path)) as { suspended?: string };
        return suspended;
      },
      SOON_MS,
      () => 'it is not suspended',
    );

  it('is suspended and resumed for both, whichever node saw the refusals', async () => {
    const [one, other] = nodes as [ApiClient, ApiClient];
    status.now = 410;
    const { ruleId, subscriptionId } = await addSubscribedRule(one, 'web-1', receiver.origin);
    await cpu(one, 'web-1', 90);
    const since = await suspendedOn(other, subscriptionId);
    expect(await suspendedOn(one, subscriptionId)).to.equal(since);
    for (const node of nodes) await cpu(node, 'web-1', 90);

    status.now = 404;
    expect(await subscribe(other, 'web-1', ruleId, receiver.origin)).to.equal(subscriptionId);
    const before = receiver.got.length;
    expect(before, 'what fires while it is suspended is not sent').to.equal(1);
    for (let i = 0; i < 99; i += 1) await cpu(nodes[i % 2]!, 'web-1', 90);
    await eventually(
      () => receiver.got.length === before + 99 || undefined,
      SOON_MS,
      () => `${receiver.got.length - before} of 99 messages`,
    );
    const path = `/v1.0/demo/servers/web-1/subscription/${subscriptionId}`;
    expect(Object.keys(okBody(await one.call('GET', path)))).not.to.include('suspended');
    await cpu(other, 'web-1', 90);
    expect(await suspendedOn(one, subscriptionId)).not.to.equal(since);

    const redeliver = () => other.call('POST', '/operator/deliveries/redeliver', { subscriptionId });
    status.now = 200;
    expect(okBody(await redeliver())).to.deep.equal({ redelivered: 101 });
    await eventually(
      () => receiver.got.length === before + 201 || undefined,
      SOON_MS,
      () => `${receiver.got.length - before} of 201 messages`,
    );
    expect(await suspendedOn(one, subscriptionId), 'what is taken lifts nothing').to.be.a('string');
  });
});
