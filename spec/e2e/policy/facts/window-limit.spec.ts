import { expect } from 'chai';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';
import { ALWAYS, addGeneric, addRule, okBody, subscribe } from '../actions.js';

/** A rule about `count` custom metrics, whose names begin with `prefix`. */
function ruleAbout(prefix: string, count: number): object {
  const names = Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  const all = names.map((name) => ({ [name]: { value: 1, operand: 'greater' } }));
  const groups = [all.slice(0, 16), all.slice(16)]
    .filter((one) => one.length > 0)
    .map((one) => ({ all: one }));
  return { ...ALWAYS, condition: { any: groups } };
}

describe('the 32 windows of a server for custom metrics', () => {
  const open = scenes();

  it('limit what a subscription, a rule of the server and a generic rule may name, also by a change', async () => {
    const { api } = await open.service({ METRICS: '*' });
    const hook = 'http://127.0.0.1:9/';
    const generic = await addGeneric(api, ruleAbout('g', 2));
    const own = await addRule(api, 'web-1', ruleAbout('own', 30));
    await subscribe(api, 'web-1', generic, hook);
    await subscribe(api, 'web-1', own, hook);
    await subscribe(api, 'web-2', generic, hook);
    const more = await addRule(api, 'web-1', ruleAbout('more', 1));
    const third = await api.call('POST', '/v1.0/demo/servers/web-1/subscription', {
      ruleId: more,
      url: hook,
    });
    expectRefusal(third, 409, 'this server', '33', '32');

    const ofServer = `/v1.0/demo/servers/web-1/rules/${own}`;
    expectRefusal(await api.call('PUT', ofServer, ruleAbout('own', 31)), 409, 'this server', '33');
    const ofTenant = `/v1.0/demo/rules/${generic}`;
    const before = okBody(await api.call('GET', ofTenant));
    expectRefusal(await api.call('PUT', ofTenant, ruleAbout('g', 3)), 409, 'server web-1', '33', '32');
    expect(okBody(await api.call('GET', ofTenant))).to.deep.equal(before);

    // A metric that another rule of the server names already needs no window more.
    okBody(await api.call('PUT', ofTenant, ruleAbout('own', 30)));
    okBody(await api.call('PUT', ofTenant, ruleAbout('g', 2)));
    okBody(await api.call('PUT', ofTenant, ALWAYS));
    expectRefusal(await api.call('PUT', '/v1.0/demo/rules/unknown', ruleAbout('g', 2)), 404, 'unknown');
  });
});
