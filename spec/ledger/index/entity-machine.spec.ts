import { expect } from 'chai';
import { ENTITY } from '../../../src/ledger/addresses.js';
import {
  type EntityContext,
  type EntityEvent,
  type Recording,
} from '../../../src/ledger/index/entity-machine.js';
import { ENTITY_PAGE } from '../../../src/ledger/index/paged-list.js';
import { drive, NOON } from '../driven-ledger.js';

const now = NOON;

function entity() {
  const actor = drive<EntityContext, EntityEvent>(ENTITY);
  const record = (item: string, more: Partial<Extract<EntityEvent, { type: 'record' }>> = {}) =>
    actor.ask({
      type: 'record',
      now,
      item,
      from: 0,
      checked: 0,
      entityId: 'urn:x:1',
      operation: 'create',
      transactionHash: `0x${item}`,
      ok: true,
      indexes: { '*': 3 },
      ...more,
    }) as Recording;
  return { actor, record };
}

describe('the machine of an entity', () => {
  it('is unrecorded, then recorded, and failed while its newest transaction has recorded nothing', () => {
    const { actor, record } = entity();
    expect(actor.state).to.equal('unrecorded');
    record('a');
    expect(actor.state).to.equal('recorded');
    record('b', { ok: false });
    expect(actor.state).to.equal('failed');
    record('a', { ok: true });
    expect(actor.state, 'an old transaction came again').to.equal('failed');
    record('c');
    expect(actor.state).to.equal('recorded');
  });

  it('follows its newest transaction into another block', () => {
    const { actor, record } = entity();
    record('a', { ok: false });
    record('a');
    expect(actor.state).to.equal('recorded');
    record('a', { ok: false, now: now + 1 });
    expect(actor.state).to.equal('failed');
    expect(actor.context).to.deep.include({
      items: ['a'],
      last: { operation: 'create', transactionHash: '0xa', ok: false, at: now + 1 },
    });
  });

  it('lists a transaction once', () => {
    const { actor, record } = entity();
    record('a');
    record('a');
    expect(actor.context.items).to.deep.equal(['a']);
  });

  it('names the indexes to add it to, with their first counts, until they hold it', () => {
    const { actor, record } = entity();
    expect(record('a')).to.deep.equal({ is: 'recorded', unindexed: { '*': 3 } });
    expect(record('a', { indexes: { '*': 9 } })).to.deep.equal({
      is: 'recorded',
      unindexed: { '*': 3 },
    });
    actor.ask({ type: 'indexed', now, indexes: ['*'] });
    expect(record('b', { indexes: { '*': 9, acme: 1 } })).to.deep.equal({
      is: 'recorded',
      unindexed: { acme: 1 },
    });
  });

  it('changes nothing while its pages have to be searched', () => {
    const { actor, record } = entity();
    for (let i = 0; i < 2 * ENTITY_PAGE; i += 1) record(`i${i}`, { from: i, checked: i });
    const before = actor.context;
    expect(before.outbox.map(({ number, items }) => [number, items.length])).to.deep.equal([
      [0, ENTITY_PAGE],
    ]);
    expect(record('late')).to.deep.equal({ is: 'unchecked', below: ENTITY_PAGE });
    expect(actor.context).to.deep.equal(before);
    actor.ask({ type: 'performed', now, entryId: before.outbox[0]!.id });
    expect(actor.context.outbox).to.deep.equal([]);
  });
});
