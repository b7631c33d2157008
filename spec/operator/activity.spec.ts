import { expect } from 'chai';
import type { ActorContext } from '../../src/actors/kind.js';
import type { Address } from '../../src/store/port.js';
import { TRANSACTION } from '../../src/ledger/addresses.js';
import type {
  TransactionContext,
  TransactionEvent,
} from '../../src/ledger/transaction/transaction-machine.js';
import { createActivity } from '../../src/operator/activity.js';
import type { Activity } from '../../src/operator/activity.js';
import { drive, receiptIn, signedOperation } from '../ledger/driven-ledger.js';
import { ADDRESS, driveServer, ruleOf, subscriptionOf } from '../policy/server/driven-server.js';

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

describe('the totals of a node', () => {
  it('count each measurement, each firing with a message and each transition once', () => {
    const activity = createActivity();
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
    const activity = createActivity();
    const server = driveServer();
    const commit = shown(activity, server, ADDRESS);
    const action = { actionName: 'notify-email', email: 'ops@example.org', body: 'Look' } as const;
    commit(() => server.addRule(ruleOf({ action })));
    commit(() => void server.subscribe(subscriptionOf()));
    commit(() => void server.measure({ cpu: 90 }));
    expect(server.messages()).to.have.length(2);
    expect(activity.totals().firings).to.equal(1);
  });

  it('count what an actor did before this node had it as done before', () => {
    const activity = createActivity();
    const server = driveServer();
    server.measure([{ cpu: 1 }, { cpu: 2 }]);
    const before = { state: server.state, context: server.context };
    server.measure({ cpu: 3 });
    activity.onCommit({ address: ADDRESS, before, after: { state: server.state, context: server.context } });
    expect(activity.totals().facts).to.equal(1);
  });

  it('count a transaction once, also if its block leaves the chain', () => {
    const activity = createActivity();
    const transaction = drive<TransactionContext, TransactionEvent>(TRANSACTION);
    const commit = shown(activity, transaction, { kind: TRANSACTION, tenant: '31337', name: '0x01' });
    const ask = (event: TransactionEvent): void => commit(() => void transaction.ask(event));
    ask({ type: 'begin', now: 1, signed: signedOperation(0) });
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
