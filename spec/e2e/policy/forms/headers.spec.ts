import { Webhook } from 'standardwebhooks';
import { expect } from 'chai';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';
import { addRule, arrived, cpu, okBody, windowSize } from '../actions.js';
import { askFor, shown, subscribed } from './form-actions.js';

const TOKEN = 'Bearer planted-a1b2c3d4';

describe('headers of a subscription', () => {
  const open = scenes();

  it('are in each request beside the signature, and shown by name', async () => {
    const { api } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'web-1');
    const draft = { ruleId, url: receiver.origin, headers: { 'X-Team': 'blue', Authorization: TOKEN } };
    const id = await subscribed(api, draft);
    await cpu(api, 'web-1', 5);
    const [got] = await arrived(receiver, 1);
    expect(got!.headers).to.include({
      authorization: TOKEN,
      'x-team': 'blue',
      'content-type': 'application/json',
    });
    const { secret } = okBody(await api.call('GET', '/v1.0/demo/webhook-secret'));
    new Webhook(secret!).verify(got!.body, got!.headers as Record<string, string>);
    const names = { headers: ['Authorization', 'X-Team'] };
    expect(await shown(api, id))
      .to.deep.include(names)
      .and.not.to.have.any.keys('format', 'template');
    const { subscriptions } = okBody(await api.call('GET', '/v1.0/demo/subscriptions'));
    expect(subscriptions![0]).to.deep.include(names);
    const { deliveries } = okBody(await api.call('GET', '/v1.0/demo/deliveries'));
    const { message } = deliveries![0] as { readonly message: object };
    expect(message).to.deep.include(names).and.have.all.keys('channel', 'url', 'body', 'headers');
  });

  it('are a part of its identity, their names without case and order', async () => {
    const { api } = await open.service();
    const ruleId = await addRule(api, 'web-1');
    const plain = { ruleId, url: 'http://127.0.0.1:9/' };
    const one = { ...plain, headers: { 'X-Team': 'blue', Authorization: TOKEN } };
    const id = await subscribed(api, one);
    expect(await subscribed(api, { ...plain, headers: { AUTHORIZATION: TOKEN, 'x-team': 'blue' } })).to.equal(
      id,
    );
    expect(await subscribed(api, { ...one, format: 'mirzam' })).to.equal(id);
    const others = [
      await subscribed(api, plain),
      await subscribed(api, { ...one, headers: { ...one.headers, 'X-Team': 'red' } }),
      await subscribed(api, { ...one, headers: { 'X-Team': 'blue' } }),
      await subscribed(api, { ...one, format: 'cloudevents' }),
    ];
    expect(new Set([id, ...others]).size).to.equal(5);
    expect(await subscribed(api, { ...plain, headers: {}, format: 'mirzam' })).to.equal(others[0]);
    const tried = okBody(await askFor(api, one, '?dryRun=true'));
    expect(tried['subscriptionId']).to.equal(id);
  });

  it('are refused where the service sets them, and where HTTP cannot carry them', async () => {
    const { api } = await open.service();
    const ruleId = await addRule(api, 'web-1');
    const ask = (headers: unknown) => askFor(api, { ruleId, url: 'http://127.0.0.1:9/', headers });
    for (const name of ['content-TYPE', 'Host', 'Connection', 'transfer-encoding', 'Webhook-Id', 'webhook-x'])
      expectRefusal(await ask({ [name]: TOKEN }), 400, `headers: must not have ${name}`);
    for (const name of ['', 'a b', 'ü', 'a\nb', 'a:b', 'x'.repeat(129)])
      expectRefusal(await ask({ [name]: TOKEN }), 400, 'headers: must have names');
    for (const value of ['', ' a', 'a ', 'a\r\nx-b: c', 'ü', '\u0000', 'x'.repeat(4_097), 1, null, ['a']])
      expectRefusal(await ask({ 'X-A': value }), 400, 'headers: must have a string of 1 to 4096');
    expectRefusal(await ask({ a: 'x', A: 'y' }), 400, 'headers: must have each name once, in any case: A');
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`x-${i}`, 'a']));
    for (const headers of [many, null, [], 'a: b'])
      expectRefusal(await ask(headers), 400, 'headers: must be a JSON object of at most 16');
    expectRefusal(
      await askFor(api, { ruleId, url: 'http://127.0.0.1:9/', format: 'slack' }),
      400,
      'format: must be one of mirzam, cloudevents, alertmanager, template',
    );
    const { subscriptions } = okBody(await api.call('GET', '/v1.0/demo/subscriptions'));
    expect(subscriptions).to.deep.equal([]);
    delete (many as Record<string, string>)['x-16'];
    okBody(await ask({ ...many, 'x-0': 'x'.repeat(4_096) }));
  });
});
