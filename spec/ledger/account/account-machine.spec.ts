import { expect } from 'chai';
import type { Hex } from '../../../src/chain/port.js';
import { Refusal } from '../../../src/errors.js';
import { ACCOUNT } from '../../../src/ledger/addresses.js';
import {
  type Accepted,
  type AccountContext,
  type AccountEvent,
  dispatchEffectsText,
  type Nonces,
  stateOf,
} from '../../../src/ledger/account/account-machine.js';
import type { SignedTransaction } from '../../../src/ledger/signed-transaction.js';
import { drive, NOON, signedTransaction, word } from '../driven-ledger.js';

const now = NOON;

function account(next = 5) {
  const actor = drive<AccountContext, AccountEvent>(ACCOUNT);
  actor.ask({ type: 'follow', now, next });
  const hashes = new Map<number, Hex>();
  /** As signing does it: after a refusal the same operation is another transaction. */
  const transactionOf = (nonce: number): SignedTransaction => {
    const hash = word(1000 + nonce + 100 * actor.context.refusals);
    hashes.set(nonce, hash);
    return signedTransaction(nonce, { hash });
  };
  return {
    actor,
    sign: (...nonces: number[]) =>
      actor.ask({ type: 'signed', now, transactions: nonces.map(transactionOf) }) as Accepted,
    /** The node refuses the last transaction with this nonce, or the given one. */
    release: (nonce: number, hash = hashes.get(nonce)!) => actor.ask({ type: 'release', now, nonce, hash }),
  };
}

describe('the machine of an account', () => {
  it('begins where the chain is', () => {
    const { actor, sign } = account(5);
    expect(actor.state).to.equal('idle');
    expect(sign(5)).to.deep.equal({ accepted: 1, fenced: false, next: 6, free: [], refusals: 0 });
    expect(actor.state).to.equal('dispatching');
  });

  it('accepts transactions up to the first whose nonce is not the next one', () => {
    const { actor, sign } = account(5);
    expect(sign(6, 7)).to.deep.equal({ accepted: 0, fenced: false, next: 5, free: [], refusals: 0 });
    expect(sign(5, 6, 8)).to.deep.equal({ accepted: 2, fenced: false, next: 7, free: [], refusals: 0 });
    expect(sign(6).accepted, 'a nonce was used twice').to.equal(0);
    expect(actor.context.outbox.map(({ transaction }) => transaction.nonce)).to.deep.equal([5, 6]);
  });

  it('has the state that follows from its context', () => {
    const { actor, sign, release } = account(5);
    const seen: string[] = [];
    const look = (): void => {
      seen.push(actor.state);
      expect(actor.state).to.equal(stateOf(actor.context));
    };
    look();
    sign(5, 6);
    look();
    release(5);
    look();
    for (const { id } of actor.context.outbox) actor.ask({ type: 'performed', now, entryId: id });
    look();
    sign(5);
    look();
    expect(seen).to.deep.equal(['idle', 'dispatching', 'stalled', 'stalled', 'dispatching']);
  });

  it('forgets a transaction once it was dispatched', () => {
    const { actor, sign } = account(5);
    sign(5);
    actor.ask({ type: 'performed', now, entryId: actor.context.outbox[0]!.id });
    expect(actor.context.outbox).to.deep.equal([]);
    expect(actor.state).to.equal('idle');
  });

  it('uses the nonce of a refused transaction before any other', () => {
    const { actor, sign, release } = account(5);
    sign(5, 6, 7);
    release(6);
    expect(actor.state).to.equal('stalled');
    expect(actor.context.outbox).to.have.length(3);
    expect(sign(8)).to.deep.include({ accepted: 0, next: 8, free: [6] });
    expect(sign(6, 8)).to.deep.include({ accepted: 2, next: 9, free: [] });
  });

  it('lowers the next nonce if the last transactions were refused', () => {
    const { actor, sign, release } = account(5);
    sign(5, 6, 7);
    release(6);
    release(7);
    expect(actor.context).to.deep.include({ next: 6, free: [] });
  });

  it('releases a nonce once for each refused transaction', () => {
    const { actor, sign, release } = account(5);
    sign(5, 6);
    release(5);
    sign(5);
    release(5, word(1005));
    expect(actor.context, 'a nonce that is used again was released').to.deep.include({ next: 7, free: [] });
  });

  it('does not accept a refused transaction again: it would use the nonce and never be sent', () => {
    const { actor, sign, release } = account(5);
    sign(5);
    release(5);
    const same = signedTransaction(5);
    expect(actor.ask({ type: 'signed', now, transactions: [same] })).to.deep.include({
      accepted: 0,
      refusals: 1,
    });
    expect(sign(5)).to.deep.include({ accepted: 1 });
  });

  it('counts released nonces, so that the same operation becomes another transaction', () => {
    const { sign, release } = account(5);
    expect(sign(5)).to.include({ refusals: 0 });
    release(5);
    expect(sign(5)).to.include({ accepted: 1, refusals: 1 });
  });

  it('follows a nonce that was used outside the service, and never goes back', () => {
    const { actor, sign, release } = account(5);
    sign(5, 6);
    release(5);
    expect(actor.ask({ type: 'follow', now, next: 9 })).to.deep.equal({
      next: 9,
      free: [],
      refusals: 1,
    } satisfies Nonces);
    expect(actor.ask({ type: 'follow', now, next: 2 })).to.deep.equal({
      next: 9,
      free: [],
      refusals: 1,
    } satisfies Nonces);
  });

  it('accepts nothing for a claim that was taken over, and replies with the transaction signed for it before', () => {
    const { actor } = account(5);
    const of = (nonce: number, id: string) => signedTransaction(nonce, { claim: { key: 'k', id } });
    actor.ask({ type: 'signed', now, transactions: [of(5, 'c1')] });
    expect(actor.ask({ type: 'fence', now, claims: ['c1'] })).to.equal(word(1005));
    expect(actor.ask({ type: 'fence', now, claims: ['c2'] })).to.equal(undefined);
    expect(actor.ask({ type: 'signed', now, transactions: [of(6, 'c2')] })).to.deep.include({
      accepted: 0,
      fenced: true,
    });
    expect(actor.ask({ type: 'signed', now, transactions: [of(6, 'c3')] })).to.deep.include({ accepted: 1 });
  });

  it('refuses transactions beyond its capacity as a whole', () => {
    const { actor } = account(0);
    const many = Array.from({ length: 2_000 }, (_, nonce) => signedTransaction(nonce));
    expect(actor.ask({ type: 'signed', now, transactions: many })).to.deep.include({ accepted: 2_000 });
    expect(() => actor.ask({ type: 'signed', now, transactions: [signedTransaction(2_000)] })).to.throw(
      Refusal,
      'wait to be sent',
    );
    expect(actor.context.next).to.equal(2_000);
  });

  it('writes the outbox as JSON does, whether parts of it were written before or not', () => {
    const { actor, sign } = account(0);
    const same = () =>
      expect(dispatchEffectsText(actor.context.outbox)).to.equal(JSON.stringify(actor.context.outbox));
    same();
    sign(0, 1);
    same();
    sign(2);
    same();
    const [first] = actor.context.outbox;
    actor.ask({ type: 'performed', now, entryId: first!.id });
    same();
  });
});
