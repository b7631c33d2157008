import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';
import { KEY } from '../../../src/ledger/addresses.js';
import type { KeyContext, KeyEvent } from '../../../src/ledger/idempotency/key-machine.js';
import { CHAIN, drive, KEY_TTL_MS, NOON, word } from '../driven-ledger.js';

const now = NOON;
const claimOf = (id: string) => ({ id, node: 'n1', at: now });

function key() {
  const actor = drive<KeyContext, KeyEvent>(KEY);
  const claim = (id: string, content = 'x') => actor.ask({ type: 'claim', now, content, claim: claimOf(id) });
  return { actor, claim };
}

const transaction = { chain: CHAIN, hash: word(7) };
const signed = { claim: 'c1', ...transaction };

describe('the machine of an Idempotency-Key', () => {
  it('belongs to who claims it first', () => {
    const { claim } = key();
    expect(claim('c1')).to.deep.equal({ is: 'yours' });
    expect(claim('c1')).to.deep.equal({ is: 'yours' });
    expect(claim('c2')).to.deep.equal({ is: 'held', by: claimOf('c1') });
  });

  it('refuses other content, before and after it is signed', () => {
    const { actor, claim } = key();
    claim('c1');
    expect(() => claim('c2', 'y')).to.throw(Refusal, 'another request');
    actor.ask({ type: 'signed', now, ...signed });
    expect(() => claim('c2', 'y')).to.throw(Refusal, 'another request');
    expect(claim('c2')).to.deep.equal({ is: 'signed', ...transaction });
  });

  it('can be used again where nothing was signed for it', () => {
    const { actor, claim } = key();
    claim('c1');
    actor.ask({ type: 'release', now, claim: 'c0' });
    expect(actor.state, 'somebody else released it').to.equal('claimed');
    actor.ask({ type: 'release', now, claim: 'c1' });
    expect(actor.state).to.equal('gone');
  });

  it('can be used again where the chain refused its transaction, and no other', () => {
    const { actor, claim } = key();
    claim('c1');
    actor.ask({ type: 'signed', now, ...signed });
    actor.ask({ type: 'failed', now, hash: word(8) });
    expect(actor.state).to.equal('signed');
    actor.ask({ type: 'failed', now, hash: word(7) });
    expect(actor.state).to.equal('gone');
  });

  it('can be taken over from who holds it, but not once it is signed', () => {
    const { actor, claim } = key();
    claim('c1');
    const takeOver = (from: string, id: string) =>
      actor.ask({ type: 'takeOver', now, from, claim: claimOf(id) });
    expect(takeOver('c0', 'c2')).to.deep.equal({ is: 'held', by: claimOf('c1') });
    expect(takeOver('c1', 'c2')).to.deep.equal({ is: 'taken-over', former: ['c1'] });
    expect(claim('c1')).to.deep.equal({ is: 'held', by: claimOf('c2') });
    actor.ask({ type: 'signed', now, ...signed });
    expect(takeOver('c2', 'c3')).to.deep.equal({ is: 'signed', ...transaction });
  });

  it('believes a signature whoever holds the claim by then', () => {
    const { actor, claim } = key();
    claim('c1');
    actor.ask({ type: 'takeOver', now, from: 'c1', claim: claimOf('c2') });
    actor.ask({ type: 'signed', now, ...signed });
    expect(claim('c2')).to.deep.equal({ is: 'signed', ...transaction });
  });

  it('believes no signature for a claim that it never had', () => {
    const { actor, claim } = key();
    claim('c5');
    actor.ask({ type: 'signed', now, ...signed });
    expect(actor.state).to.equal('claimed');
  });

  it('is forgotten when its time is over', () => {
    const { actor, claim } = key();
    claim('c1');
    actor.ask({ type: 'signed', now: now + 5, ...signed });
    actor.ask({ type: 'wake', now: now + KEY_TTL_MS });
    expect(actor.state).to.equal('signed');
    actor.ask({ type: 'wake', now: now + 5 + KEY_TTL_MS });
    expect(actor.state).to.equal('gone');
  });
});
