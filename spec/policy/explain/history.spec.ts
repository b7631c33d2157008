import { expect } from 'chai';
import { behavior } from '../../../src/actors/behavior.js';
import { createExplain } from '../../../src/policy/explain/explain.js';
import type { HistoryContext } from '../../../src/policy/explain/history-machine.js';
import { HISTORY, historyAddress } from '../../../src/policy/explain/history-machine.js';
import type { Transition } from '../../../src/policy/watch/watch.js';
import type { Address } from '../../../src/store/port.js';
import { driveActor } from '../../actors/stage/driven-actor.js';
import { policyScene, withRule } from '../policy-scene.js';
import type { PolicyScene } from '../policy-scene.js';
import {
  driveServer,
  NOON,
  policyKind,
  ruleOf,
  subscriptionOf,
  tenantView,
} from '../server/driven-server.js';

/** Transitions whose numbers are their fact ids. */
function transitions(first: number, count: number): { first: number; transitions: Transition[] } {
  const all = Array.from({ length: count }, (_, i): Transition => ({
    at: NOON,
    ruleId: 'r1',
    subscriptionId: 's1',
    from: 'calm',
    to: 'firing',
    sentence: 'Holds.',
    factId: first + i,
  }));
  return { first, transitions: all };
}

describe('the history of a server', () => {
  const address = historyAddress('acme', 'web-1');
  const history = () => driveActor<HistoryContext, never>(policyKind(HISTORY), address);
  type History = ReturnType<typeof history>;
  const append = (to: History, ...entries: object[]) =>
    to.ask({ type: 'append', now: NOON, entries } as never);
  const facts = ({ context: { older, recent } }: History) =>
    [...older, ...recent].map(({ factId }) => factId);
  const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

  it('adds nothing twice, and keeps the order', () => {
    const actor = history();
    append(actor, transitions(1, 2));
    append(actor, transitions(1, 2));
    append(actor, transitions(2, 3), transitions(4, 2));
    expect(facts(actor)).to.deep.equal(from(1, 5));
    // An older entry that a slow run hands over late is there already.
    append(actor, transitions(3, 1));
    expect(facts(actor)).to.deep.equal(from(1, 5));
  });

  it('keeps at least the last 200, in bounded texts', () => {
    const actor = history();
    for (let i = 1; i <= 1_000; i += 1) {
      append(actor, transitions(i, 1));
      const kept = facts(actor);
      expect(kept).to.deep.equal(from(i - kept.length + 1, i));
      expect(kept.length).to.be.within(Math.min(i, 200), 220);
      expect(actor.context.recent.length).to.be.at.most(20);
    }
    append(actor, transitions(1_001, 1_000));
    expect(facts(actor)).to.deep.equal(from(1_781, 2_000));
  });

  it('writes the older transitions with one addition of twenty', () => {
    const kind = policyKind(HISTORY);
    const machine = behavior(kind);
    let snapshot = machine.initial(address);
    let colds = 0;
    for (let i = 1; i <= 400; i += 1) {
      const next = machine.next(snapshot, {
        type: 'append',
        now: NOON,
        entries: [transitions(i, 1)],
      } as never);
      if (machine.document(next, snapshot, undefined).cold !== undefined) colds += 1;
      snapshot = next;
    }
    expect(colds).to.be.within(15, 21);
  });
});

describe('the transitions of a server', () => {
  let scene: PolicyScene;
  let wanted: { readonly ruleId: string; readonly url: string };
  beforeEach(async () => {
    ({ scene, wanted } = await withRule(await policyScene({ fed: false })));
    await scene.policy.tenants.resize('acme', 1);
  });
  afterEach(() => scene.close());

  const measure = (...values: number[]) =>
    scene.policy.servers.facts('acme', 'web-1', {
      measures: values.map((cpu) => ({ cpu })),
      source: undefined,
    });
  const read = async (limit = 200) => {
    const all = await scene.policy.explain.history('acme', 'web-1', limit);
    return all.map(({ factId }) => factId);
  };

  it('are read at once, newest first, wherever they are', async () => {
    await scene.add(wanted);
    for (let fact = 1; fact <= 60; fact += 1) {
      await measure(fact % 2 === 0 ? 90 : 10);
      const expected = Array.from({ length: fact }, (_, i) => fact - i);
      expect(await read()).to.deep.equal(expected);
      expect(await read(3)).to.deep.equal(expected.slice(0, 3));
    }
    await scene.until(async () => !(await scene.server())!.outbox.some(({ type }) => type === 'record'));
    expect(await read()).to.have.length(60);
  });

  it('are not written by facts that change no state', async () => {
    await scene.add(wanted);
    await measure(10);
    await scene.outboxEmpty();
    const address = historyAddress('acme', 'web-1');
    const before = await scene.actors.read(address);
    const { watches } = (await scene.server())!;
    for (let fact = 0; fact < 20; fact += 1) await measure(11 + fact);
    const after = (await scene.server())!;
    expect(after.watches).to.equal(watches);
    expect(after.outbox).to.be.empty;
    expect((await scene.actors.read(address))!.revision).to.equal(before!.revision);
  });

  it('wait at most 200 at once, in bounded bytes, though 1,000 subscriptions change with one fact', () => {
    const server = driveServer({ outboxLimit: 2_000 });
    server.addRule(ruleOf());
    server.askTogether(
      Array.from({ length: 1_000 }, (_, i) => ({
        type: 'subscribe',
        now: NOON,
        subscription: subscriptionOf({ id: `s${i}`, url: `https://example.org/${i}` }),
        tenant: tenantView(),
      })),
    );
    const waiting = () => server.context.outbox.filter((entry) => entry.type === 'record');
    server.measure({ cpu: 10 });
    expect(waiting().flatMap((entry) => entry.transitions)).to.have.length(200);
    expect(waiting()[0]).to.include({ first: 801, id: 'record:801' });
    server.measure({ cpu: 90 });
    const all = waiting().flatMap((entry) => entry.transitions);
    expect(all.map(({ to, subscriptionId }) => `${to} ${subscriptionId}`)).to.deep.equal(
      Array.from({ length: 200 }, (_, i) => `firing s${800 + i}`),
    );
    expect(server.context.recorded).to.equal(2_000);
    expect(JSON.stringify(waiting()).length).to.be.below(64 * 1024);
  });
});

describe('the history that is read', () => {
  it('has the transitions that still wait in the server, each once', async () => {
    const server = driveServer();
    server.addRule(ruleOf());
    server.subscribe(subscriptionOf());
    for (const cpu of [10, 90, 10, 90]) server.measure({ cpu });
    const kept = driveActor<HistoryContext, never>(policyKind(HISTORY), historyAddress('acme', 'web-1'));
    const waiting = server.context.outbox.filter((entry) => entry.type === 'record');
    const read = async () => {
      const explain = createExplain({
        now: Date.now,
        read: async <C>({ kind }: Address) => (kind === HISTORY ? kept : server).context as C,
        store: { load: async () => undefined },
      });
      return (await explain.history('acme', 'web-1', 50)).map(({ factId }) => factId);
    };
    expect(await read()).to.deep.equal([4, 3, 2, 1]);
    // The history has some, and the server does not know it yet: the process was killed in between.
    kept.ask({ type: 'append', now: NOON, entries: waiting.slice(0, 2) } as never);
    expect(await read()).to.deep.equal([4, 3, 2, 1]);
    kept.ask({ type: 'append', now: NOON, entries: waiting } as never);
    expect(await read()).to.deep.equal([4, 3, 2, 1]);
    server.ask({ type: 'dispatched', now: NOON, entryIds: waiting.map(({ id }) => id) });
    expect(await read()).to.deep.equal([4, 3, 2, 1]);
  });
});
