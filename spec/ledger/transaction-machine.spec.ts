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

/** What the chain says, to the question that was asked last. */
const checked = (
  actor: ReturnType<typeof transaction>,
  answer: Omit<Extract<TransactionEvent, { type: 'checked' }>, 'type' | 'entryId'>,
) => actor.tell({ type: 'checked', entryId: actor.context.outbox[0]!.id, ...answer });
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

  it('is looked up where it is begun again: who did it before may have missed a reorganisation', () => {
    const again: TransactionEvent = { type: 'begin', now, signed: signedOperation(0) };
    const sending = transaction();
    sending.tell(again);
    expect([sending.state, pending(sending)]).to.deep.equal(['sending', ['send']]);
    sending.tell({ type: 'mined', now, receipt: receiptIn(7) });
    expect([sending.state, pending(sending)]).to.deep.equal(['recorded', ['check']]);
    const actor = recorded();
    actor.tell(again);
    expect([actor.state, pending(actor)]).to.deep.equal(['recorded', ['check']]);
    checked(actor, { now: now + CHECK_MS, receipt: receiptIn(7), deep: true });
    expect(actor.state).to.equal('final');
    actor.tell(again);
    expect([actor.state, pending(actor)]).to.deep.equal(['recorded', ['check']]);
  });

  it('is recorded where another node has it in a block after all', () => {
    const actor = transaction();
    actor.tell({ type: 'refused', now, reason: 'funds', detail: 'none' });
    expect([actor.state, pending(actor)]).to.deep.equal(['refused', ['release']]);
    actor.tell({ type: 'mined', now, receipt: receiptIn(7) });
    expect([actor.state, pending(actor)]).to.deep.equal(['recorded', []]);
    expect(actor.context.refusal).to.equal(undefined);
  });

  it('is looked up after a while, and final where its block lies deep', () => {
    const actor = recorded();
    actor.tell({ type: 'wake', now: now + CHECK_MS - 1 });
    expect(pending(actor), 'too early').to.deep.equal([]);
    actor.tell({ type: 'wake', now: now + CHECK_MS });
    expect(pending(actor)).to.deep.equal(['check']);
    checked(actor, { now: now + CHECK_MS, receipt: receiptIn(7), deep: true });
    expect(actor.state).to.equal('final');
    expect(actor.context.wakeAt).to.equal(undefined);
  });

  it('is not final soon after, however deep: a node may come back without its newest blocks', () => {
    const actor = recorded();
    actor.tell({ type: 'recheck', now: now + 1 });
    checked(actor, { now: now + 2, receipt: receiptIn(7), deep: true });
    expect(actor.state).to.equal('recorded');
    expect(actor.context.wakeAt).to.be.above(now);
  });

  it('is final where its node says that it lies deep, unless it is being looked up', () => {
    const actor = recorded();
    actor.tell({ type: 'recheck', now });
    actor.tell({ type: 'deep', now });
    expect(actor.state, 'the block may have gone').to.equal('recorded');
    checked(actor, { now, receipt: receiptIn(7), deep: false });
    actor.tell({ type: 'deep', now });
    expect([actor.state, actor.context.wakeAt]).to.deep.equal(['final', undefined]);
  });

  it('is looked up ever less often while no blocks come', () => {
    const actor = recorded();
    const waits = [0, 1, 2].map(() => {
      const at = actor.context.wakeAt!;
      actor.tell({ type: 'wake', now: at });
      checked(actor, { now: at, receipt: receiptIn(7), deep: false });
      return actor.context.wakeAt! - at;
    });
    expect(waits).to.deep.equal([CHECK_MS, 2 * CHECK_MS, 4 * CHECK_MS]);
  });

  it('takes the receipt of another block after a reorganisation', () => {
    const actor = recorded();
    actor.tell({ type: 'recheck', now });
    checked(actor, { now, receipt: receiptIn(8, 'b'), deep: false });
    expect([actor.state, actor.context.receipt]).to.deep.equal(['recorded', receiptIn(8, 'b')]);
  });

  it('does not believe an answer to a question from before the last reorganisation', () => {
    const actor = recorded();
    actor.tell({ type: 'recheck', now });
    const [early] = actor.context.outbox;
    actor.tell({ type: 'recheck', now });
    actor.tell({ type: 'checked', now, entryId: early!.id, receipt: receiptIn(7), deep: false });
    expect(pending(actor), 'the later question was dropped').to.deep.equal(['check']);
    expect(actor.context.outbox[0]!.id).not.to.equal(early!.id);
    checked(actor, { now, receipt: receiptIn(8, 'b'), deep: false });
    expect(actor.context.receipt).to.deep.equal(receiptIn(8, 'b'));
  });

  it('is looked up again even when it was final, where the chain has come back older', () => {
    const actor = recorded();
    actor.tell({ type: 'wake', now: now + CHECK_MS });
    checked(actor, { now: now + CHECK_MS, receipt: receiptIn(7), deep: true });
    actor.tell({ type: 'recheck', now: now + CHECK_MS });
    expect([actor.state, pending(actor)]).to.deep.equal(['recorded', ['check']]);
    checked(actor, { now: now + CHECK_MS, receipt: undefined, deep: false });
    expect([actor.state, pending(actor)]).to.deep.equal(['sending', ['send']]);
  });

  it('stays to be looked into where it was recorded and lost its nonce to another', () => {
    const actor = recorded();
    actor.tell({ type: 'recheck', now });
    checked(actor, { now, receipt: undefined, deep: false });
    actor.tell({ type: 'refused', now, reason: 'nonce-used', detail: 'by another' });
    actor.tell({ type: 'released', now });
    actor.tell({ type: 'wake', now: now + 2 * KEEP_MS });
    expect(actor.state).to.equal('refused');
  });

  it('is sent again where its block is gone, and has no receipt meanwhile', () => {
    const actor = recorded();
    actor.tell({ type: 'recheck', now });
    checked(actor, { now, receipt: undefined, deep: false });
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
