import { expect } from 'chai';
import { BLOCK } from '../../../src/ledger/addresses.js';
import type { BlockContext, BlockEvent } from '../../../src/ledger/blocks/block-machine.js';
import { drive, FINAL_MS, NOON, word } from '../driven-ledger.js';

const HOUR_MS = 3_600_000;
const now = NOON;
const watch = (...numbers: number[]): BlockEvent => ({ type: 'watch', now, transactions: numbers.map(word) });

function watched() {
  const actor = drive<BlockContext, BlockEvent>(BLOCK);
  actor.ask(watch(1, 2));
  return actor;
}

type Block = ReturnType<typeof watched>;

/** Answers the last check. */
const seen = (actor: Block, at: number, deep: boolean) =>
  actor.ask({ type: 'seen', now: at, entryId: actor.context.outbox[0]!.id, deep });
const lost = (actor: Block) =>
  actor.ask({ type: 'lost', now: now + 1, entryId: actor.context.outbox[0]!.id });
const pending = (actor: Block) => actor.context.outbox.map(({ type }) => type);

describe('the machine of a block', () => {
  it('lists each of its transactions once', () => {
    const actor = watched();
    actor.ask(watch(2, 3, 3));
    expect([actor.state, actor.context.transactions]).to.deep.equal(['watched', [1, 2, 3].map(word)]);
  });

  it('is looked up after a time, and deleted if enough blocks are above it', () => {
    const actor = watched();
    actor.ask({ type: 'wake', now: now + FINAL_MS - 1 });
    expect(pending(actor), 'too early').to.deep.equal([]);
    actor.ask({ type: 'wake', now: now + FINAL_MS });
    expect(pending(actor)).to.deep.equal(['check']);
    seen(actor, now + FINAL_MS, true);
    expect(actor.state).to.equal('gone');
  });

  it('is not final before that time, whatever is above it: a node may restart without its newest blocks', () => {
    const actor = watched();
    actor.ask({ type: 'check', now: now + 1 });
    seen(actor, now + 2, true);
    expect([actor.state, actor.context.wakeAt]).to.deep.equal(['watched', now + FINAL_MS]);
  });

  it('is looked up at growing intervals of at most an hour while no blocks come', () => {
    const actor = watched();
    const waits = Array.from({ length: 12 }, () => {
      const at = actor.context.wakeAt!;
      actor.ask({ type: 'wake', now: at });
      seen(actor, at, false);
      return actor.context.wakeAt! - at;
    });
    expect(waits.slice(0, 3)).to.deep.equal([FINAL_MS, 2 * FINAL_MS, 4 * FINAL_MS]);
    expect(waits.at(-1)).to.equal(HOUR_MS);
  });

  it('ignores the answer to a check from before the last reorganisation', () => {
    const actor = watched();
    actor.ask({ type: 'check', now: now + FINAL_MS });
    const [early] = actor.context.outbox;
    actor.ask({ type: 'check', now: now + FINAL_MS });
    expect(actor.context.outbox[0]!.id).not.to.equal(early!.id);
    actor.ask({ type: 'seen', now: now + FINAL_MS, entryId: early!.id, deep: true });
    actor.ask({ type: 'lost', now: now + FINAL_MS, entryId: early!.id });
    expect([actor.state, pending(actor)], 'the later question was dropped').to.deep.equal([
      'watched',
      ['check'],
    ]);
  });

  it('is deleted if the chain has lost it', () => {
    const actor = watched();
    actor.ask({ type: 'check', now });
    lost(actor);
    expect(actor.state).to.equal('gone');
  });

  it('stays for transactions that came, or came again, during the check: the node may have the block again', () => {
    const actor = watched();
    actor.ask(watch(4));
    actor.ask({ type: 'check', now });
    actor.ask(watch(3, 2));
    lost(actor);
    const { state, context } = actor;
    expect([state, context.transactions, pending(actor), context.wakeAt]).to.deep.equal([
      'watched',
      [word(3), word(2)],
      [],
      now + 1 + FINAL_MS,
    ]);
    actor.ask({ type: 'check', now });
    lost(actor);
    expect(actor.state, 'late for a later check as well').to.equal('gone');
  });

  it('names the reason of a check: its age or a reorganisation', () => {
    const actor = watched();
    actor.ask({ type: 'wake', now: now + FINAL_MS });
    expect(actor.context.outbox.map(({ why }) => why)).to.deep.equal(['age']);
    actor.ask({ type: 'check', now: now + FINAL_MS });
    expect(actor.context.outbox.map(({ why }) => why)).to.deep.equal(['reorganisation']);
  });

  it('is watched again for a transaction that comes together with the end of its watch', () => {
    const actor = watched();
    actor.ask({ type: 'check', now });
    const entryId = actor.context.outbox[0]!.id;
    actor.askTogether([{ type: 'lost', now, entryId }, watch(3)]);
    const { state, context } = actor;
    expect([state, context.transactions, context.outbox, context.wakeAt]).to.deep.equal([
      'watched',
      [word(3)],
      [],
      now + FINAL_MS,
    ]);
  });
});
