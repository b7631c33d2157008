import { expect } from 'chai';
import { createExplain } from '../../../src/policy/explain/explain.js';
import {
  byPart,
  HISTORY,
  historyAddress,
  type HistoryContext,
  type HistoryEvent,
  newestParts,
  type NumberedTransitions,
} from '../../../src/policy/explain/history-machine.js';
import { waitingIn } from '../../../src/policy/explain/record-effect.js';
import { transitionsOf } from '../../../src/policy/state/stored-transitions.js';
import type { Transition } from '../../../src/policy/state/subscription-state.js';
import type { Address } from '../../../src/store/port.js';
import { driveActor, type DrivenActor } from '../../actors/stage/driven-actor.js';
import { policyScene, type PolicyScene, withRule } from '../policy-scene.js';
import {
  driveServer,
  NOON,
  policyKind,
  ruleOf,
  subscriptionOf,
  tenantView,
} from '../server/driven-server.js';

/** The address of the part with a transition. */
const partWith = (transition: number) => historyAddress('acme', 'web-1', transition);

/** Transitions whose numbers are their fact ids. */
function transitions(first: number, count: number): NumberedTransitions {
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

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe('a part of the history of a server', () => {
  const part = () => driveActor<HistoryContext, HistoryEvent>(policyKind(HISTORY), partWith(1));
  type Part = ReturnType<typeof part>;
  const append = (to: Part, first: number, count: number) =>
    to.ask({ type: 'append', now: NOON, ...transitions(first, count) });
  const facts = ({ context }: Part) => transitionsOf(context).map(({ factId }) => factId);

  it('adds nothing twice, and keeps the order', () => {
    const actor = part();
    append(actor, 1, 2);
    append(actor, 1, 2);
    append(actor, 2, 5);
    expect(facts(actor)).to.deep.equal(from(1, 6));
    // An older entry that a slow run dispatches late is there already.
    append(actor, 3, 1);
    expect(facts(actor)).to.deep.equal(from(1, 6));
  });

  it('forgets what was before others, and before a gap', () => {
    const actor = part();
    append(actor, 1, 3);
    append(actor, 6, 2);
    expect(facts(actor)).to.deep.equal([6, 7]);
    append(actor, 257, 1);
    expect(facts(actor)).to.deep.equal([257]);
    // What a slow run dispatches late is older than all.
    append(actor, 1, 16);
    expect(facts(actor)).to.deep.equal([257]);
  });
});

describe('the parts of the history of a server', () => {
  const parts = new Map<string, DrivenActor<HistoryContext, HistoryEvent>>();
  const partAt = ({ name }: Address) => {
    const known = parts.get(name) ?? driveActor(policyKind(HISTORY), { ...partWith(1), name });
    parts.set(name, known);
    return known;
  };
  beforeEach(() => parts.clear());
  const append = (...all: NumberedTransitions[]) => {
    const changed = byPart(all);
    for (const part of changed) partAt(partWith(part.first)).ask({ type: 'append', now: NOON, ...part });
    return changed.length;
  };
  const newest = (last: number, count: number) =>
    newestParts('acme', 'web-1', last, count).flatMap((address) =>
      transitionsOf(partAt(address).context).map(({ factId }) => factId),
    );

  it('have at least the last 200, in order', () => {
    expect(newest(0, 200)).to.deep.equal([]);
    for (let i = 1; i <= 1_000; i += 1) {
      append(transitions(i, 1));
      const kept = newest(i, 200);
      expect(kept).to.deep.equal(from(i - kept.length + 1, i));
      expect(kept.length).to.be.within(Math.min(i, 200), 220);
      expect(newest(i, 1).length).to.be.within(1, 16);
    }
    append(transitions(1_001, 1_000));
    expect(newest(2_000, 200).slice(-200)).to.deep.equal(from(1_801, 2_000));
    expect(parts.size).to.be.at.most(16);
  });

  it('are written as far as they change', () => {
    expect(append(transitions(1, 5))).to.equal(1);
    expect(append(transitions(6, 4), transitions(10, 7))).to.equal(1);
    expect(append(transitions(1_001, 20))).to.equal(2);
    expect(append(transitions(1_021, 200))).to.equal(14);
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
    const address = partWith(1);
    const before = await scene.actors.read(address);
    const { states } = (await scene.server())!;
    for (let fact = 0; fact < 20; fact += 1) await measure(11 + fact);
    const after = (await scene.server())!;
    expect(after.states).to.equal(states);
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
    const all = waitingIn(server.context).flatMap((entry) => entry.transitions);
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
    const kept = driveActor<HistoryContext, HistoryEvent>(policyKind(HISTORY), partWith(1));
    const waiting = waitingIn(server.context);
    const append = (entries: typeof waiting) => {
      for (const part of byPart(entries)) kept.ask({ type: 'append', now: NOON, ...part });
    };
    const read = async () => {
      const store = { load: async () => ({ ...NOTHING_ELSE, frequent: JSON.stringify(kept.context) }) };
      const explain = createExplain(
        { readKnown: async () => server.context },
        { committed: () => Promise.reject(new Error('a history needs no tenant')) },
        store,
        Date.now,
      );
      return (await explain.history('acme', 'web-1', 50)).map(({ factId }) => factId);
    };
    expect(await read()).to.deep.equal([4, 3, 2, 1]);
    // The history has some, and the server does not know it yet: the process was killed in between.
    append(waiting.slice(0, 2));
    expect(await read()).to.deep.equal([4, 3, 2, 1]);
    append(waiting);
    expect(await read()).to.deep.equal([4, 3, 2, 1]);
    const entryIds = server.context.outbox.map(({ id }) => id);
    server.ask({ type: 'dispatched', now: NOON, entryIds });
    expect(await read()).to.deep.equal([4, 3, 2, 1]);
    // Newer ones than the server had when it was read came meanwhile.
    append([transitions(5, 2)]);
    expect(await read()).to.deep.equal([4, 3, 2, 1]);
  });
});

/** The rest of a document. */
const NOTHING_ELSE = { revision: 1, version: 1, state: 'kept', wakeAt: undefined, rare: '{}' };
