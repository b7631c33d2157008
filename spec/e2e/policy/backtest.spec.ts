import { expect } from 'chai';
import type { ApiClient } from '../api-client.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';
import { addRule, okBody, windowSize } from './actions.js';

const PATH = '/v1.0/demo/rules/backtest';
const NOON = Date.parse('2026-11-21T12:00:00Z');
const RULE = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

const at = (seconds: number): string => new Date(NOON + seconds * 1_000).toISOString();
const minutely = (...values: readonly number[]): object[] =>
  values.map((cpu, i) => ({ at: at(i * 60), cpu }));

describe('backtests over HTTP', () => {
  const open = scenes();
  let api: ApiClient;
  beforeEach(async () => {
    ({ api } = await open.service());
    await windowSize(api, 1);
  });

  it('answer the evaluations, the messages, the firings and the seconds held, and store nothing', async () => {
    const rule = { ...RULE, repeat: 0, resolve: true, noData: 100 };
    const facts = [...minutely(50, 90, 95, 40), { at: at(600), cpu: 99 }, { at: at(660), cpu: 99, mem: 1 }];
    expect(okBody(await api.call('POST', PATH, { rule, facts }))).to.deep.equal({
      evaluations: 6,
      messages: [
        { index: 1, at: at(60), state: 'firing', measures: { cpu: 90 } },
        { index: 3, at: at(180), state: 'resolved', measures: { cpu: 40 } },
        { index: null, at: at(280), state: 'noData', measures: {} },
        { index: 4, at: at(600), state: 'firing', measures: { cpu: 99 } },
      ],
      firings: 2,
      held: 180,
    });
    expect(okBody(await api.call('GET', '/v1.0/demo/rules'))).to.deep.equal({ rules: [] });
    expect(okBody(await api.call('GET', '/v1.0/demo/servers'))).to.deep.equal({ servers: [] });
  });

  it('have the windows of the tenant and the gap of the service, unless they name others', async () => {
    const { api: other } = await open.service({ WINDOW_GAP_S: '60' });
    const facts = [0, 60, 121].map((seconds) => ({ at: at(seconds), cpu: 90 }));
    const evaluations = async (more: object): Promise<unknown> =>
      okBody(await other.call('POST', PATH, { rule: RULE, facts, ...more }))['evaluations'];
    await windowSize(other, 2);
    expect(await evaluations({})).to.equal(1);
    expect(await evaluations({ gap: 0 })).to.equal(2);
    expect(await evaluations({ gap: 61 })).to.equal(2);
    expect(await evaluations({ windowsize: 1 })).to.equal(3);
    expect(await evaluations({ windowsize: 3, gap: 0 })).to.equal(1);
  });

  it('take metrics of the setting, with their ranges', async () => {
    const { api: wide } = await open.service({ METRICS: 'queue,temp:-40..120' });
    const rule = { ...RULE, condition: { queue: { value: 1_000, operand: 'greater', aggregate: 'max' } } };
    const facts = [{ at: at(0), queue: 5_000, temp: -40 }];
    const answer = okBody(await wide.call('POST', PATH, { rule, facts, windowsize: 1 }));
    expect(answer['messages']).to.deep.equal([
      { index: 0, at: at(0), state: 'firing', measures: { queue: 5_000 } },
    ]);
    const { api: any } = await open.service({ METRICS: '*' });
    const timed = { ...RULE, condition: { at: { value: 1, operand: 'greater' } } };
    const untried = await any.call('POST', PATH, { rule: timed, facts });
    expectRefusal(untried, 400, 'rule.condition.at: cannot be tried: the member `at` of a fact is its time');
    const hot = await wide.call('POST', PATH, { rule, facts: [{ at: at(0), temp: 121 }] });
    expectRefusal(hot, 400, 'facts[0].temp: must be a number from -40 to 120');
  });

  it('name every problem of the body, with the member and what is allowed', async () => {
    const body = {
      rule: { ...RULE, condition: { cpu: { value: 101, operand: 'greater' } } },
      windowsize: 0,
      gap: -1,
      server: 'web-1',
      facts: [
        { at: at(60), cpu: 101 },
        { at: at(0), cpu: 50 },
        { at: at(-60), cpu: 50 },
        { at: 'noon', cpu: '50' },
        { at: at(60) },
        { at: at(60), load: 3 },
        7,
      ],
    };
    const answer = await api.call('POST', PATH, body);
    expect(answer.status).to.equal(400);
    expect(answer.body.error?.message.split('; ')).to.include.members([
      'body: must not have "server"',
      'rule.condition.cpu.value: must be a JSON number from 0 to 100',
      'windowsize: must be an integer from 1 to 100',
      'gap: must be an integer from 0 to 31536000, in seconds',
      'facts[0].cpu: must be a number from 0 to 100',
      'facts[2].at: must not be earlier than that of the fact before it: sort the facts by time, ascending',
      'facts[3].cpu: must be a number from 0 to 100',
      'facts[3].at: must be a time of ISO 8601 with a zone, such as 2026-11-21T11:00:00Z',
      'facts[4]: must have at least one of cpu, mem, hdd, net',
      'facts[5].load: is no metric here',
      'facts[6]: must be a JSON object',
    ]);
    const descending = { rule: RULE, facts: [90, 60, 30].map((s) => ({ at: at(s), cpu: 1 })) };
    expect((await api.call('POST', PATH, descending)).body.error?.message).to.equal(
      'facts[1].at: must not be earlier than that of the fact before it, here and in 1 more: sort the facts by time, ascending',
    );
    for (const wrong of [{}, { rule: RULE }, { rule: RULE, facts: {} }, []]) {
      expectRefusal(await api.call('POST', PATH, wrong), 400);
    }
    expectRefusal(await api.call('POST', `${PATH}?dry=1`, { rule: RULE, facts: [] }), 400, 'dry');
  });

  it('take 50,000 facts, whose body may be longer than BODY_LIMIT, and no more', async () => {
    const facts = Array.from({ length: 50_000 }, (_, i) => ({ at: at(i), cpu: i % 2 === 0 ? 90 : 80 }));
    const answer = okBody(await api.call('POST', PATH, { rule: RULE, facts }));
    expect(answer).to.deep.include({ evaluations: 50_000, firings: 25_000, held: 25_000 });
    const more = { rule: RULE, facts: [...facts, { at: at(50_000), cpu: 1 }] };
    expectRefusal(await api.call('POST', PATH, more), 413, 'facts: 50001 are too many; send at most 50000');
    const { api: narrow } = await open.service({ BATCH_LIMIT: '1KiB' });
    expectRefusal(await narrow.call('POST', PATH, { rule: RULE, facts: facts.slice(0, 50) }), 413);
  });

  it('leave other methods of the path 405, with an id or without', async () => {
    await addRule(api, 'web-1');
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await api.call(method, PATH, method === 'PUT' ? { name: 'x' } : undefined);
      expectRefusal(answer, 405, 'allowed: OPTIONS, POST');
      expect(answer.headers.get('allow')).to.equal('OPTIONS, POST');
    }
    const options = await api.call('OPTIONS', PATH);
    expect([options.status, options.headers.get('allow')]).to.deep.equal([204, 'OPTIONS, POST']);
    const post = await api.call('POST', `${PATH}.json`, { rule: RULE, facts: [] });
    expect(okBody(post)).to.deep.equal({ evaluations: 0, messages: [], firings: 0, held: 0 });
  });

  it('need a token of the tenant', async () => {
    const answer = await api.call('POST', PATH, { rule: RULE, facts: [] }, { 'x-auth-token': 'wrong' });
    expectRefusal(answer, 401);
    expectRefusal(await api.call('POST', '/v1.0/other/rules/backtest', { rule: RULE, facts: [] }), 403);
  });
});
