import { expect } from 'chai';
import type { Explanation } from '../../../src/policy/explain/shapes.js';
import { okBody } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { publish, rawBroker, TAKEN_OVER } from '../../mqtt/raw-broker.js';

const NOW = Date.now();
const SERVER = '/v1.0/demo/servers/web-1';

describe('messages of MQTT that a broker repeats after later ones', () => {
  const open = scenes();

  it('are each counted once, in the order of their times', async () => {
    const connections: ((...packets: readonly Buffer[]) => void)[] = [];
    const broker = open.keep(await rawBroker({ subscribed: (send) => connections.push(send) }), (one) =>
      one.close(),
    );
    const { api } = await open.service({ MQTT_URL: broker.url, MQTT_CLIENT_ID: 'spec' });
    const rule = {
      name: 'busy',
      condition: { cpu: { value: 85, operand: 'greater' } },
      action: { actionName: 'notify-scale', operation: 'scaleUp' },
    };
    const { ruleId } = okBody(await api.call('POST', `${SERVER}/rules`, rule));
    okBody(
      await api.call('POST', `${SERVER}/subscription`, { ruleId, url: 'http://127.0.0.1:9/never-called' }),
    );
    const message = (cpu: number, isRepeated = false): Buffer =>
      publish(cpu, 'mirzam/demo/web-1', JSON.stringify({ cpu, at: NOW + cpu }), isRepeated);
    const connected = (number: number) =>
      eventually(
        () => connections[number],
        SOON_MS,
        () => `${connections.length} connections`,
      );
    const acknowledged = (number: number, count: number) =>
      eventually(
        () => (broker.acknowledged[number]!.length === count ? true : undefined),
        SOON_MS,
        () => JSON.stringify(broker.acknowledged),
      );

    const first = await connected(0);
    first(message(1), message(2), message(3));
    await acknowledged(0, 3);
    // The broker has not read the acknowledgements of 2 and 3, and the service never got 4 and 5.
    first(TAKEN_OVER);
    const second = await connected(1);
    second(message(6), message(4, true), message(5, true), message(7), message(2, true), message(3, true));
    await acknowledged(1, 6);
    const { lastFact, windows } = okBody(
      await api.call('GET', `${SERVER}/rules/${String(ruleId)}/explain`),
    ) as unknown as Explanation;
    expect(lastFact!.id).to.equal(7);
    expect(windows['cpu']!.values).to.deep.equal([3, 4, 5, 6, 7]);
    expect(windows['cpu']!.ignored).to.include({ count: 2, why: 'repeated' });
  });
});
