import { type ApiPart, json, type Operation, query } from '../operation.js';
import { integer, ref, text } from '../schema.js';
import { BUILDING, hashOf } from '../ledger/examples.js';
import { chain, creation, proof, retrieval } from './examples.js';
import { ledgerViewSchemas } from './ledger-schemas.js';
import { consolePart, positions } from './part.js';

const view = (id: string, summary: string, shown: string, more: Partial<Operation> = {}): Operation => ({
  id,
  summary,
  answer: json(ref(shown)),
  errors: [404],
  ...more,
});

const batch = { hash: hashOf('5') };

/** The console's views of the ledger. */
export const ledgerViews: ApiPart = consolePart(
  'Console: ledger',
  'The ledger newest first. With LEDGER_AUTH=token a tenant sees its own transactions alone.',
  {
    'GET /console/api/ledger': view('viewLedger', 'Show the chain and the size of the ledger', 'LedgerView', {
      examples: [{ name: 'four-entities', answer: chain }],
    }),
    'GET /console/api/ledger/entities': view('viewEntities', 'List the entities', 'EntitiesView', {
      parameters: [query('query', text, 'A part of the id.'), ...positions],
      examples: [
        {
          name: 'by-id',
          parameters: { query: 'farm' },
          answer: {
            entities: [
              {
                entityId: BUILDING,
                transactions: 4,
                last: {
                  operation: 'retrieve',
                  transactionHash: retrieval.transactionHash,
                  ok: true,
                  at: retrieval.recordedAt,
                },
              },
            ],
            next: null,
          },
        },
      ],
    }),
    'GET /console/api/ledger/entities/{entityId}': view(
      'viewEntity',
      'List the transactions of an entity',
      'EntityView',
      {
        parameters: positions,
        examples: [
          {
            name: 'newest',
            parameters: { entityId: BUILDING, limit: 1 },
            answer: { entityId: BUILDING, transactions: [retrieval], next: 3 },
          },
        ],
      },
    ),
    'GET /console/api/ledger/receipts/{hash}': view('viewReceipt', 'Show a transaction', 'ReceiptView', {
      examples: [{ name: 'creation', parameters: { hash: hashOf('1') }, answer: creation }],
    }),
    'GET /console/api/ledger/receipts/{hash}/entries': view(
      'viewBatch',
      'List the entries of a batch',
      'BatchEntriesView',
      {
        parameters: [
          query(
            'from',
            integer(0, Number.MAX_SAFE_INTEGER),
            'The `next` of the page before. Any other index: the page that holds it.',
          ),
        ],
        examples: [
          {
            name: 'two-entries',
            parameters: batch,
            answer: {
              entries: [
                { index: 0, entityId: proof.entityId, hash: proof.hash },
                { index: 1, entityId: 'urn:ngsi-ld:Building:b2', hash: hashOf('b6') },
              ],
              count: 2,
              next: null,
            },
          },
        ],
      },
    ),
    'GET /console/api/ledger/receipts/{hash}/entries/{index}/proof': view(
      'viewProof',
      'Show the way from an entry of a batch to the root on the chain',
      'ProofView',
      { examples: [{ name: 'first-one', parameters: { ...batch, index: 0 }, answer: proof }] },
    ),
  },
  ledgerViewSchemas,
);
