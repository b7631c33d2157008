import { expect } from 'chai';
import type { ApiClient } from '../../api-client.js';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';
import { ALWAYS, addRule, addSubscribedRule, okBody, subscribe, windowSize } from '../actions.js';
import { element, factsBefore, serversOf } from './taken.js';

interface Taken {
  readonly facts: number;
  readonly firings: number;
  readonly servers: number;
  readonly title: string;
  readonly refused?: readonly { readonly index: number; readonly id: unknown; readonly message: string }[];
}

async function notify(api: ApiClient, body: object): Promise<Taken> {
  return okBody(await api.call('POST', '/demo/notify', body)) as unknown as Taken;
}

const LONGEST = 'a'.repeat(256);
const ODD_IDS = [
  '',
  '.',
  '..',
  'a b',
  'a/b',
  '[2001:db8::7]:9100',
  'web-1.json',
  `${LONGEST}a`,
  7,
  null,
  undefined,
];

describe('elements of facts by entity that are refused', () => {
  const open = scenes();

  it('are left out, and named by index and id, for an id that no server has; the others are taken', async () => {
    const { api } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const good = { id: 'web-1:9100', type: 'host', cpuLoadPct: 97 };
    for (const [n, id] of ODD_IDS.entries()) {
      const data = [good, { ...good, id }, good];
      const { refused = [], ...taken } = await notify(api, { data });
      const title = '2 facts of 1 server taken; 1 element refused';
      expect(taken).to.deep.equal({ facts: 2, firings: 0, servers: 1, title });
      expect(refused).to.have.length(1);
      const { index, id: shown, message } = refused[0]!;
      const cut = id === `${LONGEST}a` ? `${LONGEST.slice(1)}…` : id;
      expect({ index, shown }).to.deep.equal({ index: 1, shown: typeof cut === 'string' ? cut : null });
      expect(message).to.match(/^data\[1\]\.id: must be the id of a server/);
      const ngsi10 = { contextResponses: [element(id, '1'), element('web-1:9100', '1')] };
      const second = await notify(api, ngsi10);
      expect(second).to.deep.include({ facts: 1, servers: 1 });
      expect(second.refused!.map((one) => one.index)).to.deep.equal([0]);
      expect(second.refused![0]!.message).to.match(/^contextResponses\[0\]\.contextElement\.id: /);
      expect(await factsBefore(api, 'web-1:9100')).to.equal(4 * n + 3);
    }
    expect(await serversOf(api)).to.deep.equal(['web-1:9100']);
  });

  it('are those with one fault or more; other elements of the same server are taken', async () => {
    const { api } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const pattern = {
      contextElement: { id: 'a', isPattern: 'true', attributes: [{ name: 'cpuLoadPct', value: '1' }] },
    };
    const { refused = [], ...taken } = await notify(api, {
      contextResponses: [
        element('a', '101'),
        element('a', '1'),
        pattern,
        element('b', 'x', { code: '500' }),
        element('a', '2', { code: true }),
        7,
        { contextElement: { id: 'c', attributes: 'none' } },
        element('b', '3'),
      ],
    });
    const title = '2 facts of 2 servers taken; 5 elements refused';
    expect(taken).to.deep.equal({ facts: 2, firings: 0, servers: 2, title });
    expect(refused.map(({ index, id }) => [index, id])).to.deep.equal([
      [0, 'a'],
      [2, 'a'],
      [4, 'a'],
      [5, null],
      [6, 'c'],
    ]);
    const faults = ['from 0 to 100', 'isPattern', 'statusCode', 'must be an object', 'must be an array'];
    for (const [i, fault] of faults.entries()) expect(refused[i]!.message).to.include(fault);
    const both = await notify(api, {
      data: [
        { id: '?', cpuLoadPct: -1 },
        { id: 'a', usedMemPct: '5' },
      ],
    });
    expect(both.refused![0]!.message).to.include('data[0].id: ').and.include('data[0].cpuLoadPct: ');
    expect(await factsBefore(api, 'a')).to.equal(2);
    expect(await factsBefore(api, 'b')).to.equal(1);
    expect(await serversOf(api)).to.have.members(['a', 'b']);
  });

  it('are all named in a 400 if none can be taken, and nothing is', async () => {
    const { api } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const none = {
      data: [{ id: '?', cpuLoadPct: 1 }, { id: 'a', cpuLoadPct: 101 }, 7, { id: 'b', users: 4 }],
    };
    const answer = await api.call('POST', '/demo/notify', none);
    expectRefusal(answer, 400, 'data[0].id', 'data[1].cpuLoadPct', 'data[2]');
    const skipped = { contextResponses: [element('a', '1', { code: '500' })] };
    expectRefusal(await api.call('POST', '/demo/notify', skipped), 400, 'no element measures anything');
    for (const body of [{}, { data: [] }, { data: {} }, []]) {
      expectRefusal(await api.call('POST', '/demo/notify', body), 400);
    }
    const odd = Array.from({ length: 20_000 }, () => 7);
    const long = await api.call('POST', '/demo/notify', { data: odd });
    expectRefusal(long, 400, 'data[0]', 'data[40]');
    expect(long.body.error!.message).to.match(/; and 19\d{3} more elements$/);
    expect(await serversOf(api)).to.deep.equal([]);
  });

  it('are none if the others have nothing new', async () => {
    const { api } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const cpuLoadPct = { type: 'Property', value: 5, observedAt: '2026-01-01T00:00:00Z' };
    await notify(api, { data: [{ id: 'a', cpuLoadPct }] });
    for (const data of [
      [{ id: 'a', cpuLoadPct }, 7],
      [{ id: 'a', type: 'host' }, 7],
    ]) {
      const { refused, title, ...taken } = await notify(api, { data });
      expect(taken).to.deep.equal({ facts: 0, firings: 0, servers: 0 });
      expect(title).to.match(/^nothing .*; 1 element refused$/);
      expect(refused!.map(({ index }) => index)).to.deep.equal([1]);
    }
  });

  it('are listed up to 256 KiB; the title says how many there are', async () => {
    const { api } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const data = [...Array.from({ length: 20_000 }, () => 7), { id: 'a', cpuLoadPct: 1 }];
    const answer = await api.call('POST', '/demo/notify', { data });
    expect(answer.text.length).to.be.within(100_000, 300_000);
    const { refused, title, facts } = answer.body as unknown as Taken;
    expect(facts).to.equal(1);
    expect(refused!.map(({ index }) => index)).to.deep.equal(refused!.map((_, i) => i));
    expect(title).to.equal(
      `1 fact of 1 server taken; 20000 elements refused, ${refused!.length} of them listed`,
    );
  });

  it('are those of a server that could have more than 1,000 messages; the other servers take theirs', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'web-1');
    for (let i = 0; i < 3; i += 1) await subscribe(api, 'web-1', ruleId, `http://127.0.0.1:9/${i}`);
    const of = (id: string, count: number): readonly object[] =>
      Array.from({ length: count }, () => ({ id, type: 'host', usedMemPct: 1 }));
    const tooMany = await notify(api, { data: [...of('db-1', 400), ...of('web-1', 334), ...of('?', 1)] });
    expect(tooMany).to.deep.include({ facts: 400, servers: 1 });
    expect(tooMany.title).to.equal('400 facts of 1 server taken; 335 elements refused');
    expect(tooMany.refused!.map(({ index }) => index)).to.deep.equal(
      Array.from({ length: 335 }, (_, i) => 400 + i),
    );
    for (const { id, message } of tooMany.refused!.slice(0, -1)) {
      expect(id).to.equal('web-1');
      expect(message).to.include('server web-1: ').and.include('at most 333 elements');
    }
    const most = await notify(api, { data: [...of('db-1', 400), ...of('web-1', 333)] });
    expect(most).to.deep.include({ facts: 733, servers: 2 });
    expect(most).not.to.have.property('refused');
    for (const data of [of('web-1', 334), [...of('web-1', 334), ...of('?', 1)]]) {
      const words = [
        'server web-1',
        'at most 333 elements',
        ...(data.length === 335 ? ['data[334].id'] : []),
      ];
      expectRefusal(await api.call('POST', '/demo/notify', { data }), 413, ...words);
    }
    expect(await factsBefore(api, 'web-1')).to.equal(333);
    expect(await factsBefore(api, 'db-1')).to.equal(800);
  });

  it('are those of a server whose messages are too large together', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    const action = { actionName: 'notify-email', email: 'ops@example.org', body: 'x'.repeat(65_000) };
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', { ...ALWAYS, action });
    const tooLarge = Array.from({ length: 300 }, () => ({ id: 'web-1', type: 'host', cpuLoadPct: 1 }));
    const answer = await notify(api, { data: [{ id: 'db-1', type: 'host', cpuLoadPct: 1 }, ...tooLarge] });
    expect(answer).to.deep.include({ facts: 1, servers: 1 });
    expect(answer.refused).to.have.length(300);
    expect(answer.refused![0]!.message).to.include('server web-1').and.include('send fewer');
    expectRefusal(
      await api.call('POST', '/demo/notify', { data: tooLarge }),
      413,
      'server web-1',
      'send fewer',
    );
    expect(await factsBefore(api, 'web-1')).to.equal(0);
  });

  it('are no elements for a value that is null, in any form of NGSI-LD', async () => {
    const { api } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const typed = { '@type': 'Intangible', '@value': null };
    const nulls = [
      null,
      'urn:ngsi-ld:null',
      typed,
      [typed],
      ...[null, 'urn:ngsi-ld:null', typed].map((value) => ({ type: 'Property', value })),
    ];
    for (const cpuLoadPct of nulls) {
      const data = [{ id: 'a', type: 'host', cpuLoadPct, usedMemPct: { type: 'Property', value: 7 } }];
      const answer = await notify(api, { data });
      expect(answer, JSON.stringify(cpuLoadPct)).to.deep.include({ facts: 1, servers: 1 });
      expect(answer).not.to.have.property('refused');
      expect(await notify(api, { data: [{ id: 'a', type: 'host', cpuLoadPct }] })).to.deep.include({
        facts: 0,
      });
      okBody(await api.call('POST', '/demo/servers/a', { data }));
    }
    expect(await factsBefore(api, 'a')).to.equal(2 * nulls.length);
  });
});
