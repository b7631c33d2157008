import { bad, CREATE, ID, textOf, WORD } from './bad-vector.js';
import {
  BARN,
  CHANGE,
  deepText,
  type JsonObject,
  madeFile,
  type MadeFile,
  neighbours,
  QUERY,
  upper,
  type Vector,
} from './vectors.js';

const BATCH: MadeFile = { operation: 'upsert', content: BARN, others: neighbours(4) };
const NOTIFY: MadeFile = { operation: 'notify', content: BARN, others: [] };
const UPDATE: MadeFile = { operation: 'update', content: CHANGE, entityId: ID };
const RETRIEVE: MadeFile = {
  operation: 'retrieve',
  content: { attrs: 'name', entityId: ID },
  entityId: ID,
};
const ASK: MadeFile = {
  operation: 'query',
  content: QUERY,
  entityId: 'urn:ngsi-ld:requestor:default',
};

/** Makes the vectors whose file, content or proof of a batch is refused, before the block is read. */
export async function badFiles(): Promise<readonly Vector[]> {
  const without = (value: object, name: string): object =>
    Object.fromEntries(Object.entries(value).filter(([own]) => own !== name));
  const text = `${JSON.stringify(await madeFile(CREATE), undefined, 2)}\n`;
  const batch = (await madeFile(BATCH)).batch!.proof;

  return Promise.all([
    bad('file', 'another-version', 'the format has another number', CREATE, (file) => ({
      ...file,
      mirzamProof: 2,
    })),
    bad('file', 'member-more', 'a member that the format does not have', CREATE, (file) => ({
      ...file,
      note: 'trust me',
    })),
    bad('file', 'member-less', 'recordedAt is missing', CREATE, (file) => without(file, 'recordedAt')),
    bad('file', 'upper-case', 'a hash in upper case', CREATE, (file) => ({
      ...file,
      hash: upper(file.hash),
    })),
    bad('file', 'short-hash', 'a hash of 31 bytes', CREATE, (file) => ({
      ...file,
      assetId: file.assetId.slice(0, 64),
    })),
    bad('file', 'number-as-text', 'the chain is a string', CREATE, (file) => ({ ...file, chainId: '1337' })),
    bad('file', 'operation-unknown', 'an operation that there is not', CREATE, (file) => ({
      ...file,
      operation: 'delete',
    })),
    bad('file', 'batch-at-a-creation', 'a creation has the proof of a batch', CREATE, (file) => ({
      ...file,
      batch: { proof: [] },
    })),
    bad('file', 'batch-without-proof', 'a batch has no proof', BATCH, (file) => without(file, 'batch')),
    bad('file', 'notify-without-batch', 'a notification of one entity has no proof', NOTIFY, (file) =>
      without(file, 'batch'),
    ),
    bad('file', 'no-nodes', 'the proof of the receipt is empty', CREATE, (file) => ({
      ...file,
      receipt: { proof: [] },
    })),
    bad(
      'file',
      'node-more-member',
      'a member of the block that the format does not have',
      CREATE,
      (file) => ({ ...file, block: { ...file.block, final: true } }),
    ),
    bad('file', 'block-member-less', 'the number of the block is missing', CREATE, (file) => ({
      ...file,
      block: without(file.block, 'number'),
    })),
    bad('file', 'fraction', 'a number that is not an integer', CREATE, (file) => ({
      ...file,
      chainId: 1337.5,
    })),
    bad('file', 'large-integer', 'an integer with a fraction of 0 beyond 2^53 − 1', CREATE, undefined, {
      file: text.replace('"chainId": 1337', '"chainId": 9007199254740992.0'),
    }),
    bad('file', 'infinite-number', 'a number beyond the range of a double', CREATE, undefined, {
      file: text.replace('"chainId": 1337', '"chainId": 1e400'),
    }),
    bad('file', 'surrogate-in-id', 'the id of the entity has an unpaired surrogate', CREATE, undefined, {
      file: text.replace(ID, String.raw`${ID}\ud800`),
    }),
    bad('file', 'time-with-offset', 'recordedAt has an offset instead of Z', CREATE, (file) => ({
      ...file,
      recordedAt: file.recordedAt.replace('.000Z', '+00:0'),
    })),
    bad('file', 'member-twice', 'two members of one name', CREATE, undefined, {
      file: text.replace('"chainId"', '"chainId": 1,\n  "chainId"'),
    }),

    bad('content', 'other-value', 'the barn is blue', CREATE, undefined, {
      content: textOf({ ...BARN, name: { type: 'Property', value: 'The big blue barn' } }),
    }),
    bad('content', 'attribute-more', 'an attribute that was not recorded', CREATE, undefined, {
      content: textOf({ ...BARN, owner: 'me' }),
    }),
    bad('content', 'other-entity', 'the content has the id of another entity', {
      ...CREATE,
      content: { ...BARN, id: 'urn:ngsi-ld:Building:farm002' },
      entityId: ID,
    }),
    bad(
      'content',
      'batch-of-another',
      'the file says that the entity of a batch is another one',
      { operation: 'replace', content: BARN, others: neighbours(1) },
      (file) => ({ ...file, entityId: 'urn:ngsi-ld:Building:farm002' }),
    ),
    bad('content', 'name-twice', 'two members of one name', CREATE, undefined, {
      content: textOf(BARN).replace('"type"', '"type": "Barn",\n  "type"'),
    }),
    bad(
      'content',
      'inexact-integer',
      'an integer that readers round',
      { ...CREATE, content: { ...BARN, height: 2 ** 53 } },
      undefined,
      { content: textOf({ ...BARN, height: 0 }).replace(': 0', ': 9007199254740993') },
    ),
    bad(
      'content',
      'unpaired-surrogate',
      'a string that is not valid text',
      { ...CREATE, content: { ...BARN, owner: '\uFFFD' } },
      undefined,
      { content: textOf({ ...BARN, owner: '\uFFFD' }).replace('\uFFFD', String.raw`\ud800`) },
    ),
    bad(
      'content',
      'deep-501',
      'content of 501 levels',
      { ...CREATE, content: JSON.parse(deepText(501)) as JsonObject },
      undefined,
      { content: deepText(501) },
    ),
    bad('content', 'infinite-value', 'a number beyond the range of a double', CREATE, undefined, {
      content: textOf({ ...BARN, height: 0 }).replace(': 0', ': 1e400'),
    }),
    bad('content', 'not-an-object', 'an array with the entity', CREATE, undefined, {
      content: textOf([BARN] as unknown as JsonObject),
    }),
    bad('content', 'entity-for-an-update', 'an update records a fragment', UPDATE, undefined, {
      kind: 'entity',
      content: textOf(BARN),
    }),
    bad(
      'content',
      'update-given-as-entity',
      'the fragment of an update is the whole entity, and is given as an entity',
      { ...UPDATE, content: BARN },
      undefined,
      { kind: 'entity' },
    ),
    bad(
      'content',
      'query-for-a-retrieval',
      'the file says retrieve, and the content is a query',
      ASK,
      (file) => ({ ...file, operation: 'retrieve' }),
    ),
    bad(
      'content',
      'retrieval-for-a-query',
      'the file says query, and the content is a retrieval',
      RETRIEVE,
      (file) => ({ ...file, operation: 'query' }),
    ),
    bad('content', 'other-hash', 'the file has another hash', CREATE, (file) => ({ ...file, hash: WORD })),

    bad(
      'asset',
      'update-of-another',
      'the file says that the update is of another entity',
      UPDATE,
      (file) => ({ ...file, entityId: 'urn:ngsi-ld:Building:farm002' }),
    ),
    bad('asset', 'other-asset', 'the file has another assetId', CREATE, (file) => ({
      ...file,
      assetId: WORD,
    })),
    bad('asset', 'batch-step-less', 'the proof of the batch lacks its last hash', BATCH, (file) => ({
      ...file,
      batch: { proof: batch.slice(0, -1) },
    })),
    bad('asset', 'batch-step-more', 'the proof of the batch has a hash more', BATCH, (file) => ({
      ...file,
      batch: { proof: [...batch, WORD] },
    })),
    bad('asset', 'batch-other-order', 'the hashes of the batch are in another order', BATCH, (file) => ({
      ...file,
      batch: { proof: batch.toReversed() },
    })),
  ]);
}
