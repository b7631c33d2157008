import { expect } from 'chai';
import type { Hex } from '../../../src/chain/port.js';
import { Refusal } from '../../../src/errors.js';
import { ACCOUNT } from '../../../src/ledger/addresses.js';
import { dispatchEffectsText } from '../../../src/ledger/account/account-machine.js';
import type {
  Nonces,
  Taken,
  AccountContext,
  AccountEvent,
} from '../../../src/ledger/account/account-machine.js';
import type { SignedOperation } from '../../../src/ledger/transaction/signed-operation.js';
import { drive, NOON, signedOperation, word } from '../driven-ledger.js';

const now = NOON;

function wallet(next = 5) {
  const actor = drive<AccountContext, AccountEvent>(ACCOUNT);
  actor.ask({ type: 'follow', now, next });
  const hashes = new Map<number, Hex>();
  /** As signing does it: after a refusal the same operation is another transaction. */
  const transactionOf = (nonce: number): SignedOperation => {
    const hash = word(1000 + nonce + 100 * actor.context.refusals);
    hashes.set(nonce, hash);
    return signedOperation(nonce, { hash });
  };
  return {
    actor,
    sign: (...nonces: number[]) =>
      actor.ask({ type: 'signed', now, transactions: nonces.map(transactionOf) }) as Taken,
    /** The node refuses the transaction that was signed last with this nonce, or the one named. */
    free: (nonce: number, hash = hashes.get(nonce)!) => actor.ask({ type: 'free', now, nonce, hash }),
  };
}

describe('the machine of a wallet', () => {
  it('begins where the chain is', () => {
    const { actor, sign } = wallet(5);
    expect(actor.state).to.equal('idle');
    expect(sign(5)).to.deep.equal({ taken: 1, fenced: false, next: 6, free: [], refusals: 0 });
    expect(actor.state).to.equal('dispatching');
  });

  it('takes transactions in the order of their nonces only, up to the first that is none of them', () => {
    const { actor, sign } = wallet(5);
    expect(sign(6, 7)).to.deep.equal({ taken: 0, fenced: false, next: 5, free: [], refusals: 0 });
    expect(sign(5, 6, 8)).to.deep.equal({ taken: 2, fenced: false, next: 7, free: [], refusals: 0 });
    expect(sign(6).taken, 'a nonce was used twice').to.equal(0);
    expect(actor.context.outbox.map(({ transaction }) => transaction.nonce)).to.deep.equal([5, 6]);
  });

  it('forgets a transaction once it has an actor of its own', () => {
    const { actor, sign } = wallet(5);
    sign(5);
    actor.ask({ type: 'dispatched', now, entryId: actor.context.outbox[0]!.id });
    expect(actor.context.outbox).to.deep.equal([]);
    expect(actor.state).to.equal('idle');
  });

  it('uses a nonce again whose transaction the chain refused, before any other', () => {
    const { actor, sign, free } = wallet(5);
    sign(5, 6, 7);
    free(6);
    expect(actor.state).to.equal('stalled');
    expect(sign(8)).to.deep.include({ taken: 0, next: 8, free: [6] });
    expect(sign(6, 8)).to.deep.include({ taken: 2, next: 9, free: [] });
  });

  it('goes back where the last nonces were refused', () => {
    const { actor, sign, free } = wallet(5);
    sign(5, 6, 7);
    free(6);
    free(7);
    expect(actor.context).to.deep.include({ next: 6, free: [] });
  });

  it('gives a nonce back once, however often it is told', () => {
    const { actor, sign, free } = wallet(5);
    sign(5, 6);
    free(5);
    sign(5);
    free(5, word(1005));
    expect(actor.context, 'a nonce that is used again was released').to.deep.include({ next: 7, free: [] });
  });

  it('does not take again what was refused: it would use up the nonce and never be sent', () => {
    const { actor, sign, free } = wallet(5);
    sign(5);
    free(5);
    const same = signedOperation(5);
    expect(actor.ask({ type: 'signed', now, transactions: [same] })).to.deep.include({
      taken: 0,
      refusals: 1,
    });
    expect(sign(5)).to.deep.include({ taken: 1 });
  });

  it('counts what was given back, so that the same operation is another transaction the next time', () => {
    const { sign, free } = wallet(5);
    expect(sign(5)).to.include({ refusals: 0 });
    free(5);
    expect(sign(5)).to.include({ taken: 1, refusals: 1 });
  });

  it('follows a nonce that somebody outside has moved, and never goes back', () => {
    const { actor, sign, free } = wallet(5);
    sign(5, 6);
    free(5);
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

  it('takes nothing for a claim that was taken over, and tells what was signed for it before', () => {
    const { actor } = wallet(5);
    const of = (nonce: number, id: string) => signedOperation(nonce, { claim: { key: 'k', id } });
    actor.ask({ type: 'signed', now, transactions: [of(5, 'c1')] });
    expect(actor.ask({ type: 'fence', now, claims: ['c1'] })).to.equal(word(1005));
    expect(actor.ask({ type: 'fence', now, claims: ['c2'] })).to.equal(undefined);
    expect(actor.ask({ type: 'signed', now, transactions: [of(6, 'c2')] })).to.deep.include({
      taken: 0,
      fenced: true,
    });
    expect(actor.ask({ type: 'signed', now, transactions: [of(6, 'c3')] })).to.deep.include({ taken: 1 });
  });

  it('refuses more than it can hold and takes nothing of it', () => {
    const { actor } = wallet(0);
    const many = Array.from({ length: 2_000 }, (_, nonce) => signedOperation(nonce));
    expect(actor.ask({ type: 'signed', now, transactions: many })).to.deep.include({ taken: 2_000 });
    expect(() => actor.ask({ type: 'signed', now, transactions: [signedOperation(2_000)] })).to.throw(
      Refusal,
      'waits to be sent',
    );
    expect(actor.context.next).to.equal(2_000);
  });

  it('writes what waits as JSON does, whatever of it was written before', () => {
    const { actor, sign } = wallet(0);
    const same = () =>
      expect(dispatchEffectsText(actor.context.outbox)).to.equal(JSON.stringify(actor.context.outbox));
    same();
    sign(0, 1);
    same();
    sign(2);
    same();
    const [first] = actor.context.outbox;
    actor.ask({ type: 'dispatched', now, entryId: first!.id });
    same();
  });
});
