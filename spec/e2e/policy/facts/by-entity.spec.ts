import { expect } from 'chai';
import { apiClient, request } from '../../api-client.js';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';
import { element, factsBefore, serversOf } from './taken.js';
import { ALWAYS, addSubscribedRule, arrived, firedIn, okBody, windowSize } from '../actions.js';

const PATHS = ['/demo/notify', '/v1.0/demo/notify'];
const COUNTED = { facts: 3, firings: 2, servers: 2, title: '3 facts of 2 servers taken, 2 firings' };

const FORMATS: Readonly<Record<string, object>> = {
  'NGSI-10': {
    contextResponses: [
      element('web-1', '11'),
      element('web-3', 'x', { code: '404' }),
      element('db.example.org', '30'),
      element('web-1', '12'),
    ],
  },
  NGSIv2: {
    subscriptionId: '57458eb60962ef754e7c0998',
    data: [
      { id: 'web-1', type: 'host', cpuLoadPct: { type: 'Number', value: 11, metadata: {} } },
      { id: 'web-3', type: 'host', users: 4 },
      { id: 'db.example.org', type: 'host', cpuLoadPct: 30 },
      { id: 'web-1', type: 'host', cpuLoadPct: '12' },
    ],
  },
  'NGSI-LD': {
    id: 'urn:ngsi-ld:Notification:1',
    type: 'Notification',
    data: [
      { id: 'web-1', type: 'host', cpuLoadPct: { type: 'Property', value: 11 } },
      { id: 'web-3', type: 'host', cpuLoadPct: { type: 'Property', value: 'urn:ngsi-ld:null' } },
      { id: 'db.example.org', type: 'host', cpuLoadPct: { type: 'Property', value: 30 } },
      { id: 'web-1', type: 'host', cpuLoadPct: { value: 12 } },
    ],
  },
};

describe('facts by entity', () => {
  const open = scenes();

  for (const [format, body] of Object.entries(FORMATS)) {
    it(`are the facts of the servers that the ids name, in ${format}, under both paths`, async () => {
      const { api } = await open.service();
      const receiver = await open.receiver();
      await windowSize(api, 1);
      await addSubscribedRule(api, 'web-1', receiver.origin);
      for (const path of PATHS) expect(okBody(await api.call('POST', path, body))).to.deep.equal(COUNTED);
      const fired = firedIn(await arrived(receiver, 4)).toSorted((a, b) => a.factId - b.factId);
      expect(
        fired.map(({ serverId, factId, measures }) => [serverId, factId, measures['cpu']]),
      ).to.deep.equal([
        ['web-1', 1, 11],
        ['web-1', 2, 12],
        ['web-1', 3, 11],
        ['web-1', 4, 12],
      ]);
      expect(await factsBefore(api, 'db.example.org')).to.equal(2);
      expect(await serversOf(api)).to.have.members(['web-1', 'db.example.org']);
    });
  }

  it('count a value once that came with its time', async () => {
    const { api } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const at = (observedAt: string) => ({ type: 'Property', value: 5, observedAt });
    const [first, second, third] = [0, 1, 2].map((n) => at(`2026-01-01T00:00:0${n}Z`));
    const send = async (...values: readonly (readonly [id: string, cpuLoadPct: unknown])[]) =>
      okBody(
        await api.call('POST', '/demo/notify', {
          data: values.map(([id, cpuLoadPct]) => ({ id, type: 'host', cpuLoadPct })),
        }),
      );
    expect(await send(['a', first], ['b', first])).to.deep.include({ facts: 2, servers: 2 });
    expect(await send(['a', first], ['b', second], ['b', first], ['b', third])).to.deep.equal({
      facts: 2,
      firings: 0,
      servers: 1,
      title: '2 facts of 1 server taken',
    });
    const none = await send(['a', first], ['b', third]);
    expect(none).to.deep.include({ facts: 0, firings: 0, servers: 0 });
    expect(none['title']).to.equal('nothing counted: values of a and b were counted before');
    const older = await send(['a', first], ['b', second]);
    expect(older['title']).to.equal(
      'nothing counted: values of a were counted before; values of b are older than the last ones counted',
    );
  });

  it('may be an entity without attributes, which counts nothing', async () => {
    const { api } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const title = 'nothing to count: no element has a value';
    const body = { data: [{ id: 'web-1', type: 'host' }] };
    const answer = okBody(await api.call('POST', '/demo/notify', body));
    expect(answer).to.deep.equal({ facts: 0, firings: 0, servers: 0, title });
    expect(okBody(await api.call('POST', '/demo/servers/web-1', body))).to.deep.equal({ id: 0, title });
    expect(await serversOf(api)).to.deep.equal([]);
  });

  it('may be of thousands of servers, in a body that a thread reads', async () => {
    const { api } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const data = Array.from({ length: 6_000 }, (_, i) => ({
      id: `h${i % 3_000}`,
      type: 'host',
      cpuLoadPct: 1,
    }));
    const answer = okBody(await api.call('POST', '/demo/notify', { data }));
    expect(answer).to.deep.include({
      facts: 6_000,
      servers: 3_000,
      title: '6000 facts of 3000 servers taken',
    });
    expect(await serversOf(api)).to.have.length(3_000);
    for (const id of ['h0', 'h2999']) expect(await factsBefore(api, id)).to.equal(2);
    data[5_999]!.id = 'a b';
    const cut = okBody(await api.call('POST', '/demo/notify', { data }));
    expect(cut).to.deep.include({ facts: 5_999, servers: 3_000 });
    expect(cut['refused']).to.have.length(1);
    expect(await factsBefore(api, 'h1')).to.equal(4);
    expect(await factsBefore(api, 'h2999')).to.equal(4);
  });

  it('have the metrics of METRICS, listed ones or any', async () => {
    const queued = { ...ALWAYS, condition: { queue: { value: 5, operand: 'greater' } } };
    for (const METRICS of ['queue:0..1000', '*']) {
      const { api } = await open.service({ METRICS });
      const receiver = await open.receiver();
      await windowSize(api, 1);
      await addSubscribedRule(api, 'web-1', receiver.origin, queued);
      const data = [
        { id: 'web-1', type: 'host', queue: { type: 'Number', value: 7 }, colour: 'red' },
        { id: 'web-2', type: 'host', queue: '1e2' },
      ];
      const answer = okBody(await api.call('POST', '/demo/notify', { data }));
      expect(answer, METRICS).to.deep.include({ facts: 2, firings: 1, servers: 2 });
      const [fired] = firedIn(await arrived(receiver, 1));
      expect(fired).to.deep.include({ serverId: 'web-1', measures: { queue: 7 } });
      const beyond = await api.call('POST', '/demo/notify', { data: [data[0], { id: 'web-2', queue: -1 }] });
      if (METRICS === '*') expect(okBody(beyond)).to.deep.include({ facts: 2 });
      else expect(okBody(beyond)['refused']).to.have.nested.property('[0].index', 1);
    }
  });

  it('need what FACTS_AUTH says, under both paths, and a known tenant', async () => {
    const body = FORMATS['NGSIv2'];
    const token = await open.service({
      FACTS_AUTH: 'token',
      IDENTITY_USERS: 'demo:demo:demo,other:olga:pass',
    });
    const other = await apiClient(token.url, 'other', 'olga', 'pass');
    const key = await open.service({ FACTS_AUTH: 'key', FACTS_KEY: 'let-me-in' });
    for (const path of PATHS) {
      expectRefusal(await request(token.url + path, 'POST', body), 401);
      expectRefusal(await other.call('POST', path, body), 403);
      okBody(await token.api.call('POST', path, body));
      expectRefusal(await request(key.url + path, 'POST', body), 401, 'X-Facts-Key');
      const sent = { 'x-facts-key': 'let-me-in' };
      expectRefusal(await request(key.url + path, 'POST', body, sent), 404, 'tenantId', 'demo');
    }
    okBody(await key.api.call('GET', '/v1.0/demo'));
    for (const path of PATHS) {
      okBody(await request(key.url + path, 'POST', body, { 'x-facts-key': 'let-me-in' }));
    }
  });

  it('are posted: other methods are 405', async () => {
    const { api } = await open.service();
    for (const path of PATHS) expectRefusal(await api.call('GET', path), 405);
    // The tenant `notify` has operations 2 and 3 here.
    expectRefusal(await api.call('POST', '/v1.0/notify', {}), 405);
    expectRefusal(await api.call('POST', '/de%20mo/notify', {}), 400, 'tenantId');
  });
});
