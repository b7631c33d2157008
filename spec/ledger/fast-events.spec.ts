import { expect } from 'chai';
import type { ActorContext } from '../../src/actors/kind.js';
import { fastTransition } from '../../src/actors/fast-transition.js';
import { BLOCK, ENTITY, ENTITY_INDEX, TRANSACTION, ACCOUNT } from '../../src/ledger/addresses.js';
import { ledgerKind, NOON } from './driven-ledger.js';

/** Events of every operation: kind, state, the part of the context that matters, event. */
const EVERY_TIME: readonly (readonly [
  string,
  string,
  object,
  { readonly type: string; readonly [more: string]: unknown },
])[] = [
  [ACCOUNT, 'dispatching', { outbox: [{ id: 'a' }] }, { type: 'signed', transactions: [] }],
  [ACCOUNT, 'dispatching', { outbox: [{ id: 'a' }, { id: 'b' }] }, { type: 'performed', entryId: 'a' }],
  [TRANSACTION, 'new', {}, { type: 'submit', signed: {} }],
  [TRANSACTION, 'sending', {}, { type: 'mined', receipt: {} }],
  [TRANSACTION, 'recorded', {}, { type: 'settled' }],
  [BLOCK, 'unwatched', {}, { type: 'watch', transactions: ['0x1'] }],
  [BLOCK, 'watched', {}, { type: 'watch', transactions: ['0x1'] }],
  [ENTITY, 'unrecorded', {}, { type: 'record', item: 'i', from: 0, checked: 0, ok: true, indexes: {} }],
  [ENTITY_INDEX, 'growing', {}, { type: 'add', additions: [{ item: 'i', from: 0, checked: 0 }] }],
];

describe('the fast transition decides the events of every operation', () => {
  for (const [name, value, context, event] of EVERY_TIME) {
    it(`${name}, ${value}: ${event.type}`, () => {
      const { machine } = ledgerKind(name);
      const initial = machine.config.context as ActorContext;
      const at = { value, context: { ...initial, ...context } };
      expect(fastTransition(machine)(at, { ...event, now: NOON })).not.to.equal(undefined);
    });
  }
});
