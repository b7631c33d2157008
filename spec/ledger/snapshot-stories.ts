import type { ActorKind } from '../../src/actors/kind.js';
import { BLOCK, ENTITY, KEY, REGISTER, TRANSACTION, ACCOUNT } from '../../src/ledger/addresses.js';
import type { BlockEvent } from '../../src/ledger/blocks/block-machine.js';
import { type EntityEvent, itemText } from '../../src/ledger/index/entity-machine.js';
import type { KeyEvent } from '../../src/ledger/idempotency/key-machine.js';
import { PAGE, type PageEvent } from '../../src/ledger/index/page-machine.js';
import type { RegisterEvent } from '../../src/ledger/index/register-machine.js';
import type { TransactionEvent } from '../../src/ledger/transaction/transaction-machine.js';
import type { RecordedOperation } from '../../src/ledger/signed-operation.js';
import type { AccountEvent } from '../../src/ledger/account/account-machine.js';
import { storiesOf, type Story } from '../actors/stage/snapshot-corpus.features.js';
import {
  CHAIN,
  FINAL_MS,
  KEEP_MS,
  KEY_TTL_MS,
  ledgerKind,
  NOON,
  OPERATION,
  receiptIn,
  signedOperation,
  word,
} from './driven-ledger.js';

/** The kinds of the ledger, each of which has a corpus of documents. */
export function storiedKinds(): ActorKind[] {
  return [BLOCK, ENTITY, KEY, PAGE, REGISTER, TRANSACTION, ACCOUNT].map((name) => ledgerKind(name));
}

const account = storiesOf<AccountEvent>(ACCOUNT, NOON);
const transaction = storiesOf<TransactionEvent>(TRANSACTION, NOON);
const entity = storiesOf<EntityEvent>(ENTITY, NOON);
const register = storiesOf<RegisterEvent>(REGISTER, NOON);
const key = storiesOf<KeyEvent>(KEY, NOON);
const page = storiesOf<PageEvent>(PAGE, NOON);
const block = storiesOf<BlockEvent>(BLOCK, NOON);

const claim = { key: 'order-17', id: 'c1' };
const queried: RecordedOperation = {
  ...OPERATION,
  name: 'query',
  tenant: 'acme',
  link: '<https://example.org/context.jsonld>',
  query: { type: 'Car', limit: 10 },
};
const batch: RecordedOperation = {
  ...OPERATION,
  name: 'upsert',
  listed: { batch: 'ab'.repeat(32), pages: 2, count: 51 },
};
const begin = (operation = OPERATION) =>
  ({ type: 'begin', signed: signedOperation(0, { claim, operation }) }) as const;
const mined = { type: 'mined', receipt: receiptIn(7) } as const;
const record = (n: number, more = {}) =>
  ({
    type: 'record',
    item: itemText({ chain: CHAIN, hash: word(n), index: n, tenant: 'acme' }),
    from: n,
    checked: n,
    entityId: 'urn:ngsi-ld:Car:1',
    operation: 'create',
    transactionHash: word(n),
    ok: true,
    registers: { '*': 4, acme: 0 },
    ...more,
  }) as const;
const watch = (...numbers: number[]) => ({ type: 'watch', transactions: numbers.map(word) }) as const;
const add = (...numbers: number[]) =>
  ({
    type: 'add',
    additions: numbers.map((n) => ({ item: `urn:ngsi-ld:Car:${n}`, from: n, checked: n })),
  }) as const;
const many = (count: number) => Array.from({ length: count }, (_, n) => n);

/** What happens to actors of the ledger, as far as documents can tell it apart. */
export const STORIES: readonly Story[] = [
  account(
    'dispatches',
    { type: 'follow', next: 3 },
    {
      type: 'signed',
      transactions: [signedOperation(3, { claim }), signedOperation(4, { operation: queried })],
    },
    { type: 'signed', transactions: [signedOperation(5)] },
  ),
  account(
    'is stalled',
    { type: 'follow', next: 3 },
    { type: 'signed', transactions: [signedOperation(3), signedOperation(4)] },
    { type: 'release', nonce: 3, hash: word(1003) },
    { type: 'fence', claims: ['c9'] },
    { type: 'signed', transactions: [signedOperation(3)] },
  ),
  transaction('is sending', begin(), mined),
  transaction('is sending again', begin(queried), { type: 'recheck' }, mined),
  transaction('is recorded', begin(queried), mined, { type: 'recheck' }),
  transaction(
    'is recorded and was checked',
    begin(batch),
    mined,
    { type: 'recheck' },
    { type: 'checked', entryId: 'check:1', receipt: receiptIn(7) },
    { type: 'recheck' },
  ),
  transaction(
    'is refused',
    begin(),
    { type: 'refused', reason: 'funds', detail: 'none' },
    { type: 'released' },
    { type: 'wake', now: NOON + KEEP_MS },
  ),
  entity('is recorded', record(0), { type: 'registered', registers: ['*'] }, record(1)),
  entity('has a page', ...many(100).map((n) => record(n)), record(0, { from: 0, checked: 0 })),
  register('grows', add(0), add(1)),
  key(
    'is claimed',
    { type: 'claim', content: 'x', claim: { id: 'c1', node: 'n1', at: NOON } },
    {
      type: 'claim',
      content: 'x',
      claim: { id: 'c2', node: 'n1', at: NOON },
    },
  ),
  key(
    'is signed',
    { type: 'claim', content: 'x', claim: { id: 'c1', node: 'n1', at: NOON } },
    { type: 'signed', claim: 'c1', chain: CHAIN, hash: word(7) },
    { type: 'wake', now: NOON + KEY_TTL_MS },
  ),
  block('is watched', watch(1, 2), { type: 'wake', now: NOON + FINAL_MS }),
  block('is looked at', watch(1, 2), { type: 'look' }, watch(2), { type: 'lost', entryId: `look:${NOON}.1` }),
  page('is put', { type: 'put', text: '["a"]', until: NOON + KEEP_MS }, { type: 'keep' }),
  page('is kept', { type: 'put', text: '["a"]' }, { type: 'put', text: '["b"]' }),
];
