import { expect } from 'chai';
import {
  ALWAYS,
  addRule,
  arrived,
  cpu,
  factsBody,
  subscribe,
  okBody,
  windowSize,
} from '../policy/actions.js';
import { deliveries } from '../policy/deliveries.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';

describe('one request to a server with 100 subscriptions', () => {
  const open = scenes();

  it('fires at most 1,000 messages, however small its body is', async () => {
    const { api } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'web-1', ALWAYS);
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => subscribe(api, 'web-1', ruleId, `${receiver.origin}/${i}`)),
    );
    const elements = (count: number) => Array.from({ length: count }, () => ({ cpuLoadPct: '90' }));
    const send = (body: unknown) =>
      api.call('POST', '/demo/servers/web-1', body, { 'x-auth-token': 'not a token' });

    for (const body of [factsBody(...elements(100)), { data: elements(100) }, factsBody(...elements(11))]) {
      expect(JSON.stringify(body).length).to.be.below(25_000);
      expectRefusal(await send(body), 413, 'send at most 10 elements together');
    }
    expect(await deliveries(api)).to.deep.equal([]);

    const failed = {
      contextElement: { id: 'web-1', attributes: [] },
      statusCode: { code: '404', reasonPhrase: 'No context element found' },
    };
    const { contextResponses } = factsBody(...elements(10));
    const withFailures = [...contextResponses, ...Array.from({ length: 500 }, () => failed)];
    expect(okBody(await send({ contextResponses: withFailures }))).to.deep.equal({
      id: 10,
      title: '10 facts taken, 1000 firings',
    });
  });
});

describe('one measurement that fires a webhook and a mail for each of 600 subscriptions', () => {
  const open = scenes();

  it('turns none of the 1,200 messages into a dead letter', async () => {
    const { api } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const action = { actionName: 'notify-email', email: 'ops@example.org', body: 'Look' };
    const ruleId = await addRule(api, 'web-1', { ...ALWAYS, action });
    await Promise.all(
      Array.from({ length: 600 }, (_, i) => subscribe(api, 'web-1', ruleId, `${receiver.origin}/${i}`)),
    );
    await cpu(api, 'web-1', 90);
    await arrived(receiver, 600);
    expect(await deliveries(api, 'state=dead')).to.deep.equal([]);
  });
});
