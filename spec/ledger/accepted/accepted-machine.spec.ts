import { expect } from 'chai';
import type { AcceptedContext, AcceptedEvent } from '../../../src/ledger/accepted/accepted-machine.js';
import { OPERATION } from '../../../src/ledger/addresses.js';
import {
  CHAIN,
  drive,
  KEY_TTL_MS,
  LEDGER_SETTINGS,
  NOON,
  OPERATION as STORED,
  word,
} from '../driven-ledger.js';

const now = NOON;
const notification = { id: 'urn:ngsi-ld:Notification:1', subscriptionId: 'urn:ngsi-ld:Subscription:1' };
const accept = { type: 'accept', operation: STORED, notification, entities: 1, key: 'ab' } as const;
const transaction = { chain: CHAIN, hash: word(7) };

function accepted() {
  const actor = drive<AcceptedContext, AcceptedEvent>(OPERATION);
  actor.ask({ ...accept, now });
  return actor;
}

/** The open effects of an operation. */
function work(actor: ReturnType<typeof accepted>): readonly string[] {
  return actor.context.outbox.map(({ type }) => type);
}

describe('the machine of an accepted operation', () => {
  it('is recorded once, however often it is accepted', () => {
    const actor = accepted();
    expect([actor.state, work(actor)]).to.deep.equal(['pending', ['record']]);
    actor.ask({ ...accept, now: now + 5 });
    expect([actor.context.since, work(actor)]).to.deep.equal([now, ['record']]);
    actor.ask({ type: 'recorded', now, transaction });
    actor.ask({ ...accept, now: now + 9 });
    expect([actor.state, actor.context.transaction, work(actor)]).to.deep.equal([
      'recorded',
      transaction,
      ['release'],
    ]);
  });

  it('waits until the time of its next try', () => {
    const actor = accepted();
    actor.ask({ type: 'postponed', now, until: now + 1_000, detail: 'no answer' });
    expect(actor.context).to.deep.include({ tries: 1, detail: 'no answer', wakeAt: now + 1_000 });
    actor.ask({ type: 'wake', now: now + 999 });
    expect(work(actor)).to.deep.equal([]);
    actor.ask({ type: 'wake', now: now + 1_000 });
    expect(work(actor)).to.deep.equal(['record']);
    actor.ask({ type: 'postponed', now, until: now + 2_000, detail: undefined });
    expect(actor.context, 'without a try').to.deep.include({ tries: 1, detail: 'no answer' });
  });

  it('fails once it was refused for the time of all tries, and not for what ended in between', () => {
    const { refusedMs } = LEDGER_SETTINGS;
    const actor = accepted();
    const refused = (at: number): void => {
      actor.ask({ type: 'refused', now: at, until: at + 1, detail: 'out of funds' });
      actor.ask({ type: 'wake', now: at + 1 });
    };
    refused(now);
    refused(now + refusedMs - 1);
    actor.ask({ type: 'postponed', now: now + refusedMs, until: now + refusedMs, detail: 'no answer' });
    actor.ask({ type: 'wake', now: now + refusedMs });
    refused(now + refusedMs);
    expect(actor.state).to.equal('pending');
    refused(now + 2 * refusedMs);
    expect([actor.state, actor.context.detail]).to.deep.equal(['failed', 'out of funds']);
    expect(work(actor)).to.deep.equal([]);
  });

  it('can be accepted again after it has failed', () => {
    const actor = accepted();
    actor.ask({ type: 'failed', now, detail: 'the chain refuses it' });
    actor.ask({ ...accept, now: now + 9 });
    expect(actor.state).to.equal('pending');
    expect(actor.context).to.deep.include({ since: now + 9, tries: 0, failed: false, wakeAt: undefined });
    expect(actor.context.detail).to.equal(undefined);
    expect(work(actor)).to.deep.equal(['record']);
  });

  it('can be accepted again after the chain has lost its transaction, once for each', () => {
    const actor = accepted();
    actor.ask({ type: 'recorded', now, transaction });
    actor.ask({ ...accept, now: now + 9, lost: word(8) });
    expect(actor.state, 'another transaction was lost').to.equal('recorded');
    actor.ask({ ...accept, now: now + 9, lost: transaction.hash });
    expect([actor.state, actor.context.transaction, work(actor)]).to.deep.equal([
      'pending',
      undefined,
      ['record'],
    ]);
    const next = { ...transaction, hash: word(9) };
    actor.ask({ type: 'recorded', now, transaction: next });
    actor.ask({ ...accept, now: now + 9, lost: transaction.hash });
    expect([actor.state, actor.context.transaction]).to.deep.equal(['recorded', next]);
  });

  it('is kept for its time after its end, and until its key is released', () => {
    const ends = (end: AcceptedEvent): string => {
      const actor = accepted();
      actor.ask(end);
      actor.ask({ type: 'wake', now: now + LEDGER_SETTINGS.keepMs - 1 });
      expect(actor.state).not.to.equal('gone');
      actor.ask({ type: 'wake', now: now + KEY_TTL_MS });
      return actor.state;
    };
    expect(ends({ type: 'failed', now, detail: 'no' })).to.equal('gone');
    expect(ends({ type: 'recorded', now, transaction }), 'the key is not released').to.equal('recorded');
    const actor = accepted();
    actor.ask({ type: 'recorded', now, transaction });
    actor.ask({ type: 'performed', now, entryId: 'release' });
    actor.ask({ type: 'wake', now: now + LEDGER_SETTINGS.keepMs - 1 });
    expect(actor.state).to.equal('recorded');
    actor.ask({ type: 'wake', now: now + LEDGER_SETTINGS.keepMs });
    expect(actor.state).to.equal('gone');
  });
});
