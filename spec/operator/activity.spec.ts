import { expect } from 'chai';
import type { ActorContext, ActorView } from '../../src/actors/kind.js';
import type { Address } from '../../src/store/port.js';
import { TRANSACTION } from '../../src/ledger/addresses.js';
import type {
  TransactionContext,
  TransactionEvent,
} from '../../src/ledger/transaction/transaction-machine.js';
import { type Activity, createActivity } from '../../src/operator/activity.js';
import type { CommittedActor } from '../../src/actors/runtime.js';
import type { NodeEvent } from '../../src/operator/event-ring.js';
import type { Measures } from '../../src/policy/rules/metrics.js';
import { storedTransitions } from '../../src/policy/state/stored-transitions.js';
import { drive, receiptIn, signedTransaction } from '../ledger/driven-ledger.js';
import {
  ADDRESS,
  driveServer,
  NOON,
  ruleOf,
  subscriptionOf,
  tenantView,
} from '../policy/server/driven-server.js';

/** Shows an activity each change of an actor, as the runtime does. */
function shown(
  activity: Activity,
  actor: { readonly state: string; readonly context: ActorContext },
  address: Address,
) {
  const look = () => ({ state: actor.state, context: actor.context });
  let before: ReturnType<typeof look> | undefined;
  return (change: () => void): void => {
    change();
    const after = look();
    activity.onCommit({ address, before, after });
    before = after;
  };
}

/** An activity without readers. */
function observer(): Activity {
  const stream = { publish: () => undefined, follows: () => false, facts: () => undefined };
  return createActivity({ stream, now: () => 0 });
}

describe('the totals of a node', () => {
  it('count each measurement, each firing with a message and each transition once', () => {
    const activity = observer();
    const server = driveServer();
    const commit = shown(activity, server, ADDRESS);
    commit(() => server.addRule(ruleOf()));
    commit(() => void server.subscribe(subscriptionOf()));
    commit(() => void server.measure([{ cpu: 10 }, { cpu: 20 }]));
    expect(activity.totals()).to.deep.equal({ facts: 2, firings: 0, receipts: 0, transitions: 1 });
    commit(() => void server.measure([{ cpu: 90 }, { cpu: 91 }]));
    expect(activity.totals()).to.include({ facts: 4, firings: 2, transitions: 2 });
    const [first] = server.messages();
    commit(() => void server.measure({ cpu: 92 }));
    commit(() => void server.ask({ type: 'dispatched', now: 0, entryIds: [first!.id] }));
    expect(server.messages()).to.have.length(2);
    expect(activity.totals()).to.include({ facts: 5, firings: 3, transitions: 2 });
  });

  it('count a firing with an e-mail once', () => {
    const activity = observer();
    const server = driveServer();
    const commit = shown(activity, server, ADDRESS);
    const action = { actionName: 'notify-email', email: 'ops@example.org', body: 'Look' } as const;
    commit(() => server.addRule(ruleOf({ action })));
    commit(() => void server.subscribe(subscriptionOf()));
    commit(() => void server.measure({ cpu: 90 }));
    expect(server.messages()).to.have.length(2);
    expect(activity.totals().firings).to.equal(1);
  });

  it('count no message that a condition holds no longer', () => {
    const activity = observer();
    const server = driveServer();
    const commit = shown(activity, server, ADDRESS);
    commit(() => server.addRule(ruleOf({ resolve: true })));
    commit(() => void server.subscribe(subscriptionOf()));
    commit(() => void server.measure([{ cpu: 90 }, { cpu: 10 }]));
    expect(server.messages()).to.have.length(2);
    expect(activity.totals().firings).to.equal(1);
  });

  it('count what an actor did before this node had it as done before', () => {
    const activity = observer();
    const server = driveServer();
    server.measure([{ cpu: 1 }, { cpu: 2 }]);
    const before = { state: server.state, context: server.context };
    server.measure({ cpu: 3 });
    activity.onCommit({ address: ADDRESS, before, after: { state: server.state, context: server.context } });
    expect(activity.totals().facts).to.equal(1);
  });

  it('count a transaction once, also if its block leaves the chain', () => {
    const activity = observer();
    const transaction = drive<TransactionContext, TransactionEvent>(TRANSACTION);
    const commit = shown(activity, transaction, { kind: TRANSACTION, tenant: '31337', name: '0x01' });
    const ask = (event: TransactionEvent): void => commit(() => void transaction.ask(event));
    ask({ type: 'submit', now: 1, signed: signedTransaction(0) });
    expect(activity.totals().receipts).to.equal(0);
    ask({ type: 'mined', now: 2, receipt: receiptIn(7) });
    expect(activity.totals().receipts).to.equal(1);
    ask({ type: 'recheck', now: 3 });
    const [check] = transaction.context.outbox;
    ask({ type: 'checked', now: 4, entryId: check!.id, receipt: undefined });
    expect(transaction.state).to.equal('sending');
    ask({ type: 'mined', now: 5, receipt: receiptIn(8) });
    expect(transaction.state).to.equal('recorded');
    expect(activity.totals().receipts).to.equal(1);
  });
});

describe('the last evaluation of a rule on a node', () => {
  it('is that of the last measurement with one of its metrics, once its windows are full', () => {
    const activity = observer();
    const tenant = tenantView(2);
    activity.observe({ peek: <C>() => ({ context: tenant }) as unknown as ActorView<C> });
    const server = driveServer();
    const commit = shown(activity, server, ADDRESS);
    const measure = (measures: Measures, now: number) =>
      commit(() => void server.measure(measures, { now, tenant }));
    const last = (): number | undefined => activity.lastEvaluation(ADDRESS.tenant, 'r1');
    commit(() => server.addRule(ruleOf()));
    commit(() => void server.subscribe(subscriptionOf(), { tenant }));
    measure({ cpu: 10 }, NOON);
    expect(last()).to.equal(undefined);
    measure({ cpu: 10 }, NOON + 1_000);
    expect(last()).to.equal(NOON + 1_000);
    measure({ mem: 10 }, NOON + 2_000);
    expect(last()).to.equal(NOON + 1_000);
    expect(activity.lastEvaluation('other', 'r1')).to.equal(undefined);
    // Another server with the rule: what the first one sends for others does not take its time back.
    const other = driveServer();
    other.addRule(ruleOf());
    other.subscribe(subscriptionOf({ id: 's2' }), { tenant });
    other.measure([{ cpu: 1 }, { cpu: 2 }], { now: NOON + 3_000, tenant });
    const before = { state: other.state, context: other.context };
    other.measure({ cpu: 3 }, { now: NOON + 4_000, tenant });
    activity.onCommit({ address: ADDRESS, before, after: { state: other.state, context: other.context } });
    expect(last()).to.equal(NOON + 4_000);
    measure({ mem: 11 }, NOON + 5_000);
    expect(last()).to.equal(NOON + 4_000);
  });
});

describe('the events of a node', () => {
  /** An activity, and the data of the events that it publishes. */
  function published() {
    const events: NodeEvent[] = [];
    const stream = {
      publish: (event: NodeEvent) => void events.push(event),
      follows: () => false,
      facts: () => undefined,
    };
    const activity = createActivity({ stream, now: () => NOON });
    return {
      activity,
      events,
      seen: () => events.map(({ data }) => JSON.parse(JSON.stringify(data())) as object),
    };
  }

  it('say of a fault what failed, and nothing of the error', () => {
    const { activity, events, seen } = published();
    const error = new Error('the password is 1234');
    activity.onFault({ what: 'effect', id: 'delivery/acme/msg_1', revision: 3, type: 'attempt', error });
    activity.onFault({ what: 'sweep', error });
    const at = new Date(NOON).toISOString();
    expect(seen()).to.deep.equal([
      { what: 'effect', kind: 'delivery', type: 'attempt', at },
      { what: 'sweep', at },
    ]);
    expect(events.map(({ tenant }) => tenant)).to.deep.equal([undefined, undefined]);
  });

  it('have each transition once, also if the entry that waits with others is shortened', () => {
    const { activity, seen } = published();
    const { context } = driveServer();
    const same = {
      at: NOON,
      ruleId: 'r1',
      subscriptionId: 's1',
      from: 'calm',
      to: 'firing',
      sentence: 'Holds.',
    } as const;
    const transition = (factId: number) => ({ ...same, factId });
    const withRecords = (...entries: readonly (readonly number[])[]): CommittedActor => {
      const outbox = entries.map((ids) => {
        const all = storedTransitions(ids.map(transition));
        return { id: `record:${ids[0]}`, type: 'record', first: ids[0]!, ...all };
      });
      return { state: 'firing', context: { ...context, outbox } };
    };
    const commits = [
      withRecords(),
      withRecords([1, 2]),
      withRecords([2], [3, 4]),
      withRecords([3, 4]),
      withRecords(),
    ];
    commits.forEach((after, i) => activity.onCommit({ address: ADDRESS, before: commits[i - 1], after }));
    const serverOf = { tenantId: 'acme', serverId: 'web-1', serverState: 'unwatched' };
    expect(seen()).to.deep.equal(
      [1, 2, 3, 4].map((n) => ({ ...serverOf, ...transition(n), at: new Date(NOON).toISOString() })),
    );
    expect(activity.totals().transitions).to.equal(4);
  });
});
