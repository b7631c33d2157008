import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';
import { refusedElements, refusedTitle } from '../../../src/policy/http/facts-by-entity-body.js';
import { createFactsByEntity, type ServerFacts } from '../../../src/policy/server/facts-by-entity.js';
import { StoreUnavailable } from '../../../src/store/port.js';
import { quiet } from '../../actors/stage/queue.js';
import { refused } from '../http/refused.js';
import { policyScene, type PolicyScene, withRule } from '../policy-scene.js';

/** Elements of a server. The first of them has the index `from`. */
function of(serverId: string, count: number, from = 0): ServerFacts {
  const indexes = Array.from({ length: count }, (_, i) => from + i);
  return { serverId, facts: { measures: indexes.map(() => ({ cpu: 1 })), source: undefined }, indexes };
}

/** Facts by entity on servers that take their facts, unless they have an error. */
function failing(errors: Readonly<Record<string, Error>>) {
  return createFactsByEntity({
    async facts(_tenant, serverId, { measures }) {
      if (errors[serverId] !== undefined) throw errors[serverId];
      return { factId: measures.length, counted: true, evaluated: 2, fired: 1 };
    },
  });
}

/** Resolves with the number of servers that are sent their facts at once, at most. */
async function atOnce(servers: readonly ServerFacts[]): Promise<number> {
  let [running, most] = [0, 0];
  const all = createFactsByEntity({
    async facts(_tenant, _serverId, { measures }) {
      running += 1;
      most = Math.max(most, running);
      await quiet();
      running -= 1;
      return { factId: measures.length, counted: true, evaluated: 0, fired: 0 };
    },
  });
  const reply = await all.take('acme', servers);
  expect(reply.servers).to.equal(servers.length);
  return most;
}

const NOTHING = { count: 0, listed: [] };
const BUSY = new Refusal('unavailable', 'too many requests wait; nothing was done', { retryAfterS: 3 });
const LARGE = new Refusal('too-large', 'send fewer elements');
const LOST = new StoreUnavailable('no answer');

describe('a notification of several servers', () => {
  it('is sent to at most 128 of them at once, and to fewer if they have many values', async () => {
    const servers = (count: number, facts: number) =>
      Array.from({ length: count }, (_, i) => of(`s${i}`, facts, i * facts));
    expect(await atOnce(servers(300, 1))).to.equal(128);
    expect(await atOnce(servers(300, 32))).to.equal(64);
    expect(await atOnce(servers(3, 3_000)), 'of more values than fit').to.equal(1);
  });

  const take = async (errors: Readonly<Record<string, Error>>, ...servers: readonly ServerFacts[]) => {
    const reply = await failing(errors).take('acme', servers);
    return {
      reply,
      refused: () =>
        refusedElements({ serverCount: servers.length, refused: NOTHING, hasEmpty: false }, reply),
    };
  };

  it('is taken by the servers that can, whatever others refuse', async () => {
    const servers = [of('a', 1), of('b', 2, 1), of('c', 1, 3), of('d', 2, 4)];
    const { reply, refused: elements } = await take({ b: BUSY, c: LOST }, ...servers);
    const { refused: failed, ignored, ...sum } = reply;
    expect(ignored).to.deep.equal([]);
    expect(sum).to.deep.equal({ facts: 3, evaluated: 4, fired: 2, servers: 2 });
    expect(failed.map(({ server }) => server.serverId)).to.deep.equal(['b', 'c']);
    const list = elements();
    expect(list.listed.map(({ index, id }) => [index, id])).to.deep.equal([
      [1, 'b'],
      [2, 'b'],
      [3, 'c'],
    ]);
    expect(list.listed[0]!.message).to.equal('server b: too many requests wait; nothing was done');
    // The store may have what it did not confirm.
    expect(list.listed[2]!.message).to.match(/^server c: .*the outcome is unknown/);
    expect(refusedTitle(list)).to.equal('; 3 elements refused');
  });

  for (const [what, errors, code, words] of [
    ['can be tried again if one server can', { a: LARGE, b: BUSY }, 'unavailable', 'server a: send fewer'],
    ['is too large if all servers say so', { a: LARGE, b: LARGE }, 'too-large', 'server b: send fewer'],
    ['has an unknown outcome if that of one server is', { a: LARGE, b: LOST }, 'unavailable', 'unknown'],
  ] as const) {
    it(`${what}, and nothing was taken`, async () => {
      const { refused: elements } = await take(errors, of('a', 1), of('b', 1, 1));
      const refusal = refused(elements);
      expect(refusal.code).to.equal(code);
      expect(refusal.message).to.include('server a: ').and.include('server b: ').and.include(words);
      expect(refusal.retryAfterS).to.equal(code === 'too-large' ? undefined : errors.b === BUSY ? 3 : 1);
    });
  }

  it('fails with a fault of the service as it is, for the log', async () => {
    const fault = new TypeError('x is not a function');
    const { refused: elements } = await take({ a: fault, b: BUSY }, of('a', 1), of('b', 1, 1));
    expect(elements).to.throw(fault);
  });

  it('with an entity that has nothing to take is answered with the refusals', async () => {
    const servers = [of('a', 1)];
    const reply = await failing({ a: BUSY }).take('acme', servers);
    const list = refusedElements({ serverCount: servers.length, refused: NOTHING, hasEmpty: true }, reply);
    expect(list.listed.map(({ id }) => id)).to.deep.equal(['a']);
  });
});

describe('a notification of servers that a broker feeds', () => {
  let scene: PolicyScene;
  beforeEach(async () => {
    scene = await policyScene();
  });
  afterEach(() => scene.close());

  it('counts nothing on a server that another subscription at the broker feeds', async () => {
    const { wanted } = await withRule(scene);
    const first = await scene.get(await scene.add(wanted));
    const second = await scene.get(await scene.add({ ...wanted, url: 'https://example.org/2' }));
    const send = (source: string | undefined) => {
      const facts = { measures: [{ cpu: 1 }], source };
      return scene.policy.factsByEntity.take('acme', [
        { serverId: 'web-1', facts, indexes: [0] },
        { serverId: 'web-2', facts, indexes: [1] },
      ]);
    };
    const why = 'other subscription';
    expect(await send(second.broker!.id)).to.deep.include({
      facts: 1,
      servers: 1,
      refused: [],
      ignored: [{ serverId: 'web-1', ignored: [{ metric: 'cpu', why, count: 1 }] }],
    });
    expect((await scene.server())?.factId).to.equal(0);
    expect(await send(first.broker!.id)).to.deep.include({ facts: 2, servers: 2 });
    expect(await send(undefined)).to.deep.include({ facts: 2, servers: 2 });
    expect((await scene.server())?.factId).to.equal(2);
  });
});
