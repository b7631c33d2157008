import type { ApiPart } from '../operation.js';
import { count, list, object, ref, text, UNREADABLE } from '../schema.js';
import {
  BUILDING,
  building,
  created,
  hashOf,
  provenIn,
  recordedIn,
  renamed,
  retrieved,
  updated,
} from './examples.js';
import { entityPage, proving, tenant, transactionPage } from './parameters.js';
import { jsonOrLd, ledgerPart } from '../apis.js';

const details = { entityId: text, txDetails: list(ref('Receipt')) };

/** L6, L7, and the verification of content. */
export const readings: ApiPart = ledgerPart(
  'Ledger: look up and verify',
  'Lists of recorded transactions, and the comparison of content with the chain.',
  {
    'GET /entity': {
      id: 'listEntities',
      summary: 'List the entities with their transactions (L6)',
      description: 'In the order of their first transactions, streamed.',
      parameters: [tenant, ...entityPage],
      answer: jsonOrLd(
        object({
          offset: count,
          limit: count,
          count: { ...count, description: 'All entities that have transactions.' },
          records: list(object({ ...details, 'unreadable?': UNREADABLE })),
        }),
      ),
      examples: {
        'first-entity': {
          parameters: { limit: 1 },
          answer: {
            offset: 0,
            limit: 1,
            count: 4,
            records: [{ entityId: BUILDING, txDetails: [created, updated, renamed, retrieved] }],
          },
        },
      },
    },
    'GET /entity/{entityId}': {
      id: 'listTransactions',
      summary: 'List the transactions of an entity (L7)',
      description: 'The newest last, streamed.',
      parameters: [tenant, ...transactionPage],
      answer: jsonOrLd(object(details)),
      examples: {
        'first-one': { parameters: { limit: 1 }, answer: { entityId: BUILDING, txDetails: [created] } },
      },
    },
    'GET /ledger/proofs/{transactionHash}': {
      id: 'getProof',
      summary: 'Get the proof file of an entity',
      description:
        'Proves what was recorded, by whom and in which block, without the service and without a node. Made once, and kept.',
      parameters: [tenant, ...proving],
      answer: { 'application/vnd.mirzam.proof+json': ref('ProofFile') },
      errors: [404, 409, 501, 502],
      examples: {
        recorded: {
          parameters: { transactionHash: hashOf('1'), entity: BUILDING },
          answer: {
            mirzamProof: 1,
            chainId: 1337,
            operation: 'create',
            entityId: BUILDING,
            hash: hashOf('b1'),
            assetId: hashOf('a1'),
            ...provenIn(hashOf('1')),
          },
        },
      },
    },
    'POST /ledger/verify': {
      id: 'verify',
      summary: 'Verify that a transaction has recorded some content',
      description: 'Asks the chain, not the store. Needs no token.',
      access: ['none'],
      body: { content: jsonOrLd(ref('Claim')) },
      answer: jsonOrLd(ref('Verdict')),
      errors: [404, 415, 502],
      examples: {
        recorded: {
          body: { transactionHash: hashOf('1'), entity: building },
          answer: {
            verified: true,
            operation: 'create',
            entityId: BUILDING,
            contentHash: hashOf('b1'),
            assetId: hashOf('a1'),
            hash: hashOf('b1'),
            ...recordedIn(hashOf('1')),
          },
        },
      },
    },
  },
);
