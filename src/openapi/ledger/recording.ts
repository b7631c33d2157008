import { MAX_ENTITIES } from '../../ledger/content/batch-content.js';
import type { ApiPart, Operation } from '../operation.js';
import { list, ref } from '../schema.js';
import { building, created, hashOf, names, receipt, renamed, retrieved, updated } from './examples.js';
import { batching, querying, recording, retrieving } from './parameters.js';
import { jsonOrLd, ledgerPart } from '../apis.js';
import { ledgerSchemas } from './schemas.js';

/**
 * Returns an operation that answers a receipt: with the headers of recordings, and the errors of the wallet, the chain and
 * the queue.
 */
function recordingOf({ parameters = [], ...operation }: Omit<Operation, 'answer' | 'errors'>): Operation {
  return {
    ...operation,
    parameters: [...parameters, ...recording],
    answer: jsonOrLd(ref('Receipt')),
    errors: [404, 422, 502, 504, ...(operation.body === undefined ? [] : [415])],
  };
}

const fragment = { name: { type: 'Property', value: 'The small red barn' } };
const asked = { type: 'Building', limit: 10 };
const batch = ['b1', 'b2'].map((id) => ({ id: `urn:ngsi-ld:Building:${id}`, type: 'Building' }));

/** L1 to L5. */
export const recordings: ApiPart = ledgerPart(
  'Ledger: record',
  'Operations of NGSI-LD. Each is one transaction of the chain and answers its receipt. The chain gets a hash alone.',
  {
    'POST /ngsi-ld/v1/entities': recordingOf({
      id: 'recordEntity',
      summary: 'Record the creation of an entity (L1)',
      body: { content: jsonOrLd(ref('Entity')) },
      examples: {
        building: { body: building, answer: created },
        'without-id': {
          body: { type: 'Building' },
          status: 400,
          answer: {
            type: 'https://uri.etsi.org/ngsi-ld/errors/BadRequestData',
            title: 'Bad request data',
            status: 400,
            detail: 'id: is required, and must be a URI of at most 2048 bytes, as in urn:ngsi-ld:Store:1',
          },
        },
      },
    }),
    'GET /ngsi-ld/v1/entities': recordingOf({
      id: 'recordQuery',
      summary: 'Record a query of entities (L2)',
      description: 'The query is recorded and not carried out. No HEAD: it would record.',
      parameters: querying,
      examples: {
        buildings: {
          parameters: { ...asked, 'Related-Entity': 'urn:ngsi-ld:User:ann' },
          answer: receipt(
            { transaction: '2', operation: 'query', asset: 'a2', hash: 'b2' },
            { ...asked, query: asked },
          ),
        },
      },
    }),
    'POST /ngsi-ld/v1/entities/{entityId}/attrs': recordingOf({
      id: 'recordUpdate',
      summary: 'Record an update of an entity (L3)',
      body: { content: jsonOrLd(ref('Fragment')) },
      examples: { 'new-name': { body: fragment, answer: updated } },
    }),
    'PATCH /ngsi-ld/v1/entities/{entityId}/attrs': recordingOf({
      id: 'recordUpdateByPatch',
      summary: 'Record an update of an entity (L3), as PATCH',
      body: {
        content: { ...jsonOrLd(ref('Fragment')), 'application/merge-patch+json': ref('Fragment') },
      },
      examples: {
        'former-name': { body: { name: { type: 'Property', value: 'The big red barn' } }, answer: renamed },
      },
    }),
    'GET /ngsi-ld/v1/entities/{entityId}': recordingOf({
      id: 'recordRetrieval',
      summary: 'Record a retrieval of an entity (L4)',
      description: 'The retrieval is recorded and not carried out. No HEAD: it would record.',
      parameters: retrieving,
      examples: {
        'name-alone': { parameters: names, answer: retrieved },
      },
    }),
    'POST /ngsi-ld/v1/entityOperations/upsert': recordingOf({
      id: 'recordBatch',
      summary: 'Record a batch of entities (L5)',
      description: 'One transaction for all. Each entity gets a proof that leads to the root on the chain.',
      parameters: [batching],
      body: { content: jsonOrLd(list(ref('Entity'), { minItems: 1, maxItems: MAX_ENTITIES })) },
      examples: {
        'two-buildings': {
          parameters: { options: 'replace', 'Idempotency-Key': 'night-4711' },
          body: batch,
          answer: receipt(
            { transaction: '5', operation: 'replace', asset: 'd5', hash: 'd5' },
            {
              entities: [
                { entityId: batch[0]!.id, hash: hashOf('b5'), proof: [hashOf('c5')] },
                { entityId: batch[1]!.id, hash: hashOf('b6'), proof: [hashOf('c6')] },
              ],
            },
          ),
        },
      },
    }),
  },
  ledgerSchemas,
);
