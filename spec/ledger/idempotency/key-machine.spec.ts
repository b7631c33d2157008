import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';
import { KEY } from '../../../src/ledger/addresses.js';
import type { KeyContext, KeyEvent } from '../../../src/ledger/idempotency/key-machine.js';
import { driveActor } from '../../actors/stage/driven-actor.js';
import {
  ACCOUNT,
  CHAIN,
  drive,
  KEY_TTL_MS,
  LEDGER_SETTINGS,
  ledgerKind,
  NOON,
  word,
} from '../driven-ledger.js';

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
  it('belongs to the first claim', () => {
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

  it('can be used again after its claim is released', () => {
    const { actor, claim } = key();
    claim('c1');
    actor.ask({ type: 'release', now, claim: 'c0' });
    expect(actor.state, 'somebody else released it').to.equal('claimed');
    actor.ask({ type: 'release', now, claim: 'c1' });
    expect(actor.state).to.equal('gone');
  });

  it('can be used again if the chain refused its own transaction', () => {
    const { actor, claim } = key();
    claim('c1');
    actor.ask({ type: 'signed', now, ...signed });
    actor.ask({ type: 'failed', now, hash: word(8) });
    expect(actor.state).to.equal('signed');
    actor.ask({ type: 'failed', now, hash: word(7) });
    expect(actor.state).to.equal('gone');
  });

  it('can be taken over from its holder until it is signed', () => {
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

  it('takes a signature for a former claim', () => {
    const { actor, claim } = key();
    claim('c1');
    actor.ask({ type: 'takeOver', now, from: 'c1', claim: claimOf('c2') });
    actor.ask({ type: 'signed', now, ...signed });
    expect(claim('c2')).to.deep.equal({ is: 'signed', ...transaction });
  });

  it('ignores a signature for an unknown claim', () => {
    const { actor, claim } = key();
    claim('c5');
    actor.ask({ type: 'signed', now, ...signed });
    expect(actor.state).to.equal('claimed');
  });

  it('goes after its time to live', () => {
    const { actor, claim } = key();
    claim('c1');
    actor.ask({ type: 'signed', now: now + 5, ...signed });
    actor.ask({ type: 'wake', now: now + KEY_TTL_MS });
    expect(actor.state).to.equal('signed');
    actor.ask({ type: 'wake', now: now + 5 + KEY_TTL_MS });
    expect(actor.state).to.equal('gone');
  });

  it('has its claims fenced before it goes, if it is not signed in its time to live', () => {
    const { actor, claim } = key();
    claim('c1');
    actor.ask({ type: 'takeOver', now, from: 'c1', claim: claimOf('c2') });
    actor.ask({ type: 'wake', now: now + KEY_TTL_MS });
    expect(actor.state).to.equal('claimed');
    expect(actor.context.outbox).to.deep.equal([{ id: 'fence:c2', type: 'fence', claims: ['c1', 'c2'] }]);
    actor.ask({ type: 'fenced', now, entryId: 'fence:c2' });
    expect(actor.state).to.equal('gone');
  });

  it('belongs to a claim that takes it over while its claims are fenced', () => {
    const { actor, claim } = key();
    claim('c1');
    const late = now + KEY_TTL_MS;
    actor.ask({ type: 'wake', now: late });
    actor.ask({ type: 'takeOver', now: late, from: 'c1', claim: claimOf('c2') });
    actor.ask({ type: 'fenced', now: late, entryId: 'fence:c1' });
    actor.ask({ type: 'wake', now: late + 1 });
    expect(actor.state).to.equal('claimed');
    expect(actor.context).to.deep.include({ outbox: [], wakeAt: late + KEY_TTL_MS });
  });

  it('has the transaction that the fence finds', () => {
    const { actor, claim } = key();
    claim('c1');
    actor.ask({ type: 'wake', now: now + KEY_TTL_MS });
    actor.ask({ type: 'signed', now, ...signed });
    expect(actor.context.outbox).to.deep.equal([]);
    expect(claim('c2')).to.deep.equal({ is: 'signed', ...transaction });
  });
});

describe('a short time to live of an Idempotency-Key', () => {
  it('does not end a claim while a request may wait for its signature', () => {
    const short = ledgerKind(KEY, { settings: { ...LEDGER_SETTINGS, keyTtlMs: 1_000 } });
    const actor = driveActor<KeyContext, KeyEvent>(short, { kind: KEY, tenant: ACCOUNT, name: 'one' });
    actor.ask({ type: 'claim', now, content: 'x', claim: claimOf('c1') });
    // LEDGER_WAIT_S is 600 at most.
    expect(actor.context.wakeAt).to.be.above(now + 602_000);
    actor.ask({ type: 'signed', now, ...signed });
    expect(actor.context.wakeAt).to.equal(now + 1_000);
  });
});
