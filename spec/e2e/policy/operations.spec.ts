import { expect } from 'chai';
import type { ApiClient } from '../api-client.js';
import { ALWAYS, addGeneric, addRule, cpu, factsBody, subscribe, okBody } from './actions.js';
import { expectRefusal } from '../refusal.js';
import { type Scene, scenes } from '../scene.js';

const ID = /^[0-9a-f]{24}$/;
const MAIL_RULE = {
  name: 'mail me',
  condition: { mem: { value: 12.5, operand: 'less equal' }, net: { value: 0, operand: 'greater' } },
  action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Look at it' },
};
const HOOK = 'http://127.0.0.1:9/hook?key=value';

describe('the operations of the policy API (policy §4)', () => {
  const open = scenes();
  let scene: Scene;
  let api: ApiClient;
  beforeEach(async () => {
    scene = await open.service();
    ({ api } = scene);
    await api.call('GET', '/v1.0/demo');
  });

  for (const prefix of ['', '/v1.0']) {
    it(`operation 1, POST ${prefix}/{tenantId}/servers/{serverId}, numbers the facts of each server`, async () => {
      const facts = factsBody({
        cpuLoadPct: '42.5',
        usedMemPct: '71',
        netLoadPct: '3.5',
        freeSpacePct: '60',
      });
      const post = (server: string) => api.call('POST', `${prefix}/demo/servers/${server}`, facts);
      expect(okBody(await post('web-1'))).to.deep.equal({ id: 1, title: '1 fact taken' });
      expect(okBody(await post('web-1'))).to.deep.equal({ id: 2, title: '1 fact taken' });
      expect(okBody(await post('web-2'))).to.deep.equal({ id: 1, title: '1 fact taken' });
    });
  }

  it('operation 2, GET /v1.0/{tenantId}, shows the service information', async () => {
    const answer = await api.call('GET', '/v1.0/demo');
    const { runningfrom, ...rest } = okBody(answer) as Record<string, string>;
    expect(rest).to.deep.equal({
      owner: 'demo',
      windowsize: 5,
      version: '1.0',
      doc: `${scene.url}/docs/policy-api`,
    });
    expect(runningfrom).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.now() - Date.parse(runningfrom!)).to.be.within(0, 60_000);
    expect(Object.keys(answer.body)).to.deep.equal(['owner', 'windowsize', 'version', 'runningfrom', 'doc']);
    const doc = await fetch(rest['doc']!);
    expect(doc.status).to.equal(200);
    expect(await doc.text()).to.match(/^# Policy API/);
  });

  it('operation 3, PUT /v1.0/{tenantId}, changes the window size', async () => {
    expect(okBody(await api.call('PUT', '/v1.0/demo', { windowsize: 9 }))).to.deep.equal({ windowsize: 9 });
    expect(okBody(await api.call('GET', '/v1.0/demo'))['windowsize']).to.equal(9);
  });

  it('operation 4, POST /v1.0/{tenantId}/rules, creates a generic rule', async () => {
    const answer = await api.call('POST', '/v1.0/demo/rules', ALWAYS);
    expect(Object.keys(okBody(answer))).to.deep.equal(['ruleId']);
    expect(answer.body['ruleId']).to.match(ID);
  });

  it('operation 5, GET /v1.0/{tenantId}/rules, lists the generic rules, oldest first', async () => {
    expect(okBody(await api.call('GET', '/v1.0/demo/rules'))).to.deep.equal({ rules: [] });
    const first = await addGeneric(api, MAIL_RULE);
    const second = await addGeneric(api);
    await addRule(api, 'web-1');
    const rules = [
      { ...MAIL_RULE, ruleId: first },
      { ...ALWAYS, ruleId: second },
    ];
    expect(okBody(await api.call('GET', '/v1.0/demo/rules'))).to.deep.equal({ rules });
  });

  it('operation 6, PUT /v1.0/{tenantId}/rules/{ruleId}, answers the updated data', async () => {
    const ruleId = await addGeneric(api);
    const path = `/v1.0/demo/rules/${ruleId}`;
    expect(okBody(await api.call('PUT', path, MAIL_RULE))).to.deep.equal(MAIL_RULE);
    expect(okBody(await api.call('GET', path))).to.deep.equal({ ...MAIL_RULE, ruleId });
  });

  it('operation 7, DELETE /v1.0/{tenantId}/rules/{ruleId}, answers 200 with no data', async () => {
    const path = `/v1.0/demo/rules/${await addGeneric(api)}`;
    const answer = await api.call('DELETE', path);
    expect([answer.status, answer.text]).to.deep.equal([200, '']);
    expectRefusal(await api.call('GET', path), 404, 'ruleId');
    expectRefusal(await api.call('DELETE', path), 404, 'ruleId');
  });

  it('operation 8, GET /v1.0/{tenantId}/rules/{ruleId}, shows a generic rule', async () => {
    const ruleId = await addGeneric(api, MAIL_RULE);
    const rule = okBody(await api.call('GET', `/v1.0/demo/rules/${ruleId}`));
    expect(rule).to.deep.equal({ ...MAIL_RULE, ruleId });
  });

  it('operation 9, GET /v1.0/{tenantId}/servers/, lists the known servers, rules without names', async () => {
    expect(okBody(await api.call('GET', '/v1.0/demo/servers/'))).to.deep.equal({ servers: [] });
    const ruleId = await addRule(api, 'web-2', MAIL_RULE);
    await cpu(api, 'web-1', 1);
    const { condition, action } = MAIL_RULE;
    const answer = await api.call('GET', '/v1.0/demo/servers/');
    expect(okBody(answer)).to.deep.equal({
      servers: [
        { serverId: 'web-1', rules: [] },
        { serverId: 'web-2', rules: [{ condition, action, ruleId }] },
      ],
    });
    expect(answer.headers.get('content-type')).to.match(/^application\/json/);
  });

  it('operation 10, GET /v1.0/{tenantId}/servers/{serverId}/, shows the rules of a server', async () => {
    const first = await addRule(api, 'web-1', MAIL_RULE);
    const second = await addRule(api, 'web-1');
    expect(okBody(await api.call('GET', '/v1.0/demo/servers/web-1/'))).to.deep.equal({
      serverId: 'web-1',
      rules: [
        { ...MAIL_RULE, ruleId: first },
        { ...ALWAYS, ruleId: second },
      ],
    });
  });

  it('operation 11, POST …/servers/{serverId}/rules, creates one rule', async () => {
    const body = okBody(await api.call('POST', '/v1.0/demo/servers/web-1/rules', ALWAYS));
    expect(body).to.deep.equal({ serverId: 'web-1', ruleId: body['ruleId'] });
    expect(body['ruleId']).to.match(ID);
  });

  it('operation 11 creates several rules in the order of the request', async () => {
    const named = ['a', 'b', 'c'].map((name) => ({ ...ALWAYS, name }));
    const body = okBody(await api.call('POST', '/v1.0/demo/servers/web-1/rules', named));
    const rules: { ruleId: string }[] = body['rules']!;
    expect(body).to.deep.equal({ serverId: 'web-1', rules: rules.map(({ ruleId }) => ({ ruleId })) });
    const shown = okBody(await api.call('GET', '/v1.0/demo/servers/web-1'));
    expect(shown['rules']).to.deep.equal(named.map((rule, i) => ({ ...rule, ruleId: rules[i]!.ruleId })));
  });

  it('operation 12, PUT …/servers/{serverId}/rules/{ruleId}, answers the updated data', async () => {
    const ruleId = await addRule(api, 'web-1');
    const path = `/v1.0/demo/servers/web-1/rules/${ruleId}`;
    expect(okBody(await api.call('PUT', path, MAIL_RULE))).to.deep.equal(MAIL_RULE);
    expect(okBody(await api.call('GET', path))).to.deep.equal({ ...MAIL_RULE, ruleId });
  });

  it('operation 13, DELETE …/servers/{serverId}/rules/{ruleId}, answers 200 with no data', async () => {
    const path = `/v1.0/demo/servers/web-1/rules/${await addRule(api, 'web-1')}`;
    const answer = await api.call('DELETE', path);
    expect([answer.status, answer.text]).to.deep.equal([200, '']);
    expectRefusal(await api.call('GET', path), 404, 'ruleId');
    expect(okBody(await api.call('GET', '/v1.0/demo/servers/web-1'))['rules']).to.deep.equal([]);
  });

  it('operation 14, GET …/servers/{serverId}/rules/{ruleId}, shows a rule of the server, not a generic one', async () => {
    const ruleId = await addRule(api, 'web-1', MAIL_RULE);
    const path = '/v1.0/demo/servers/web-1/rules';
    expect(okBody(await api.call('GET', `${path}/${ruleId}`))).to.deep.equal({ ...MAIL_RULE, ruleId });
    expectRefusal(await api.call('GET', `${path}/${await addGeneric(api)}`), 404, 'ruleId');
    expectRefusal(await api.call('GET', `/v1.0/demo/servers/web-2/rules/${ruleId}`), 404, 'ruleId');
  });

  it('operation 15, POST …/subscription, binds a rule to a url; a repetition returns the same id', async () => {
    const own = { ruleId: await addRule(api, 'web-1'), url: HOOK };
    const path = '/v1.0/demo/servers/web-1/subscription';
    const first = okBody(await api.call('POST', path, own));
    expect(Object.keys(first)).to.deep.equal(['subscriptionId']);
    expect(first['subscriptionId']).to.match(ID);
    expect(okBody(await api.call('POST', path, own))).to.deep.equal(first);
    const other = { ...own, url: 'https://example.org/hook' };
    expect(okBody(await api.call('POST', path, other))).not.to.deep.equal(first);
    const generic = { ruleId: await addGeneric(api), url: HOOK };
    expect(okBody(await api.call('POST', path, generic))['subscriptionId']).to.match(ID);
  });

  it('operation 16, DELETE …/subscription/{subscriptionId}, answers 200 with no data', async () => {
    const id = await subscribe(api, 'web-1', await addRule(api, 'web-1'), HOOK);
    const path = `/v1.0/demo/servers/web-1/subscription/${id}`;
    const answer = await api.call('DELETE', path);
    expect([answer.status, answer.text]).to.deep.equal([200, '']);
    expectRefusal(await api.call('GET', path), 404, 'subscriptionId');
    expectRefusal(await api.call('DELETE', path), 404, 'subscriptionId');
  });

  it('operation 17, GET …/subscription/{subscriptionId}, shows the subscription', async () => {
    const ruleId = await addRule(api, 'web-1');
    const subscriptionId = await subscribe(api, 'web-1', ruleId, HOOK);
    const path = `/servers/web-1/subscription/${subscriptionId}`;
    const shown = okBody(await api.call('GET', `/v1.0/demo${path}`));
    expect(shown).to.deep.equal({ subscriptionId, url: HOOK, serverId: 'web-1', ruleId });
    expectRefusal(
      await api.call('GET', `/v1.0/demo${path.replace('web-1', 'web-2')}`),
      404,
      'subscriptionId',
    );
  });
});
