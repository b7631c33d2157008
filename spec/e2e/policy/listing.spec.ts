import { expect } from 'chai';
import { ALWAYS, addGeneric, addRule, cpu, subscribe, okBody } from './actions.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';

const { condition, action } = ALWAYS;

describe('the servers of a tenant (policy §4, operations 9 and 10)', () => {
  const open = scenes();

  it('are listed once they had a rule, a subscription or a fact, and stay listed', async () => {
    const { api } = await open.service();
    const generic = await addGeneric(api);
    const ruleId = await addRule(api, 'with-rule');
    const id = await subscribe(api, 'with-subscription', generic, 'http://127.0.0.1:9/');
    await cpu(api, 'with-fact', 1);
    expectRefusal(await api.call('GET', '/v1.0/demo/servers/with-nothing'), 404, 'with-nothing');
    const known = ['with-fact', 'with-rule', 'with-subscription'];
    const listed = async (): Promise<unknown> =>
      (
        okBody(await api.call('GET', '/v1.0/demo/servers'))['servers'] as unknown as { serverId: string }[]
      ).map(({ serverId }) => serverId);
    expect(await listed()).to.deep.equal(known);
    okBody(await api.call('DELETE', `/v1.0/demo/servers/with-rule/rules/${ruleId}`));
    okBody(await api.call('DELETE', `/v1.0/demo/servers/with-subscription/subscription/${id}`));
    expect(await listed()).to.deep.equal(known);
    for (const serverId of known) {
      expect(okBody(await api.call('GET', `/v1.0/demo/servers/${serverId}`))).to.deep.equal({
        serverId,
        rules: [],
      });
    }
  });

  it('are not listed after refused requests', async () => {
    const { api } = await open.service();
    const url = 'http://127.0.0.1:9/';
    expectRefusal(await api.call('POST', '/v1.0/demo/servers/a/rules', {}), 400);
    expectRefusal(await api.call('POST', '/v1.0/demo/servers/b/subscription', { ruleId: 'x', url }), 404);
    expectRefusal(await api.call('POST', '/demo/servers/c', {}), 400);
    expectRefusal(await api.call('DELETE', '/v1.0/demo/servers/d/rules/x'), 404);
    expectRefusal(await api.call('PUT', '/v1.0/demo/servers/e/rules/x', ALWAYS), 404);
    expectRefusal(await api.call('DELETE', '/v1.0/demo/servers/f/subscription/x'), 404);
    expect(okBody(await api.call('GET', '/v1.0/demo/servers'))).to.deep.equal({ servers: [] });
  });

  it('are streamed in the order of their ids, 3,000 with their rules, with the same text each time', async () => {
    const { api } = await open.service();
    const names = Array.from({ length: 3_000 }, (_, i) => `s${(i * 7919) % 3_000}`);
    const ids = new Map<string, string>();
    for (let i = 0; i < names.length; i += 100) {
      const page = names.slice(i, i + 100);
      await Promise.all(page.map(async (name) => ids.set(name, await addRule(api, name))));
    }
    const answer = await api.call('GET', '/v1.0/demo/servers');
    const wanted = names
      .toSorted()
      .map((serverId) => ({ serverId, rules: [{ condition, action, ruleId: ids.get(serverId) }] }));
    expect(answer.status).to.equal(200);
    expect(answer.text).to.equal(JSON.stringify({ servers: wanted }));
    expect(answer.headers.get('content-length')).to.equal(null);
    expect((await api.call('GET', '/v1.0/demo/servers')).text).to.equal(answer.text);
  });

  it('end with the connection of the client, and the service continues', async () => {
    const { url, api } = await open.service();
    // More than the buffers of the sockets hold.
    const long = { ...ALWAYS, action: { ...action, actionName: 'x'.repeat(256) } };
    const rules = Array.from({ length: 20 }, () => long);
    await Promise.all(
      Array.from({ length: 250 }, (_, i) => api.call('POST', `/v1.0/demo/servers/s${i}/rules`, rules)),
    );
    for (let i = 0; i < 5; i += 1) {
      const leaving = new AbortController();
      const headers = { 'x-auth-token': api.token };
      const answer = await fetch(`${url}/v1.0/demo/servers`, { headers, signal: leaving.signal });
      expect(answer.status).to.equal(200);
      leaving.abort();
    }
    expect(okBody(await api.call('GET', '/v1.0/demo/servers'))['servers']).to.have.length(250);
  });
});
