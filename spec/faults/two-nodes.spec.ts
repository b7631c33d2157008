import { expect } from 'chai';
import { apiClient, type ApiClient, request } from '../e2e/api-client.js';
import { ALWAYS, factsBody } from './stage/clients.js';
import { eventually } from './stage/eventually.js';
import { nodesOnMongo } from './stage/nodes-on-mongo.js';

const SECOND = 1_000;
/** Number of repetitions of each change, at different ages of the caches. */
const TIMES = 5;

/** A rule that fires only above 50. */
const OVER_50 = { ...ALWAYS, condition: { cpu: { value: 50, operand: 'greater' } } };

describe('two nodes on one database', () => {
  const nodes = nodesOnMongo({ IDENTITY_USERS: 'demo:demo:demo,late:late:late' });
  let one: ApiClient;
  let other: ApiClient;
  let oneUrl: string;
  let otherUrl: string;

  beforeEach(async () => {
    const started = await Promise.all([nodes().start(), nodes().start()]);
    [oneUrl, otherUrl] = [started[0].url, started[1].url];
    one = await apiClient(oneUrl);
    other = await apiClient(otherUrl);
    await one.call('GET', '/v1.0/demo');
  });

  const facts = (node: ApiClient, server: string, value: number) =>
    node.call('POST', `/v1.0/demo/servers/${server}`, factsBody(value));

  /** Creates a rule with a subscription without a receiver: the answers to facts report firings. */
  const subscribe = async (server: string, ruleId: string): Promise<void> => {
    const wanted = { ruleId, url: 'http://127.0.0.1:9/nowhere' };
    const { status } = await one.call('POST', `/v1.0/demo/servers/${server}/subscription`, wanted);
    expect(status).to.equal(200);
  };

  const withinASecond = (holds: () => Promise<boolean>, what: string): Promise<true> =>
    eventually(
      async () => ((await holds()) ? true : undefined),
      SECOND,
      () => `${what} for more than a second`,
    );

  it('number the facts of one server without gaps or repetitions', async () => {
    const numbers: number[] = [];
    const sender = async (node: ApiClient): Promise<void> => {
      for (let sent = 0; sent < 40;) {
        const { status, body } = await facts(node, 'shared', 1);
        // After repeated conflicts a node answers 503 with Retry-After and does nothing.
        if (status === 503) {
          expect(body.error?.message).to.include('nothing was done');
          continue;
        }
        expect(status).to.equal(200);
        numbers.push(Number(body['id']));
        sent += 1;
      }
    };
    await Promise.all([one, other, one, other, one, other].map(sender));
    expect(numbers.toSorted((a, b) => a - b)).to.deep.equal(Array.from({ length: 240 }, (_, i) => i + 1));
  });

  it('explain each fact that the other node has answered, and have its transition in the history', async () => {
    await one.call('PUT', '/v1.0/demo', { windowsize: 1 });
    const sized = async () => (await other.call('GET', '/v1.0/demo')).body['windowsize'] === (1 as never);
    await withinASecond(sized, 'the other node has the old size');
    const made = await one.call('POST', '/v1.0/demo/servers/told/rules', OVER_50);
    const ruleId = String(made.body['ruleId']);
    await subscribe('told', ruleId);
    for (let fact = 1; fact <= 2 * TIMES; fact += 1) {
      const [teller, reader] = fact % 3 === 0 ? [one, other] : [other, one];
      const to = fact % 2 === 1 ? 'firing' : 'calm';
      const { status } = await facts(teller, 'told', to === 'firing' ? 90 : 10);
      expect(status).to.equal(200);
      const path = '/v1.0/demo/servers/told';
      const explained = (await reader.call('GET', `${path}/rules/${ruleId}/explain`)).body;
      expect(explained).to.have.nested.property('lastFact.id', fact);
      expect(explained).to.have.nested.property('subscriptions[0].state', to);
      const { body } = await reader.call('GET', `${path}/history?limit=1`);
      expect(body).to.have.nested.property('history[0].factId', fact);
      expect(body).to.have.nested.property('history[0].to', to);
    }
  });

  it('apply a change of a server’s rule within a second', async () => {
    const path = '/v1.0/demo/servers/ruled/rules';
    const made = await one.call('POST', path, ALWAYS);
    const rule = `${path}/${String(made.body['ruleId'])}`;
    for (let time = 1; time <= TIMES; time += 1) {
      await other.call('GET', rule);
      const [changer, reader] = time % 2 === 0 ? [one, other] : [other, one];
      expect((await changer.call('PUT', rule, { name: `change ${time}` })).status).to.equal(200);
      expect((await changer.call('GET', rule)).body['name']).to.equal(`change ${time}`);
      const sees = async (): Promise<boolean> =>
        (await reader.call('GET', rule)).body['name'] === (`change ${time}` as never);
      await withinASecond(sees, 'the other node shows the old rule');
    }
    expect((await one.call('DELETE', rule)).status).to.equal(200);
    await withinASecond(
      async () => (await other.call('GET', rule)).status === 404,
      'a deleted rule is shown',
    );
  });

  it('apply a change of a generic rule, and its deletion, to every server within a second', async () => {
    await one.call('PUT', '/v1.0/demo', { windowsize: 1 });
    const made = await one.call('POST', '/v1.0/demo/rules', OVER_50);
    const ruleId = String(made.body['ruleId']);
    await withinASecond(
      async () => (await other.call('GET', `/v1.0/demo/rules/${ruleId}`)).status === 200,
      'unknown',
    );
    await subscribe('bound', ruleId);
    const fires = async (): Promise<boolean> =>
      String((await facts(other, 'bound', 40)).body['title']).includes('firing');
    for (let time = 1; time <= TIMES; time += 1) {
      const bound = time % 2 === 1 ? 30 : 50;
      const condition = { cpu: { value: bound, operand: 'greater' } };
      await one.call('PUT', `/v1.0/demo/rules/${ruleId}`, { condition });
      await withinASecond(
        async () => (await fires()) === bound < 40,
        'the other node applies the old condition',
      );
    }
    await one.call('PUT', `/v1.0/demo/rules/${ruleId}`, { condition: ALWAYS.condition });
    await withinASecond(fires, 'it does not fire');
    expect((await one.call('DELETE', `/v1.0/demo/rules/${ruleId}`)).status).to.equal(200);
    await withinASecond(async () => !(await fires()), 'a deleted rule fires');
  });

  it('apply a new window size within a second', async () => {
    const rule = await one.call('POST', '/v1.0/demo/servers/sized/rules', ALWAYS);
    await subscribe('sized', String(rule.body['ruleId']));
    await facts(other, 'sized', 1);
    for (const size of [1, 50, 1, 60, 1]) {
      await one.call('PUT', '/v1.0/demo', { windowsize: size });
      const fires = async (): Promise<boolean> =>
        String((await facts(other, 'sized', 1)).body['title']).includes('firing');
      await withinASecond(async () => (await fires()) === (size === 1), `a window of ${size} is not applied`);
    }
  });

  it('share known tenants and their tokens', async () => {
    const late = await apiClient(otherUrl, 'late', 'late', 'late');
    const send = (): Promise<number> =>
      request(`${otherUrl}/v1.0/late/servers/first`, 'POST', factsBody(1)).then((answer) => answer.status);
    expect(await send()).to.equal(404);
    const here = await request(`${oneUrl}/v1.0/late`, 'GET', undefined, { 'x-auth-token': late.token });
    expect(here.status).to.equal(200);
    await withinASecond(async () => (await send()) === 200, 'the tenant is unknown');
  });
});
