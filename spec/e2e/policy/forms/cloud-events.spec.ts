import { CloudEvent, HTTP } from 'cloudevents';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import type { Got } from '../../../delivery/senders/receiver.js';
import { scenes } from '../../scene.js';
import { addRule, ALWAYS, arrived, cpu, okBody, windowSize } from '../actions.js';
import { shown, subscribed } from './form-actions.js';

/** Reads a request with the SDK of CloudEvents, strictly. */
function eventOf({ headers, body }: Got): CloudEvent<Record<string, unknown>> {
  const event = HTTP.toEvent<Record<string, unknown>>({ headers, body });
  return new CloudEvent(event as CloudEvent<Record<string, unknown>>, true);
}

describe('the format cloudevents', () => {
  const open = scenes();

  it('sends the message as the data of an event of CloudEvents 1.0', async () => {
    const { api } = await open.service();
    const [events, plain] = [await open.receiver(), await open.receiver()];
    await windowSize(api, 1);
    const rule = {
      ...ALWAYS,
      condition: { cpu: { value: 50, operand: 'greater' } },
      repeat: 0,
      resolve: true,
    };
    const ruleId = await addRule(api, 'web-1', rule);
    const id = await subscribed(api, { ruleId, url: `${events.origin}/in`, format: 'cloudevents' });
    await subscribed(api, { ruleId, url: plain.origin });
    expect(await shown(api, id)).to.include({ format: 'cloudevents' });
    await cpu(api, 'web-1', 90);
    await cpu(api, 'web-1', 10);
    const [got, bodies] = [await arrived(events, 2), await arrived(plain, 2)];
    const { tenantId } = JSON.parse(bodies[0]!.body) as { readonly tenantId: string };
    const { secret } = okBody(await api.call('GET', '/v1.0/demo/webhook-secret'));
    for (const [i, state] of ['firing', 'resolved'].entries()) {
      const one = got[i]!;
      new Webhook(secret!).verify(one.body, one.headers as Record<string, string>);
      expect(one.headers['content-type']).to.equal('application/cloudevents+json');
      const { data, time, ...event } = eventOf(one);
      expect(event).to.deep.include({
        specversion: '1.0',
        id: one.headers['webhook-id'],
        source: `/v1.0/${tenantId}/servers/web-1`,
        type: `org.mirzam.rule.${state}`,
        subject: 'web-1',
      });
      const theirs = JSON.parse(bodies[i]!.body) as Record<string, unknown>;
      expect(data).to.deep.include({ state, measures: theirs['measures'], ruleId, subscriptionId: id });
      expect(Object.keys(data!)).to.deep.equal(Object.keys(theirs));
      expect(time).to.equal(data!['firedAt']);
    }
  });

  it('has the type of a firing for a rule without states', async () => {
    const { api } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'web-1');
    await subscribed(api, { ruleId, url: receiver.origin, format: 'cloudevents' });
    await cpu(api, 'web-1', 90);
    const [got] = await arrived(receiver, 1);
    expect(eventOf(got!)).to.include({ type: 'org.mirzam.rule.firing' });
  });
});
