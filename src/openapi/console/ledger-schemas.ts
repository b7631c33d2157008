import type {
  BatchEntriesView,
  BlockView,
  EntitiesView,
  EntityRowView,
  EntityView,
  LedgerView,
  ProofView,
  ReceiptFieldView,
  ReceiptView,
  TransactionRowView,
} from '../../ledger/shapes.js';
import {
  about,
  count,
  flag,
  list,
  oneOf,
  orNull,
  ref,
  type Schema,
  shape,
  text,
  time,
  varies,
} from '../schema.js';
import { nextPosition } from './part.js';

const amount = varies(count);
const operation = oneOf(['create', 'query', 'update', 'retrieve', 'upsert', 'replace']);
const hash = ref('Hash');

const row: { readonly [K in keyof TransactionRowView]-?: Schema } = {
  transactionHash: hash,
  operation,
  state: oneOf(['sending', 'recorded', 'failed', 'refused']),
  account: ref('Address'),
  blockNumber: orNull(amount),
  recordedAt: orNull(time),
  batch: orNull(shape<NonNullable<TransactionRowView['batch']>>({ index: count, count })),
};

/** The schemas of the console's views of the ledger. */
export const ledgerViewSchemas: Readonly<Record<string, Schema>> = {
  LedgerView: shape<LedgerView>({
    chain: orNull(varies(text)),
    contract: orNull(ref('Address')),
    head: orNull(amount),
    away: about('Why the node is not there.', orNull(text)),
    confirmations: count,
    finality: count,
    entities: amount,
  }),
  EntitiesView: shape<EntitiesView>({ entities: list(ref('EntityRowView')), next: nextPosition }),
  EntityRowView: shape<EntityRowView>({
    entityId: text,
    transactions: about('null for one tenant, and so is `last`.', orNull(amount)),
    last: orNull(
      shape<NonNullable<EntityRowView['last']>>({ operation, transactionHash: hash, ok: flag, at: time }),
    ),
  }),
  EntityView: shape<EntityView>({
    entityId: text,
    transactions: list(ref('TransactionRowView')),
    next: nextPosition,
  }),
  TransactionRowView: shape<TransactionRowView>(row),
  ReceiptView: shape<ReceiptView>({
    ...row,
    entityId: orNull(text),
    tenant: orNull(text),
    assetId: hash,
    hash,
    block: orNull(ref('BlockView')),
    refusal: about('Why the chain refused it.', orNull(text)),
    fault: about('Why it has recorded nothing, although it is in a block.', orNull(text)),
    fields: list(ref('ReceiptFieldView')),
    receipt: orNull(ref('Receipt')),
    signatures: list(hash),
  }),
  BlockView: shape<BlockView>({
    number: amount,
    hash,
    time: orNull(time),
    confirmations: orNull(amount),
    final: flag,
  }),
  ReceiptFieldView: shape<ReceiptFieldView>({ name: text, value: varies(text), meaning: text }),
  BatchEntriesView: shape<BatchEntriesView>({
    entries: list(shape<BatchEntriesView['entries'][number]>({ index: count, entityId: text, hash })),
    count,
    next: orNull(count),
  }),
  ProofView: shape<ProofView>({
    entityId: text,
    index: count,
    count,
    hash,
    leaf: hash,
    steps: list(shape<ProofView['steps'][number]>({ left: hash, right: hash, sibling: hash, node: hash })),
    root: hash,
    recordedRoot: orNull(hash),
  }),
};
