import type { ApiPart, Operation } from '../operation.js';
import { json, query } from '../operation.js';
import { integer, ref, text } from '../schema.js';
import { ledgerViewSchemas } from './ledger-schemas.js';
import { consolePart, positions } from './part.js';

const view = (id: string, summary: string, shown: string, more: Partial<Operation> = {}): Operation => ({
  id,
  summary,
  answer: json(ref(shown)),
  errors: [404],
  ...more,
});

/** The console's views of the ledger. */
export const ledgerViews: ApiPart = consolePart(
  'Console: ledger',
  'The ledger newest first. With LEDGER_AUTH=token a tenant sees its own transactions alone.',
  {
    'GET /console/api/ledger': view('viewLedger', 'Show the chain and the size of the ledger', 'LedgerView'),
    'GET /console/api/ledger/entities': view('viewEntities', 'List the entities', 'EntitiesView', {
      parameters: [query('query', text, 'A part of the id.'), ...positions],
    }),
    'GET /console/api/ledger/entities/{entityId}': view(
      'viewEntity',
      'List the transactions of an entity',
      'EntityView',
      { parameters: positions },
    ),
    'GET /console/api/ledger/receipts/{hash}': view('viewReceipt', 'Show a transaction', 'ReceiptView'),
    'GET /console/api/ledger/receipts/{hash}/entries': view(
      'viewBatch',
      'List the entries of a batch',
      'BatchEntriesView',
      { parameters: [query('from', integer(0, Number.MAX_SAFE_INTEGER), 'The index of the first one.')] },
    ),
    'GET /console/api/ledger/receipts/{hash}/entries/{index}/proof': view(
      'viewProof',
      'Show the way from an entry of a batch to the root on the chain',
      'ProofView',
    ),
  },
  ledgerViewSchemas,
);
