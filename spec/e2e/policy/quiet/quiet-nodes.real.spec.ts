import { expect } from 'chai';
import type { QuietView } from '../../../../src/policy/quiet/shapes.js';
import type { Explanation } from '../../../../src/policy/explain/shapes.js';
import { startReceiver } from '../../../delivery/senders/receiver.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { nodesOnMongo } from '../../../faults/stage/nodes-on-mongo.js';
import { apiClient, type ApiClient } from '../../api-client.js';
import { addSubscribedRule, arrived, cpu, okBody, windowSize } from '../actions.js';

const SILENT = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
  repeat: 0,
  resolve: true,
  noData: 10,
};

describe('a quiet time on two nodes', () => {
  const launched = nodesOnMongo();

  const explained = async (api: ApiClient, ruleId: string) => {
    const answer = okBody(await api.call('GET', `/v1.0/demo/servers/web-1/rules/${ruleId}/explain`));
    return (answer as unknown as Explanation).subscriptions[0]!;
  };

  it('mutes on both, and what it kept back is sent at its end, by the one that was not killed', async () => {
    const receiver = await startReceiver((response) => response.end());
    try {
      const nodes = await Promise.all([launched().start(), launched().start()]);
      const [one, other] = await Promise.all([apiClient(nodes[0].url), apiClient(nodes[1].url)]);
      await windowSize(one, 1);
      const { ruleId } = await addSubscribedRule(one, 'web-1', receiver.origin, SILENT);
      // It began 40 s ago, and ends in 40 s.
      const start = new Date(Date.now() - 40_000).toISOString().slice(0, 19);
      const body = { servers: ['web-*'], start, duration: 80 };
      const made = okBody(await one.call('PUT', '/v1.0/demo/quiet/move', body)) as unknown as QuietView;
      await eventually(
        async () => (await explained(other, ruleId)).mutedBy === 'move' || undefined,
        SOON_MS,
        () => 'the other node does not show the mute',
      );
      await cpu(other, 'web-1', 97);
      expect(await explained(one, ruleId)).to.include({ state: 'firing', firings: 0, unsent: 1 });
      await eventually(
        async () => (await explained(other, ruleId)).state === 'noData' || undefined,
        SOON_MS,
        () => 'its noData did not come',
      );
      await nodes[0].kill('SIGKILL');
      expect(receiver.got).to.have.length(0);
      const [message] = await arrived(receiver, 1);
      expect(JSON.parse(message!.body)).to.include({ state: 'noData' });
      expect(Date.now() - Date.parse(made.next[0]!.to)).to.be.within(-50, 5_000);
    } finally {
      await receiver.stop();
    }
  });
});
