import { expect } from 'chai';
import type { ReceiverView } from '../../src/operator/shapes.js';
import { type Receiver, startReceiver } from '../delivery/senders/receiver.js';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { addSubscribedRule, cpu, okBody, windowSize } from '../e2e/policy/actions.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { nodesOnMongo } from '../faults/stage/nodes-on-mongo.js';

describe('a receiver on two nodes', () => {
  const launched = nodesOnMongo();
  let receiver: Receiver;
  let nodes: readonly ApiClient[];
  const status = { now: 503 };

  beforeEach(async () => {
    status.now = 503;
    receiver = await startReceiver((response) =>
      response.writeHead(status.now, { 'retry-after': '3600' }).end(),
    );
    const started = await Promise.all([launched().start(), launched().start()]);
    nodes = await Promise.all(started.map(({ url }) => apiClient(url)));
    await windowSize(nodes[0]!, 1);
  });
  afterEach(() => receiver.stop());

  const shownOn = (node: ApiClient, fits: (one: ReceiverView) => boolean, withinMs = SOON_MS) => {
    let seen: readonly ReceiverView[] = [];
    return eventually(
      async () => {
        seen = okBody(await node.call('GET', '/operator/receivers'))['receivers'] as never;
        return seen.find(fits);
      },
      withinMs,
      () => `no such receiver among ${JSON.stringify(seen)}`,
    );
  };

  it('fails, works, and is tried for both, whichever node asks', async () => {
    const [one, other] = nodes as [ApiClient, ApiClient];
    await addSubscribedRule(one, 'web-1', receiver.origin);
    await cpu(one, 'web-1', 90);
    const [a, b] = await Promise.all([one, other].map((node) => shownOn(node, isFailing)));
    expect(b).to.deep.include({ id: a!.id, since: a!.since });
    const waits = await shownOn(other, ({ waiting, next }) => waiting === 1 && next !== null);
    status.now = 200;
    expect(okBody(await other.call('POST', `/operator/receivers/${waits.id}/try`))).to.deep.equal({
      tried: 1,
    });
    for (const node of nodes) await shownOn(node, ({ state, waiting }) => state === 'ok' && waiting === 0);
    expect(receiver.got.length).to.be.at.least(2);
  });
});

const isFailing = ({ state }: ReceiverView): boolean => state === 'failing';
