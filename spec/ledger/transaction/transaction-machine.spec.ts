import { expect } from 'chai';
import { TRANSACTION } from '../../../src/ledger/addresses.js';
import type {
  TransactionContext,
  TransactionEvent,
} from '../../../src/ledger/transaction/transaction-machine.js';
import { drive, KEEP_MS, NOON, receiptIn, signedTransaction, word } from '../driven-ledger.js';

const now = NOON;

function transaction() {
  const actor = drive<TransactionContext, TransactionEvent>(TRANSACTION);
  actor.ask({ type: 'submit', now, signed: signedTransaction(0) });
  return actor;
}

function recorded() {
  const actor = transaction();
  actor.ask({ type: 'mined', now, receipt: receiptIn(7) });
  return actor;
}

/** Answers the last check. */
const checked = (
  actor: ReturnType<typeof transaction>,
  answer: Omit<Extract<TransactionEvent, { type: 'checked' }>, 'type' | 'entryId'>,
) => actor.ask({ type: 'checked', entryId: actor.context.outbox[0]!.id, ...answer });
const pending = (actor: { context: TransactionContext }) => actor.context.outbox.map(({ type }) => type);

describe('the machine of a transaction', () => {
  it('is sent until it is mined, and recorded then', () => {
    const actor = transaction();
    expect([actor.state, pending(actor)]).to.deep.equal(['sending', ['send']]);
    actor.ask({ type: 'mined', now, receipt: receiptIn(7) });
    expect([actor.state, pending(actor)]).to.deep.equal(['recorded', []]);
    expect(actor.context.receipt).to.deep.equal(receiptIn(7));
  });

  it('believes that another transaction used its nonce only from a run that knows all replacements', () => {
    const actor = transaction();
    const replacement = { hash: word(77), raw: '0xf9' } as const;
    expect(actor.ask({ type: 'replace', now, known: 0, replacement })).to.equal(true);
    expect(actor.ask({ type: 'replace', now, known: 0, replacement })).to.equal(false);
    const refused = { type: 'refused', now, reason: 'nonce-used', detail: 'nonce too low' } as const;
    actor.ask(refused);
    actor.ask({ ...refused, known: 0 });
    expect([actor.state, pending(actor)]).to.deep.equal(['sending', ['send']]);
    actor.ask({ ...refused, known: 1 });
    expect([actor.state, pending(actor)]).to.deep.equal(['refused', ['release']]);
  });

  it('ignores a second submit and a second receipt', () => {
    const actor = recorded();
    actor.ask({ type: 'submit', now, signed: signedTransaction(9) });
    actor.ask({ type: 'mined', now, receipt: receiptIn(8) });
    expect(actor.state).to.equal('recorded');
    expect(actor.context.signed!.nonce).to.equal(0);
    expect(actor.context.receipt).to.deep.equal(receiptIn(7));
  });

  it('is checked if it begins again: the run before may have missed a reorganisation', () => {
    const again: TransactionEvent = { type: 'submit', now, signed: signedTransaction(0) };
    const sending = transaction();
    sending.ask(again);
    expect([sending.state, pending(sending)]).to.deep.equal(['sending', ['send']]);
    sending.ask({ type: 'mined', now, receipt: receiptIn(7) });
    expect([sending.state, pending(sending)]).to.deep.equal(['recorded', ['check']]);
    const actor = recorded();
    actor.ask(again);
    expect([actor.state, pending(actor)]).to.deep.equal(['recorded', ['check']]);
    checked(actor, { now, receipt: receiptIn(7) });
    actor.ask(again);
    expect([actor.state, pending(actor)]).to.deep.equal(['recorded', ['check']]);
  });

  it('is recorded after a refusal if another node has it in a block', () => {
    const actor = transaction();
    actor.ask({ type: 'refused', now, reason: 'funds', detail: 'none' });
    expect([actor.state, pending(actor)]).to.deep.equal(['refused', ['release']]);
    actor.ask({ type: 'mined', now, receipt: receiptIn(7) });
    expect([actor.state, pending(actor)]).to.deep.equal(['recorded', []]);
    expect(actor.context.refusal).to.equal(undefined);
    const doubted = transaction();
    doubted.ask({ type: 'refused', now, reason: 'funds', detail: 'none' });
    doubted.ask({ type: 'recheck', now });
    doubted.ask({ type: 'mined', now, receipt: receiptIn(7) });
    expect([doubted.state, pending(doubted)]).to.deep.equal(['recorded', ['check']]);
  });

  it('has no open work once it is recorded, and after a check', () => {
    const actor = recorded();
    expect(actor.context.wakeAt).to.equal(undefined);
    actor.ask({ type: 'recheck', now });
    expect(pending(actor)).to.deep.equal(['check']);
    checked(actor, { now, receipt: receiptIn(7) });
    expect([actor.state, pending(actor), actor.context.wakeAt]).to.deep.equal(['recorded', [], undefined]);
  });

  it('takes the receipt of another block after a reorganisation', () => {
    const actor = recorded();
    actor.ask({ type: 'recheck', now });
    checked(actor, { now, receipt: receiptIn(8, 'b') });
    expect([actor.state, actor.context.receipt]).to.deep.equal(['recorded', receiptIn(8, 'b')]);
  });

  it('ignores the answer to a check from before the last reorganisation', () => {
    const actor = recorded();
    actor.ask({ type: 'recheck', now });
    const [early] = actor.context.outbox;
    actor.ask({ type: 'recheck', now });
    actor.ask({ type: 'checked', now, entryId: early!.id, receipt: receiptIn(7) });
    expect(pending(actor), 'the later question was dropped').to.deep.equal(['check']);
    expect(actor.context.outbox[0]!.id).not.to.equal(early!.id);
    checked(actor, { now, receipt: receiptIn(8, 'b') });
    expect(actor.context.receipt).to.deep.equal(receiptIn(8, 'b'));
  });

  it('is kept for operators if it was recorded and lost its nonce to another transaction', () => {
    const actor = recorded();
    actor.ask({ type: 'recheck', now });
    checked(actor, { now, receipt: undefined });
    actor.ask({ type: 'refused', now, reason: 'nonce-used', detail: 'by another' });
    actor.ask({ type: 'released', now });
    actor.ask({ type: 'wake', now: now + 2 * KEEP_MS });
    expect(actor.state).to.equal('refused');
  });

  it('is sent again if its block has left the chain, and has no receipt meanwhile', () => {
    const actor = recorded();
    actor.ask({ type: 'recheck', now });
    checked(actor, { now, receipt: undefined });
    expect([actor.state, pending(actor), actor.context.receipt]).to.deep.equal([
      'sending',
      ['send'],
      undefined,
    ]);
    actor.ask({ type: 'mined', now, receipt: receiptIn(9, 'c') });
    expect(actor.context.receipt).to.deep.equal(receiptIn(9, 'c'));
    expect(pending(actor), 'another node may have meant the block that went').to.deep.equal(['check']);
  });

  it('is checked once recorded if blocks left the chain while it awaited its receipt', () => {
    const actor = transaction();
    actor.ask({ type: 'recheck', now });
    actor.ask({ type: 'mined', now, receipt: receiptIn(7) });
    expect(pending(actor)).to.deep.equal(['check']);
    expect(actor.context.receiptInDoubt).to.equal(false);
  });

  it('releases its nonce and its key if the chain refuses it, and is deleted after a time', () => {
    const actor = transaction();
    actor.ask({ type: 'refused', now, reason: 'funds', detail: 'no ether' });
    expect([actor.state, pending(actor)]).to.deep.equal(['refused', ['release']]);
    actor.ask({ type: 'wake', now: now + 2 * KEEP_MS });
    expect(actor.state, 'gone before its nonce was given back').to.equal('refused');
    actor.ask({ type: 'released', now });
    actor.ask({ type: 'wake', now: now + KEEP_MS });
    expect(actor.state).to.equal('gone');
  });
});
