import { MAX_ENTITIES } from '../../ledger/content/batch-content.js';
import type { ProofFile, Verdict } from '../../ledger/shapes.js';
import {
  about,
  anyObject,
  count,
  flag,
  list,
  object,
  openObject,
  oneOf,
  orNull,
  ref,
  type Schema,
  shape,
  text,
  time,
  varies,
} from '../schema.js';

const hex = (bytes: number): Schema => varies({ type: 'string', pattern: `^0x[0-9a-f]{${2 * bytes}}$` });
const OPERATIONS = ['create', 'query', 'update', 'retrieve', 'upsert', 'replace', 'notify'];
const bytes: Schema = varies({ type: 'string', pattern: '^0x(?:[0-9a-f]{2})+$' });
const nodes = list(bytes, { minItems: 1 });
const quantity: Schema = varies({ type: 'string', pattern: '^0x[0-9a-f]+$' });
const amount: Schema = varies(count);

const placed = {
  transactionHash: ref('Hash'),
  blockHash: ref('Hash'),
  blockNumber: amount,
};

/** The schemas of the ledger. */
export const ledgerSchemas: Readonly<Record<string, Schema>> = {
  Uri: about('A URI or an IRI of at most 2,048 bytes.', {
    type: 'string',
    maxLength: 2_048,
    pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[^\\s<>"{}|\\\\^`]+$',
  }),
  Hash: about('32 bytes.', hex(32)),
  Address: about('An account or a contract, in lower case.', hex(20)),
  Entity: openObject(
    { id: ref('Uri'), type: ref('EntityType'), '@context?': ref('Context') },
    {
      description:
        'An entity of NGSI-LD. Each other member is an attribute, normalized or in the simplified form.',
    },
  ),
  EntityType: {
    description: 'A name, or several. A name is a short one of NGSI-LD or a full IRI.',
    oneOf: [text, list(text, { minItems: 1 })],
  },
  Notification: openObject(
    {
      id: ref('Uri'),
      subscriptionId: ref('Uri'),
      data: about(
        'Its entities, normalized, concise or in the simplified form. One entity may stand without an array.',
        {
          oneOf: [list(ref('Entity'), { minItems: 1, maxItems: MAX_ENTITIES }), ref('Entity')],
        },
      ),
      'type?': { const: 'Notification' },
    },
    { description: 'A notification of an NGSI-LD broker. Other members are ignored.' },
  ),
  Fragment: openObject(
    { 'id?': ref('Uri'), 'type?': ref('EntityType'), '@context?': ref('Context') },
    { description: 'Attributes of an entity, at least one. An `id` is that of the path.', minProperties: 1 },
  ),
  Context: { description: 'A URI, an object, or an array of these.', type: ['string', 'object', 'array'] },
  Receipt: {
    ...object({
      ...placed,
      cumulativeGasUsed: amount,
      gasUsed: amount,
      status: { enum: ['0x1', '0x0'], description: '`0x0` if the call was reverted.' },
      from: ref('Address'),
      to: ref('Address'),
      logs: list(ref('Log')),
      logsBloom: hex(256),
      transactionIndexRaw: quantity,
      blockNumberRaw: quantity,
      cumulativeGasUsedRaw: quantity,
      gasUsedRaw: quantity,
      statusOK: about('Whether the contract has emitted the event of this operation.', flag),
      additionalInformation: ref('AdditionalInformation'),
    }),
    description: 'The receipt of a transaction. Quantities are numbers, with hexadecimal copies in `…Raw`.',
  },
  Log: object({
    removed: flag,
    logIndex: amount,
    transactionIndex: amount,
    ...placed,
    address: ref('Address'),
    data: { type: 'string', pattern: '^0x' },
    type: { const: 'mined' },
    topics: list(ref('Hash')),
    transactionIndexRaw: quantity,
    blockNumberRaw: quantity,
    logIndexRaw: quantity,
  }),
  AdditionalInformation: openObject(
    {
      operation: oneOf(OPERATIONS),
      assetId: ref('Hash'),
      hash: ref('Hash'),
      canonicalization: { const: 'RFC8785' },
      'reason?': about('If `statusOK` is false: why nothing was recorded.', text),
      'tenant?': text,
      'link?': text,
      'query?': anyObject,
      'entities?': list(
        object({
          entityId: text,
          hash: ref('Hash'),
          proof: about('From the entity up to the root.', list(ref('Hash'))),
        }),
      ),
    },
    {
      description:
        'The data from which the hash can be computed again. Members of a query stand beside `query` too.',
    },
  ),
  Claim: {
    description: 'Exactly one of: an entity, entities of a batch, an update, a query.',
    oneOf: [
      object({
        transactionHash: ref('ClaimedHash'),
        entity: ref('Entity'),
        'proof?': list(ref('ClaimedHash'), { maxItems: 64 }),
      }),
      object({
        transactionHash: ref('ClaimedHash'),
        entities: list(ref('Entity'), { minItems: 1, maxItems: MAX_ENTITIES }),
      }),
      object({ transactionHash: ref('ClaimedHash'), entityId: ref('Uri'), fragment: anyObject }),
      object({ transactionHash: ref('ClaimedHash'), query: anyObject, 'relatedEntity?': ref('Uri') }),
    ],
  },
  ProofFile: shape<ProofFile>({
    mirzamProof: about('The version of the format.', { type: 'integer', const: 1 }),
    chainId: count,
    operation: oneOf(OPERATIONS),
    entityId: text,
    hash: about('Of the entity’s content.', ref('Hash')),
    assetId: about('As in the receipt: of a batch its root.', ref('Hash')),
    from: ref('Address'),
    contract: ref('Address'),
    recordedAt: about('In the header of the block.', time),
    'batch?': about('Of a batch.', object({ proof: list(ref('Hash')) })),
    block: object({ number: amount, hash: ref('Hash'), header: about('RLP.', bytes) }),
    transaction: object({ index: amount, proof: about('Nodes from the root to the leaf.', nodes) }),
    receipt: object({ proof: nodes }),
  }),
  ClaimedHash: { type: 'string', pattern: '^0x[0-9A-Fa-f]{64}$' },
  Verdict: shape<Verdict>({
    verified: flag,
    'reason?': about('If not verified: what was found instead.', text),
    'operation?': oneOf(['create', 'query', 'update', 'retrieve', 'upsert']),
    'entityId?': text,
    'contentHash?': about('Hash of the content in the claim; absent for `entities`.', ref('Hash')),
    assetId: about('The expected first argument; the root if the content is in a batch.', ref('Hash')),
    hash: about('The expected second argument; the root if the content is in a batch.', ref('Hash')),
    'entries?': about(
      'One for each of the claim’s `entities`.',
      list(object({ entityId: text, contentHash: ref('Hash'), verified: flag, 'reason?': text })),
    ),
    from: ref('Address'),
    blockNumber: orNull(amount),
    blockHash: orNull(ref('Hash')),
    recordedAt: orNull(time),
  }),
};
