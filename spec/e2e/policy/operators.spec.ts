import { expect } from 'chai';
import { request } from '../api-client.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';
import { okBody } from './actions.js';

const TOKEN = 'token-of-operators';
const RULES = '/v1.0/demo/rules';
const OWN = '/v1.0/demo/servers/web-1/rules';
const BUSY = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type Headers = Readonly<Record<string, string>>;

describe('an operator', () => {
  const open = scenes();

  async function stage(settings: Headers = { OPERATOR_TOKEN: TOKEN }) {
    const service = await open.service(settings);
    // The tenant is known from its first token on.
    await service.api.call('GET', RULES);
    return {
      ...service,
      as: (headers: Headers, method: Method, path: string, body?: object) =>
        request(service.url + path, method, body, headers),
    };
  }

  for (const [shown, headers] of [
    ['X-Operator-Token', { 'x-operator-token': TOKEN }],
    ['Authorization: Bearer', { authorization: `Bearer ${TOKEN}` }],
  ] as const) {
    it(`adds, reads, changes, tries and removes rules of a tenant, and binds them, with ${shown}`, async () => {
      const { as, api } = await stage();
      for (const path of [RULES, OWN]) {
        const { ruleId } = okBody(await as(headers, 'POST', path, BUSY)) as unknown as { ruleId: string };
        const changed = okBody(await as(headers, 'PUT', `${path}/${ruleId}`, { name: 'busier' }));
        expect(changed).to.deep.equal({ ...BUSY, name: 'busier' });
        const read = await as(headers, 'GET', `${path}/${ruleId}`);
        expect(read.body).to.deep.equal({ ...BUSY, name: 'busier', ruleId });
        expect(read.headers.get('cache-control')).to.equal('no-store');
        expect((await api.call('GET', `${path}/${ruleId}`)).body).to.deep.equal(read.body);
        const list = path === RULES ? RULES : '/v1.0/demo/servers/web-1';
        expect((await as(headers, 'GET', list)).body)
          .to.have.property('rules')
          .with.length(1);
        expect((await as(headers, 'DELETE', `${path}/${ruleId}`)).status).to.equal(200);
        expect((await api.call('GET', `${path}/${ruleId}`)).status).to.equal(404);
      }
      await bind(as, headers);
      const facts = [{ at: '2026-11-21T10:00:00Z', cpu: 97 }];
      const tried = okBody(
        await as(headers, 'POST', `${RULES}/backtest`, { rule: BUSY, facts, windowsize: 1 }),
      );
      expect(tried).to.include({ firings: 1 });
    });
  }

  it('reads and sets the window size, and lists the servers', async () => {
    const { as, api } = await stage();
    const operator = { 'x-operator-token': TOKEN };
    okBody(await api.call('POST', OWN, BUSY));
    expect(okBody(await as(operator, 'PUT', '/v1.0/demo', { windowsize: 2 }))).to.deep.equal({
      windowsize: 2,
    });
    expect(okBody(await as(operator, 'GET', '/v1.0/demo'))).to.include({ windowsize: 2, owner: 'demo' });
    const listed = await as(operator, 'GET', '/v1.0/demo/servers');
    expect(okBody(listed)).to.deep.equal((await api.call('GET', '/v1.0/demo/servers')).body);
    expect(listed.headers.get('cache-control')).to.equal('no-store');
  });

  /** Subscribes to a rule of the tenant, reads the subscription, and ends it. */
  async function bind(as: Awaited<ReturnType<typeof stage>>['as'], headers: Headers): Promise<void> {
    const { ruleId } = okBody(await as(headers, 'POST', RULES, BUSY));
    const path = '/v1.0/demo/servers/web-1/subscription';
    const url = 'http://127.0.0.1:9/hook';
    const { subscriptionId } = okBody(await as(headers, 'POST', path, { ruleId, url }));
    const shown = okBody(await as(headers, 'GET', `${path}/${String(subscriptionId)}`));
    expect(shown).to.deep.equal({ subscriptionId, url, serverId: 'web-1', ruleId });
    okBody(await as(headers, 'DELETE', `${path}/${String(subscriptionId)}`));
    expectRefusal(await as(headers, 'GET', `${path}/${String(subscriptionId)}`), 404, 'subscriptionId');
    okBody(await as(headers, 'DELETE', `${RULES}/${String(ruleId)}`));
  }

  it('is refused everywhere else, and with a wrong token, which changes nothing', async () => {
    const { as, api } = await stage();
    const operator = { 'x-operator-token': TOKEN };
    const others = [
      ['GET', '/v1.0/demo/fleet'],
      ['GET', '/v1.0/demo/servers/web-1/history'],
      ['GET', '/v1.0/demo/webhook-secret'],
      ['POST', '/v1.0/demo/webhook-secret'],
    ] as const;
    for (const [method, path] of others) {
      expectRefusal(await as(operator, method, path), 401, 'X-Auth-Token');
      expectRefusal(await as({ authorization: `Bearer ${TOKEN}` }, method, path), 401);
    }
    for (const path of [RULES, OWN]) {
      expectRefusal(await as({ 'x-operator-token': 'wrong' }, 'POST', path, BUSY), 401, 'OPERATOR_TOKEN');
      expectRefusal(await as({ authorization: 'Bearer wrong' }, 'POST', path, BUSY), 401, 'X-Auth-Token');
      expectRefusal(await as({}, 'POST', path, BUSY), 401, 'X-Auth-Token');
    }
    expectRefusal(await as(operator, 'POST', '/v1.0/nobody/rules', BUSY), 404, 'tenantId');
    expect(okBody(await api.call('GET', RULES))).to.deep.equal({ rules: [] });
  });

  it('is refused with 429 after many guesses, with the right token too', async () => {
    const { as } = await stage();
    let last = 401;
    for (let guess = 0; guess < 100 && last === 401; guess += 1)
      last = (await as({ 'x-operator-token': `wrong-${guess}` }, 'GET', RULES)).status;
    expect(last).to.equal(429);
    const right: readonly Headers[] = [{ 'x-operator-token': TOKEN }, { authorization: `Bearer ${TOKEN}` }];
    for (const headers of right) expect((await as(headers, 'GET', RULES)).status).to.equal(429);
  });

  it('needs the own header alone on the machine of a service without OPERATOR_TOKEN', async () => {
    const { as } = await stage({});
    okBody(await as({ 'x-operator-token': 'none' }, 'POST', RULES, BUSY));
    expectRefusal(await as({}, 'POST', RULES, BUSY), 401, 'X-Auth-Token');
    expectRefusal(
      await as({ 'x-operator-token': 'none', 'x-forwarded-for': '192.0.2.1' }, 'POST', RULES, BUSY),
      403,
      'OPERATOR_TOKEN',
    );
    // Wrong tokens of tenants are no guesses where there is nothing to guess.
    for (let times = 0; times < 40; times += 1)
      expectRefusal(await as({ authorization: `Bearer wrong-${times}` }, 'GET', RULES), 401);
  });
});
