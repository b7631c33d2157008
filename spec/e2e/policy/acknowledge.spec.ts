import { expect } from 'chai';
import type { Explanation } from '../../../src/policy/explain/shapes.js';
import { request } from '../api-client.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';
import { addSubscribedRule, ALWAYS, arrived, cpu, okBody, windowSize } from './actions.js';

const SERVER = '/v1.0/demo/servers/web-1';
const BUSY = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};
const TOKEN = 'token-of-operators';

describe('an acknowledgement', () => {
  const open = scenes();

  /** A service whose clock stands still unless the spec moves it, with one subscribed rule and a window of 1. */
  async function stage(rule: object, settings: Readonly<Record<string, string>> = {}) {
    let now = Date.parse('2026-11-21T10:00:00Z');
    const receiver = await open.receiver((response) => response.end());
    const service = await open.service(settings, () => now);
    await windowSize(service.api, 1);
    const { ruleId, subscriptionId } = await addSubscribedRule(service.api, 'web-1', receiver.origin, rule);
    const path = `${SERVER}/subscription/${subscriptionId}/ack`;
    const { api } = service;
    return {
      ...service,
      receiver,
      path,
      pass: (seconds: number): void => void (now += seconds * 1_000),
      acknowledge: (body: object = {}) => api.call('PUT', path, body),
      takeBack: () => api.call('DELETE', path),
      explained: async () => {
        const answer = okBody(await api.call('GET', `${SERVER}/rules/${ruleId}/explain`));
        return (answer as unknown as Explanation).subscriptions[0]!;
      },
      measure: (...values: readonly number[]) =>
        values.reduce<Promise<unknown>>(
          (before, value) => before.then(() => cpu(api, 'web-1', value)),
          Promise.resolve(),
        ),
      states: async (count: number) =>
        (await arrived(receiver, count)).map(
          ({ body }) => (JSON.parse(body) as { state?: string }).state ?? 'plain',
        ),
    };
  }

  it('names the user, the time and the note; explain shows it until it is taken back', async () => {
    const { acknowledge, takeBack, explained, measure } = await stage({ ...BUSY, repeat: 0 });
    await measure(97);
    const ack = { by: 'demo', at: '2026-11-21T10:00:00.000Z', note: 'Disk is on its way' };
    expect(okBody(await acknowledge({ note: ack.note }))).to.deep.equal(ack);
    expect((await explained()).ack).to.deep.equal(ack);
    expect((await acknowledge()).body).to.deep.equal({ ...ack, note: null });
    for (let times = 0; times < 2; times += 1) expect((await takeBack()).status).to.equal(200);
    expect(await explained()).not.to.have.property('ack');
  });

  for (const [what, rule] of [
    ['a rule of the document', BUSY],
    ['a rule that repeats', { ...BUSY, repeat: 1 }],
  ] as const) {
    it(`keeps back further firings of ${what}, until the period ends`, async () => {
      const { acknowledge, measure, pass, receiver } = await stage(rule);
      await measure(97);
      await acknowledge();
      pass(5);
      await measure(97, 98);
      pass(5);
      await measure(10, 99);
      await arrived(receiver, 2);
      const bodies = receiver.got.map(({ body }) => (JSON.parse(body) as { measures: object }).measures);
      expect(bodies).to.deep.equal([{ cpu: 97 }, { cpu: 99 }]);
    });
  }

  it('of a pending subscription holds for the firing, whose first message is sent, and resolved comes', async () => {
    const rule = { ...BUSY, for: 60, repeat: 1, resolve: true };
    const { acknowledge, explained, measure, pass, states } = await stage(rule);
    await measure(97);
    expect((await explained()).state).to.equal('pending');
    okBody(await acknowledge());
    pass(61);
    await measure(97);
    pass(61);
    await measure(97);
    expect((await explained()).ack).to.include({ by: 'demo' });
    await measure(10);
    expect(await explained()).not.to.have.property('ack');
    expect(await states(2)).to.deep.equal(['firing', 'resolved']);
  });

  it('of a firing outlasts noData, which has one of its own', async () => {
    const { acknowledge, explained, measure, pass, api, receiver } = await stage({
      ...BUSY,
      repeat: 1,
      noData: 10,
    });
    await measure(97);
    okBody(await acknowledge({ note: 'firing' }));
    pass(11);
    await arrived(receiver, 2);
    expect(await explained())
      .to.include({ state: 'noData' })
      .and.not.have.property('ack');
    okBody(await acknowledge({ note: 'silence' }));
    expect((await explained()).ack).to.include({ note: 'silence' });
    await cpu(api, 'web-1', 98);
    expect((await explained()).ack).to.include({ note: 'firing' });
    expect(receiver.got).to.have.length(2);
  });

  it('survives a restart', async () => {
    const folder = await open.folder();
    const first = await stage(BUSY, { DATA_DIR: folder });
    const { acknowledge, explained, measure } = first;
    await measure(97);
    okBody(await acknowledge());
    const { ack } = await explained();
    await first.close();
    const { api } = await open.service({ DATA_DIR: folder });
    const { rules } = okBody(await api.call('GET', SERVER)) as unknown as { rules: { ruleId: string }[] };
    const path = `${SERVER}/rules/${rules[0]!.ruleId}/explain`;
    const { subscriptions } = okBody(await api.call('GET', path)) as unknown as Explanation;
    expect(subscriptions[0]!.ack).to.deep.equal(ack);
    expect(ack).to.include({ by: 'demo' });
  });

  it('is 409 for a state that needs nobody, and changes nothing', async () => {
    const { acknowledge, explained, measure } = await stage(BUSY);
    expectRefusal(await acknowledge(), 409, 'the subscription is filling');
    await measure(10);
    expectRefusal(await acknowledge(), 409, 'the subscription is calm', 'firing, pending or in noData');
    expect(await explained()).not.to.have.property('ack');
  });

  it('is refused with what is allowed', async () => {
    const { api, acknowledge, path, measure } = await stage(ALWAYS);
    await measure(50);
    expectRefusal(await acknowledge({ note: 7 }), 400, 'note: must be a string of at most 1000 characters');
    expectRefusal(await acknowledge({ note: 'x'.repeat(1_001) }), 400, 'note');
    expectRefusal(await acknowledge({ by: 'me' }), 400, 'must not have by');
    const other = path.replace(/subscription\/\w+/, `subscription/${'a'.repeat(24)}`);
    for (const method of ['PUT', 'DELETE'] as const)
      expectRefusal(await api.call(method, other, method === 'PUT' ? {} : undefined), 404, 'subscriptionId');
  });

  it('and the mute are there for operators of every tenant, with OPERATOR_TOKEN alone', async () => {
    const { url, path, measure, explained } = await stage(BUSY, { OPERATOR_TOKEN: TOKEN });
    await measure(97);
    const as = (headers: Record<string, string>, at = path, body: object = {}) =>
      request(url + at, 'PUT', body, headers);
    for (const [header, shown] of [
      ['x-operator-token', TOKEN],
      ['authorization', `Bearer ${TOKEN}`],
    ] as const) {
      expect((await as({ [header]: shown })).body).to.include({ by: 'operator' });
    }
    const mute = path.replace(/ack$/, 'mute');
    expect((await as({ 'x-operator-token': TOKEN }, mute, { for: 60 })).status).to.equal(200);
    expect(await explained()).to.have.property('mutedUntil');
    expectRefusal(await as({ 'x-operator-token': 'wrong' }), 401);
    expectRefusal(await as({ authorization: 'Bearer wrong' }), 401, 'X-Auth-Token');
    expectRefusal(await as({}), 401, 'X-Auth-Token');
    expectRefusal(await as({ 'x-operator-token': TOKEN }, path.replace('demo', 'nobody')), 404, 'tenantId');
    let last = 401;
    for (let guess = 0; guess < 100 && last === 401; guess += 1)
      last = (await as({ authorization: `Bearer wrong-${guess}` })).status;
    expect(last).to.equal(429);
  });
});
