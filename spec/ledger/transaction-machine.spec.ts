import { expect } from 'chai';
import { TRANSACTION } from '../../src/ledger/addresses.js';
import type { TransactionContext, TransactionEvent } from '../../src/ledger/transaction-machine.js';
import { CHECK_MS, drive, KEEP_MS, NOON, receiptIn, signedOperation } from './driven-ledger.js';

const now = NOON;

function transaction() {
  const actor = drive<TransactionContext, TransactionEvent>(TRANSACTION);
  actor.tell({ type: 'begin', now, signed: signedOperation(0) });
  return actor;
}

function recorded() {
  const actor = transaction();
  actor.tell({ type: 'mined', now, receipt: receiptIn(7) });
  return actor;
}

const pending = (actor: { context: TransactionContext }) => actor.context.outbox.map(({ type }) => type);

describe('the machine of a transaction', () => {
  it('is sent until it is mined, and recorded then', () => {
    const actor = transaction();
    expect([actor.state, pending(actor)]).to.deep.equal(['sending', ['send']]);
    actor.tell({ type: 'mined', now, receipt: receiptIn(7) });
    expect([actor.state, pending(actor)]).to.deep.equal(['recorded', []]);
    expect(actor.context.receipt).to.deep.equal(receiptIn(7));
  });

  it('takes no second begin and no second receipt', () => {
    const actor = recorded();
    actor.tell({ type: 'begin', now, signed: signedOperation(9) });
    actor.tell({ type: 'mined', now, receipt: receiptIn(8) });
    expect(actor.state).to.equal('recorded');
    expect(actor.context.signed!.nonce).to.equal(0);
    expect(actor.context.receipt).to.deep.equal(receiptIn(7));
  });

  it('is looked up after a while, and final where its block lies deep', () => {
    const actor = recorded();
    actor.tell({ type: 'wake', now: now + CHECK_MS - 1 });
    expect(pending(actor), 'too early').to.deep.equal([]);
    actor.tell({ type: 'wake', now: now + CHECK_MS });
    expect(pending(actor)).to.deep.equal(['check']);
    actor.tell({ type: 'checked', now: now + CHECK_MS, receipt: receiptIn(7), deep: true });
    expect(actor.state).to.equal('final');
    expect(actor.context.wakeAt).to.equal(undefined);
  });

  it('is not final soon after, however deep: a node may come back without its newest blocks', () => {
    const actor = recorded();
    actor.tell({ type: 'recheck', now: now + 1 });
    actor.tell({ type: 'checked', now: now + 2, receipt: receiptIn(7), deep: true });
    expect(actor.state).to.equal('recorded');
    expect(actor.context.wakeAt).to.be.above(now);
  });

  it('is looked up ever less often while no blocks come', () => {
    const actor = recorded();
    const waits = [0, 1, 2].map(() => {
      const at = actor.context.wakeAt!;
      actor.tell({ type: 'wake', now: at });
      actor.tell({ type: 'checked', now: at, receipt: receiptIn(7), deep: false });
      return actor.context.wakeAt! - at;
    });
    expect(waits).to.deep.equal([CHECK_MS, 2 * CHECK_MS, 4 * CHECK_MS]);
  });

  it('takes the receipt of another block after a reorganisation', () => {
    const actor = recorded();
    actor.tell({ type: 'recheck', now });
    actor.tell({ type: 'checked', now, receipt: receiptIn(8, 'b'), deep: false });
    expect([actor.state, actor.context.receipt]).to.deep.equal(['recorded', receiptIn(8, 'b')]);
  });

  it('is sent again where its block is gone, and has no receipt meanwhile', () => {
    const actor = recorded();
    actor.tell({ type: 'recheck', now });
    actor.tell({ type: 'checked', now, receipt: undefined, deep: false });
    expect([actor.state, pending(actor), actor.context.receipt]).to.deep.equal([
      'sending',
      ['send'],
      undefined,
    ]);
    actor.tell({ type: 'mined', now, receipt: receiptIn(9, 'c') });
    expect(actor.context.receipt).to.deep.equal(receiptIn(9, 'c'));
  });

  it('is looked up once recorded where blocks went while it was on its way', () => {
    const actor = transaction();
    actor.tell({ type: 'recheck', now });
    actor.tell({ type: 'mined', now, receipt: receiptIn(7) });
    expect(pending(actor)).to.deep.equal(['check']);
    expect(actor.context.doubtful).to.equal(false);
  });

  it('gives back what it held where the chain refuses it, and is gone after a while', () => {
    const actor = transaction();
    actor.tell({ type: 'refused', now, reason: 'funds', detail: 'no ether' });
    expect([actor.state, pending(actor)]).to.deep.equal(['refused', ['release']]);
    actor.tell({ type: 'wake', now: now + 2 * KEEP_MS });
    expect(actor.state, 'gone before its nonce was given back').to.equal('refused');
    actor.tell({ type: 'released', now });
    actor.tell({ type: 'wake', now: now + KEEP_MS });
    expect(actor.state).to.equal('gone');
  });
});
