import type { ActorKind } from '../../src/actors/kind.js';
import {
  ACCOUNT,
  BLOCK,
  ENTITY,
  ENTITY_INDEX,
  KEY,
  OPERATION as ACCEPTED,
  TRANSACTION,
} from '../../src/ledger/addresses.js';
import type { AcceptedEvent } from '../../src/ledger/accepted/accepted-machine.js';
import type { BlockEvent } from '../../src/ledger/blocks/block-machine.js';
import { type EntityEvent, itemText } from '../../src/ledger/index/entity-machine.js';
import type { KeyEvent } from '../../src/ledger/idempotency/key-machine.js';
import { PAGE, type PageEvent } from '../../src/ledger/index/page-machine.js';
import type { EntityIndexEvent } from '../../src/ledger/index/entity-index.js';
import type { TransactionEvent } from '../../src/ledger/transaction/transaction-machine.js';
import type { StoredOperation } from '../../src/ledger/signed-transaction.js';
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
  signedTransaction,
  word,
} from './driven-ledger.js';

/** The kinds of the ledger, each of which has a corpus of documents. */
export function storiedKinds(): ActorKind[] {
  return [BLOCK, ENTITY, KEY, PAGE, ENTITY_INDEX, TRANSACTION, ACCOUNT, ACCEPTED].map((name) =>
    ledgerKind(name),
  );
}

const account = storiesOf<AccountEvent>(ACCOUNT, NOON);
const transaction = storiesOf<TransactionEvent>(TRANSACTION, NOON);
const entity = storiesOf<EntityEvent>(ENTITY, NOON);
const index = storiesOf<EntityIndexEvent>(ENTITY_INDEX, NOON);
const key = storiesOf<KeyEvent>(KEY, NOON);
const page = storiesOf<PageEvent>(PAGE, NOON);
const block = storiesOf<BlockEvent>(BLOCK, NOON);
const accepted = storiesOf<AcceptedEvent>(ACCEPTED, NOON);

const claim = { key: 'order-17', id: 'c1' };
const queried: StoredOperation = {
  ...OPERATION,
  name: 'query',
  tenant: 'acme',
  link: '<https://example.org/context.jsonld>',
  query: { type: 'Car', limit: 10 },
};
const batch: StoredOperation = {
  ...OPERATION,
  name: 'upsert',
  listed: { batch: 'ab'.repeat(32), pages: 2, count: 51 },
};
const accept = {
  type: 'accept',
  operation: { ...batch, name: 'notify' },
  notification: { id: 'urn:ngsi-ld:Notification:1', subscriptionId: 'urn:ngsi-ld:Subscription:1' },
  entities: 51,
  key: 'ab'.repeat(32),
} as const;
const submit = (operation = OPERATION) =>
  ({ type: 'submit', signed: signedTransaction(0, { claim, operation }) }) as const;
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
    indexes: { '*': 4, acme: 0 },
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
      transactions: [signedTransaction(3, { claim }), signedTransaction(4, { operation: queried })],
    },
    { type: 'signed', transactions: [signedTransaction(5)] },
  ),
  account(
    'is stalled',
    { type: 'follow', next: 3 },
    { type: 'signed', transactions: [signedTransaction(3), signedTransaction(4)] },
    { type: 'release', nonce: 3, hash: word(1003) },
    { type: 'fence', claims: ['c9'] },
    { type: 'signed', transactions: [signedTransaction(3)] },
  ),
  transaction('is sending', submit(), mined),
  transaction('is sending again', submit(queried), { type: 'recheck' }, mined),
  transaction('is recorded', submit(queried), mined, { type: 'recheck' }),
  transaction(
    'is recorded and was checked',
    submit(batch),
    mined,
    { type: 'recheck' },
    { type: 'checked', entryId: 'check:1', receipt: receiptIn(7) },
    { type: 'recheck' },
  ),
  transaction(
    'is refused',
    submit(),
    { type: 'refused', reason: 'funds', detail: 'none' },
    { type: 'released' },
    { type: 'wake', now: NOON + KEEP_MS },
  ),
  entity('is recorded', record(0), { type: 'indexed', indexes: ['*'] }, record(1)),
  entity('has a page', ...many(100).map((n) => record(n)), record(0, { from: 0, checked: 0 })),
  index('grows', add(0), add(1)),
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
  block('is checked', watch(1, 2), { type: 'check' }, watch(2), { type: 'lost', entryId: `check:${NOON}.1` }),
  accepted(
    'is recorded',
    accept,
    { type: 'postponed', until: NOON + 1_000, detail: 'the node of the chain does not answer' },
    { type: 'wake', now: NOON + 1_000 },
    { type: 'recorded', transaction: { chain: CHAIN, hash: word(7) } },
    { type: 'performed', entryId: 'release' },
    { type: 'wake', now: NOON + KEEP_MS },
  ),
  accepted(
    'fails',
    accept,
    { type: 'postponed', until: NOON + 1_000, detail: undefined },
    { type: 'wake', now: NOON + 1_000 },
    { type: 'refused', until: NOON + 2_000, detail: 'out of funds' },
    { type: 'wake', now: NOON + 2_000 },
    { type: 'failed', detail: 'the chain refuses the transaction' },
    accept,
  ),
  page('is put', { type: 'put', text: '["a"]', until: NOON + KEEP_MS }, { type: 'keep' }),
  page('is kept', { type: 'put', text: '["a"]' }, { type: 'put', text: '["b"]' }),
];
