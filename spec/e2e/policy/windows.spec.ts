import { expect } from 'chai';
import type { ApiClient } from '../api-client.js';
import {
  ALWAYS,
  addRule,
  arrived,
  cpu,
  factsBody,
  factsIn,
  firedIn,
  subscribe,
  okBody,
  addSubscribedRule,
  windowSize,
} from './actions.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';

const PATH = '/demo/servers/web-1';

describe('windows and facts', () => {
  const open = scenes();
  let api: ApiClient;
  beforeEach(async () => {
    ({ api } = await open.service());
    await windowSize(api, 1);
  });

  it('are averaged once they are full, at five values by default', async () => {
    const { api: fresh } = await open.service();
    const receiver = await open.receiver();
    await addSubscribedRule(fresh, 'web-1', receiver.origin);
    for (const value of [10, 20, 30, 40, 50.5, 60]) await cpu(fresh, 'web-1', value);
    const fired = firedIn(await arrived(receiver, 2)).toSorted((a, b) => a.factId - b.factId);
    expect(fired.map(({ factId, measures }) => [factId, measures])).to.deep.equal([
      [5, { cpu: 30.1 }],
      [6, { cpu: 40.1 }],
    ]);
  });

  it('follow a change of their size at once and keep the newest values', async () => {
    const receiver = await open.receiver();
    await windowSize(api, 4);
    await addSubscribedRule(api, 'web-1', receiver.origin);
    for (const value of [10, 20, 30]) await cpu(api, 'web-1', value);
    await windowSize(api, 2);
    await cpu(api, 'web-1', 40);
    await windowSize(api, 3);
    await cpu(api, 'web-1', 50);
    const fired = firedIn(await arrived(receiver, 2)).toSorted((a, b) => a.factId - b.factId);
    expect(fired.map(({ factId, measures }) => [factId, measures['cpu']])).to.deep.equal([
      [4, 35],
      [5, 40],
    ]);
  });

  it('have a size from 1 to WINDOW_MAX', async () => {
    const { api: small } = await open.service({ WINDOW_MAX: '7' });
    for (const windowsize of [0, 8, 1.5, -1, '5', null]) {
      expectRefusal(await small.call('PUT', '/v1.0/demo', { windowsize }), 400, 'windowsize', 'from 1 to 7');
    }
    expectRefusal(
      await small.call('PUT', '/v1.0/demo', { windowsize: 5, more: 1 }),
      400,
      'must not have more',
    );
    await windowSize(small, 7);
    expect(okBody(await small.call('GET', '/v1.0/demo'))['windowsize']).to.equal(7);
  });

  it('take several elements in order, each with its own number', async () => {
    const receiver = await open.receiver();
    await addSubscribedRule(api, 'web-1', receiver.origin);
    const body = factsBody({ cpuLoadPct: '1' }, { cpuLoadPct: '2' }, { usedMemPct: '3' }, { cpuLoadPct: 4 });
    const answer = okBody(await api.call('POST', PATH, body));
    expect(answer).to.deep.equal({ id: 4, title: '4 facts taken, 3 firings' });
    const fired = firedIn(await arrived(receiver, 3)).toSorted((a, b) => a.factId - b.factId);
    expect(fired.map(({ factId, measures }) => [factId, measures['cpu']])).to.deep.equal([
      [1, 1],
      [2, 2],
      [4, 4],
    ]);
  });

  it('take all of a request or nothing', async () => {
    const body = factsBody({ cpuLoadPct: '1' }, { cpuLoadPct: '2', usedMemPct: '-3' });
    const where = 'contextResponses[1].contextElement.attributes[1].value: usedMemPct';
    expectRefusal(await api.call('POST', PATH, body), 400, where, 'from 0 to 100');
    expectRefusal(await api.call('GET', '/v1.0/demo/servers/web-1'), 404);
    expect(await cpu(api, 'web-1', 1)).to.equal(1);
  });

  it('accept valid measurements and nothing else', async () => {
    const receiver = await open.receiver();
    await addSubscribedRule(api, 'web-1', receiver.origin);
    for (const value of ['42.5', '030', '.5', '5.', '1e1', '100', '0', 7, 99.5]) {
      const body = factsBody({ cpuLoadPct: value, other: 'ignored' });
      okBody(await api.call('POST', PATH, body));
    }
    const values = firedIn(await arrived(receiver, 9)).map(({ factId, measures }) => [
      factId,
      measures['cpu'],
    ]);
    expect(values.toSorted(([a = 0], [b = 0]) => a - b).map(([, value]) => value)).to.deep.equal([
      42.5, 30, 0.5, 5, 10, 100, 0, 7, 99.5,
    ]);
    for (const value of [
      '-1',
      '+1',
      '0x10',
      '',
      ' 1',
      '1 ',
      '101',
      '1e3',
      'NaN',
      'Infinity',
      '1,5',
      101,
      -1,
    ]) {
      expectRefusal(await api.call('POST', PATH, factsBody({ cpuLoadPct: value })), 400, 'cpuLoadPct');
    }
    for (const value of [null, true, [], {}]) {
      const body = factsBody({ cpuLoadPct: value as never });
      expectRefusal(await api.call('POST', PATH, body), 400, 'cpuLoadPct');
    }
    expectRefusal(await api.call('POST', PATH, factsBody({ other: '1' })), 400, 'at least one attribute');
    expect(await cpu(api, 'web-1', 1)).to.equal(10);
  });

  it('skip elements of a failed query, refuse patterns and use the last of two equal names', async () => {
    const [failed, good, pattern] = factsBody({ cpuLoadPct: '1' }, { cpuLoadPct: '2' }, { cpuLoadPct: '3' })
      .contextResponses as unknown as [Response, Response, Response];
    failed.statusCode = { code: '404', reasonPhrase: 'No context element found' };
    good.contextElement.attributes.push({ name: 'cpuLoadPct', value: '90', type: 'string' });
    const receiver = await open.receiver();
    await addSubscribedRule(api, 'web-1', receiver.origin);
    const more = { subscriptionId: '51c0ac9ed714fb3b37d7d5a8', originator: 'localhost' };
    okBody(await api.call('POST', PATH, { ...more, contextResponses: [failed, good] }));
    expect(firedIn(await arrived(receiver, 1))[0]).to.deep.include({ factId: 1, measures: { cpu: 90 } });
    expectRefusal(await api.call('POST', PATH, { contextResponses: [failed] }), 400, 'no element measures');
    pattern.contextElement.isPattern = 'true';
    expectRefusal(
      await api.call('POST', PATH, { contextResponses: [good, pattern] }),
      400,
      '[1]',
      'isPattern',
    );
  });

  for (const [reading, value] of [
    ['used', 75],
    ['free', 25],
  ] as const) {
    it(`read freeSpacePct as hdd with HDD_READING=${reading}`, async () => {
      const { api: other } = await open.service({ HDD_READING: reading });
      const receiver = await open.receiver();
      await windowSize(other, 1);
      const condition = { hdd: { value: 0, operand: 'greater' } };
      await addSubscribedRule(other, 'web-1', receiver.origin, { ...ALWAYS, condition });
      okBody(await other.call('POST', PATH, factsBody({ freeSpacePct: '25' })));
      expect(firedIn(await arrived(receiver, 1))[0]!.measures).to.deep.equal({ hdd: value });
    });
  }

  it('evaluate a condition only at facts with one of its metrics and with all its windows full', async () => {
    const receiver = await open.receiver();
    const condition = { cpu: { value: 0, operand: 'greater' }, mem: { value: 50, operand: 'less equal' } };
    await addSubscribedRule(api, 'web-1', receiver.origin, { ...ALWAYS, condition });
    const facts: readonly Record<string, string>[] = [
      { cpuLoadPct: '10' },
      { netLoadPct: '1' },
      { usedMemPct: '50' },
      { netLoadPct: '1' },
      { usedMemPct: '51' },
      { cpuLoadPct: '0', usedMemPct: '1' },
      { cpuLoadPct: '1' },
    ];
    const firings: unknown[] = [];
    for (const fact of facts) firings.push(okBody(await api.call('POST', PATH, factsBody(fact)))['title']);
    const [no, yes] = ['1 fact taken', '1 fact taken, 1 firing'];
    expect(firings).to.deep.equal([no, no, yes, no, no, no, yes]);
    expect(factsIn(await arrived(receiver, 2))).to.deep.equal([3, 7]);
  });

  it('number 200 concurrent facts of one server without a gap, and fire once for each', async () => {
    const receiver = await open.receiver();
    const ruleId = await addRule(api, 'web-1');
    await subscribe(api, 'web-1', ruleId, receiver.origin);
    const ids = await Promise.all(Array.from({ length: 200 }, (_, i) => cpu(api, 'web-1', i % 100)));
    const all = Array.from({ length: 200 }, (_, i) => i + 1);
    expect(ids.toSorted((a, b) => a - b)).to.deep.equal(all);
    expect(factsIn(await arrived(receiver, 200))).to.deep.equal(all);
  });
});

interface Response {
  statusCode: { code: string; reasonPhrase: string };
  contextElement: { attributes: { name: string; value: string | number; type: string }[]; isPattern: string };
}
