import { RLP } from '@ethereumjs/rlp';
import { assetIdOf, hashOf } from '../../../src/ledger/content/content-hash.js';
import { type Hex, hexOf, keccak } from '../../../src/system/chain-bytes.js';
import type { ProofFile } from '../../../src/library/proof.js';
import { CONTRACT, OTHER_CONTRACT, type MadeRecord, TOPIC } from './made-block.js';
import {
  BARN,
  CHANGE,
  type JsonObject,
  madeFile,
  type MadeFile,
  neighbours,
  QUERY,
  type Vector,
} from './vectors.js';

const ID = String(BARN['id']);
const ASSET = assetIdOf(ID);
const HASH = hashOf(BARN);
const WORD: Hex = `0x${'ab'.repeat(32)}`;
const CREATE: MadeFile = { operation: 'create', content: BARN };
const IN_20: MadeFile = { ...CREATE, block: { size: 20, index: 7 } };
const BATCH: MadeFile = { operation: 'upsert', content: BARN, others: neighbours(4) };
const UPDATE: MadeFile = { operation: 'update', content: CHANGE, entityId: ID };
const RETRIEVE: MadeFile = { operation: 'retrieve', content: { attrs: 'name', entityId: ID }, entityId: ID };
const ASK: MadeFile = { operation: 'query', content: QUERY, entityId: 'urn:ngsi-ld:requestor:default' };

type Change = (file: ProofFile) => object;

/** Makes the vectors that are refused: at least one for each reason to refuse. */
export async function badVectors(): Promise<readonly Vector[]> {
  const upper = (hex: string): string => `0x${hex.slice(2).toUpperCase()}`;
  const without = (file: ProofFile, name: string): object =>
    Object.fromEntries(Object.entries(file).filter(([own]) => own !== name));
  const inBlock = (parts: Partial<MadeFile['block']>): Promise<ProofFile> =>
    madeFile({ ...IN_20, block: { ...IN_20.block, ...parts } });
  const [longer, twin, later] = await Promise.all([
    inBlock({ size: 21 }),
    inBlock({ index: 8 }),
    inBlock({ number: 43, moreFields: 1 }),
  ]);
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
    bad('file', 'member-twice', 'two members of one name', CREATE, undefined, {
      file: text.replace('"chainId"', '"chainId": 1,\n  "chainId"'),
    }),

    bad('content', 'other-value', 'the barn is blue', CREATE, undefined, {
      content: textOf({ ...BARN, name: { type: 'Property', value: 'The big blue barn' } }),
    }),
    bad('content', 'attribute-more', 'an attribute that was not recorded', CREATE, undefined, {
      content: textOf({ ...BARN, owner: 'me' }),
    }),
    bad('content', 'other-entity', 'another entity', CREATE, undefined, {
      content: textOf({ ...BARN, id: 'urn:ngsi-ld:Building:farm002' }),
    }),
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
    bad('content', 'unpaired-surrogate', 'a string that is no text', CREATE, undefined, {
      content: textOf(BARN).replace('red', String.raw`\ud800`),
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

    made('event', 'reverted', 'the receipt says that the call was reverted', { status: 0 }),
    made('event', 'event-of-another-contract', 'another contract emitted the event', {
      logs: [[OTHER_CONTRACT, TOPIC, ASSET, HASH]],
    }),
    made('event', 'other-event', 'an event of another name', { logs: [[CONTRACT, WORD, ASSET, HASH]] }),
    made('event', 'event-with-another-hash', 'the event has another hash', {
      logs: [[CONTRACT, TOPIC, ASSET, WORD]],
    }),
    made('event', 'event-for-another-entity', 'the event has another assetId', {
      logs: [[CONTRACT, TOPIC, WORD, HASH]],
    }),
    made('event', 'receipt-with-five-items', 'the receipt has an item more', { more: { receipt: '0x01' } }),
    made('event', 'log-with-four-items', 'the log has an item more', { more: { log: '0x01' } }),
    made('event', 'no-event', 'the receipt has no event', { logs: [] }),
    bad('event', 'contract-changed', 'the file has another contract', CREATE, (file) => ({
      ...file,
      contract: OTHER_CONTRACT,
    })),
    bad(
      'event',
      'transaction-as-receipt',
      'the proof of the transaction instead of the receipt’s',
      CREATE,
      (file) => ({ ...file, receipt: { proof: file.transaction.proof } }),
    ),

    bad('receipt', 'other-index', 'the index of another transaction', IN_20, (file) => ({
      ...file,
      transaction: { ...file.transaction, index: 6 },
    })),
    bad('receipt', 'node-less', 'the root of the receipts is missing', IN_20, (file) => ({
      ...file,
      receipt: { proof: file.receipt.proof.slice(1) },
    })),
    bad('receipt', 'node-twice', 'a node is there twice', IN_20, (file) => ({
      ...file,
      receipt: { proof: [file.receipt.proof[0]!, ...file.receipt.proof] },
    })),
    bad('receipt', 'node-changed', 'a digit of a node is another one', IN_20, (file) => ({
      ...file,
      receipt: { proof: file.receipt.proof.map((node, i) => (i === 1 ? flipped(node) : node)) },
    })),
    bad('receipt', 'other-index-of-one', 'an index that the leaf does not have', CREATE, (file) => ({
      ...file,
      transaction: { ...file.transaction, index: 1 },
    })),
    bad(
      'receipt',
      'other-index-over-extension',
      'an index that differs in the digits of an extension only',
      { ...CREATE, block: { size: 300, index: 299 } },
      (file) => ({ ...file, transaction: { ...file.transaction, index: 0x22b } }),
    ),
    node('leaf-too-short', 'the leaf has less than the rest of the path', (receipt) => ['0x38', receipt]),
    node('extension-as-leaf', 'the last node is an extension', (receipt) => ['0x0080', receipt]),
    node('node-of-three', 'the leaf has three items', (receipt) => ['0x2080', WORD, receipt]),
    node('path-with-padding', 'the padding of the path is not zero', (receipt) => ['0x2180', receipt]),
    node('path-with-another-flag', 'the flag of the path is 6', (receipt) => ['0x6080', receipt]),
    bad('receipt', 'receipt-of-another-index', 'the receipt of the next transaction', IN_20, (file) => ({
      ...file,
      receipt: twin.receipt,
    })),

    bad('header', 'header-changed', 'a digit of the header is another one', IN_20, (file) => ({
      ...file,
      block: { ...file.block, header: flipped(file.block.header) },
    })),
    bad('header', 'block-hash-changed', 'another hash of the block', IN_20, (file) => ({
      ...file,
      block: { ...file.block, hash: WORD },
    })),
    bad('header', 'block-number-changed', 'another number of the block', IN_20, (file) => ({
      ...file,
      block: { ...file.block, number: 41 },
    })),
    bad('header', 'number-with-zeros', 'the number in the header has a zero in front', {
      ...CREATE,
      block: { numberField: '0x002a' },
    }),
    bad('header', 'time-changed', 'a second earlier than in the header', IN_20, (file) => ({
      ...file,
      recordedAt: '2025-12-31T23:59:59.000Z',
    })),
    bad('header', 'other-block', 'the header of another block', IN_20, (file) => ({
      ...file,
      block: { ...later.block, header: later.block.header },
      receipt: twin.receipt,
      transaction: { ...file.transaction, index: 8 },
    })),
    bad('header', 'short-header', 'a header of 14 fields', CREATE, (file) => ({
      ...file,
      block: shortened(file.block),
    })),

    bad('transaction', 'transaction-of-another-index', 'the next transaction', IN_20, (file) => ({
      ...file,
      transaction: { index: file.transaction.index, proof: twin.transaction.proof },
    })),
    bad(
      'transaction',
      'receipt-as-transaction',
      'the proof of the receipt instead of the transaction’s',
      CREATE,
      (file) => ({ ...file, transaction: { index: 0, proof: file.receipt.proof } }),
    ),
    bad('transaction', 'chain-changed', 'the file says another chain', CREATE, (file) => ({
      ...file,
      chainId: 1,
    })),
    bad('transaction', 'transaction-of-another-block', 'the same index in another block', IN_20, (file) => ({
      ...file,
      transaction: longer.transaction,
    })),
    made('transaction', 'transaction-with-more-items', 'the transaction has an item more', {
      type: 2,
      more: { transaction: '0x01' },
    }),
    made('transaction', 'for-every-chain', 'a transaction that is signed for no chain', { anyChain: true }),
    made(
      'transaction',
      'call-of-another-contract',
      'the transaction calls a contract that calls the contract',
      { to: OTHER_CONTRACT },
    ),
    made(
      'transaction',
      'other-call',
      'the signer has signed another call, and the contract emitted the event all the same',
      { data: '0x' },
    ),
    made('transaction', 'receipt-of-another-type', 'transaction and receipt have different types', {
      receiptType: 2,
    }),

    bad('signature', 'signer-changed', 'the file says another signer', CREATE, (file) => ({
      ...file,
      from: CONTRACT,
    })),
    made('signature', 'high-s', 'the signature has the higher one of its two values', {
      type: 2,
      highS: true,
    }),

    bad(
      'expected',
      'other-block-hash-expected',
      'the reader knows another hash of the block',
      CREATE,
      undefined,
      { expected: { blockHash: WORD } },
    ),
    bad('expected', 'other-contract-expected', 'the reader knows another contract', CREATE, undefined, {
      expected: { contract: OTHER_CONTRACT },
    }),
    bad('expected', 'other-signer-expected', 'the reader knows another signer', CREATE, undefined, {
      expected: { contract: CONTRACT, from: OTHER_CONTRACT },
    }),
  ]);
}

function textOf(value: JsonObject): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** A vector of a file that is verified without the change. */
async function bad(
  step: string,
  name: string,
  about: string,
  parts: MadeFile,
  change: Change = (file) => file,
  more: Partial<Vector> = {},
): Promise<Vector> {
  const kinds = { update: 'fragment', query: 'query', retrieve: 'query' } as const;
  const kind = parts.operation in kinds ? kinds[parts.operation as keyof typeof kinds] : 'entity';
  const file = textOf(change(await madeFile(parts)) as JsonObject);
  return { step, name, about, kind, file, content: textOf(parts.content), ...more };
}

/** A vector of a creation whose block is what it is. */
function made(step: string, name: string, about: string, record: Partial<MadeRecord>): Promise<Vector> {
  return bad(step, name, about, { ...CREATE, record });
}

/** A vector of a creation whose receipt is in one node that is wrong. */
function node(
  name: string,
  about: string,
  receiptNode: NonNullable<MadeFile['block']>['receiptNode'] & object,
): Promise<Vector> {
  return bad('receipt', name, about, { ...CREATE, block: { receiptNode } });
}

/** Changes the last digit of bytes. */
function flipped(hex: Hex): Hex {
  return `${hex.slice(0, -1)}${hex.endsWith('0') ? '1' : '0'}` as Hex;
}

function shortened({ number, header }: ProofFile['block']): ProofFile['block'] {
  const short = RLP.encode((RLP.decode(header) as Uint8Array[]).slice(0, 14));
  return { number, header: hexOf(short), hash: hexOf(keccak(short)) };
}
