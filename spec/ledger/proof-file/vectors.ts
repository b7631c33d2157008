import { assetIdOf, hashOf } from '../../../src/ledger/content/content-hash.js';
import { merkleTree } from '../../../src/ledger/content/merkle.js';
import type { ProofExpectations, ProofFile } from '../../../src/library/proof.js';
import type { OperationName } from '../../../src/ledger/shapes.js';
import { nestedTo } from './changed-header.js';
import type { Hex } from '../../../src/system/chain-bytes.js';
import { CONTRACT, type MadeBlock, type MadeRecord, madeBlock, ORDER, SIGNER } from './made-block.js';
import { otherSignature, SMALLEST_X } from './other-signature.js';

type Kind = 'entity' | 'fragment' | 'query';
export type JsonObject = Readonly<Record<string, unknown>>;

/** A test vector: a file and content, both as texts, with the verdict that they must have. */
export interface Vector {
  readonly name: string;
  readonly file: string;
  readonly kind: Kind;
  readonly content: string;
  /** The content, if it is no text. */
  readonly bytes?: Uint8Array;
  readonly expected?: ProofExpectations;
  /** The step that refuses it; undefined if it is verified. */
  readonly step?: string;
  /** What is special about it. */
  readonly about: string;
}

/** What a file is made of. */
export interface MadeFile {
  readonly operation: OperationName;
  readonly content: JsonObject;
  readonly entityId?: string;
  /** Of the content, by default that of its canonical form. */
  readonly hash?: Hex;
  /** Other entities of the batch. */
  readonly others?: readonly JsonObject[];
  readonly chainId?: number;
  readonly record?: Partial<MadeRecord>;
  readonly block?: Omit<MadeBlock, 'record'>;
}

/** Makes a file of its parts. */
export async function madeFile({
  operation,
  content,
  entityId = String(content['id']),
  hash = hashOf(content),
  others,
  chainId = 1337,
  record = {},
  block = {},
}: MadeFile): Promise<ProofFile> {
  const tree = others === undefined ? undefined : merkleTree([hash, ...others.map(hashOf)]);
  const assetId = tree?.root ?? assetIdOf(entityId);
  const found = await madeBlock({
    ...block,
    record: { assetId, hash: tree?.root ?? hash, chainId, ...record },
  });
  const { time = 1_767_225_600n } = block;
  return {
    mirzamProof: 1,
    chainId,
    operation,
    entityId,
    hash,
    assetId,
    from: SIGNER,
    contract: CONTRACT,
    recordedAt: new Date(Number(time > 10n ** 15n ? time / 10n ** 6n : time * 1000n)).toISOString(),
    ...(tree !== undefined && { batch: { proof: tree.proof(0) } }),
    ...found,
  };
}

export const BARN: JsonObject = {
  id: 'urn:ngsi-ld:Building:farm001',
  type: 'Building',
  name: { type: 'Property', value: 'The big red barn' },
};
export const CHANGE: JsonObject = { name: { type: 'Property', value: 'The small red barn' } };
export const QUERY: JsonObject = { type: 'Building', q: 'name=="The big red barn"', limit: 10 };

/** Members and numbers that programs write in different ways. */
const ODD_TEXT = String.raw`{
  "id": "urn:ngsi-ld:Probe:ä", "type": "Probe", "__proto__": {"toString": 1},
  "\ud83d\ude00": 1e21, "\ufb33": 1e-7, "€": [-0, 0.10, 1E2, 1e20, 333333333.33333329, 5e-324, 1.7976931348623157e308],
  "f": [-1.5, 0.000001, 123456789012345680000.0, 9007199254740993.0, 9007199254740991, -1e-20, 4.35, 100.0, 1e23, 1e-400, -1e-400],
  "": "\u0000\b\t\n\f\r\"\\\/\u007f\u2028😀\u00e9\uffff﷐", "1": {}, "10": [], "2": [[], {}, [{"b": null, "a": true}], false]
}`;

/** An entity whose objects and arrays are nested so many levels deep. */
export function deepText(levels: number): string {
  const arrays = levels - 1;
  return `{"id": "${String(BARN['id'])}", "type": "Building", "deep": ${'['.repeat(arrays)}${']'.repeat(arrays)}}\n`;
}

/** Entities of a batch beside the barn. */
export function neighbours(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, i) => ({ id: `urn:ngsi-ld:Building:b${i}`, type: 'Building' }));
}

/** Returns a hash or an address with digits in upper case. */
export function upper(hex: string): `0x${string}` {
  return `0x${hex.slice(2).toUpperCase()}`;
}

const pretty = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Makes a vector that is verified, whose transaction has so many bytes in place of its access list. It is too large for a file of the examples. */
export async function largeVector(bytes: number): Promise<Vector> {
  const record = { type: 1, access: new Uint8Array(bytes) } as const;
  const file = JSON.stringify(await madeFile({ operation: 'create', content: BARN, record }));
  return {
    name: 'large',
    about: `a transaction over ${bytes} bytes`,
    kind: 'entity',
    file,
    content: pretty(BARN),
  };
}

/** Makes the vectors that are verified. */
export async function goodVectors(): Promise<readonly Vector[]> {
  const made = async (
    name: string,
    about: string,
    kind: Kind,
    parts: MadeFile,
    more: Partial<Vector> = {},
  ): Promise<Vector> => ({
    name,
    about,
    kind,
    file: pretty(await madeFile(parts)),
    content: pretty(parts.content),
    ...more,
  });
  const create = { operation: 'create', content: BARN } as const;
  const update = { operation: 'update', content: CHANGE, entityId: String(BARN['id']) } as const;
  const typed = (type: 1 | 2 | 3 | 4): MadeFile => ({
    ...create,
    record: { type },
    block: { size: 5, index: 3, moreFields: 6 },
  });
  const border = otherSignature(SMALLEST_X, ORDER / 2n);
  const created = await madeFile(create);
  return Promise.all([
    made('create', 'a creation in a block of one transaction', 'entity', create),
    made('create-2930', 'a transaction of EIP-2930', 'entity', typed(1)),
    made(
      'create-1559',
      'a transaction of EIP-1559, and a header with the fields of Prague',
      'entity',
      typed(2),
    ),
    made('create-4844', 'a transaction of EIP-4844', 'entity', typed(3)),
    made('create-7702', 'a transaction of EIP-7702', 'entity', typed(4)),
    made('create-qbft', 'a header of QBFT, without the seals of its validators', 'entity', {
      ...create,
      block: { qbft: true, moreFields: 1 },
    }),
    made('create-of-20', 'the first of 20 transactions', 'entity', { ...create, block: { size: 20 } }),
    made('create-second-event', 'the event is the second of the receipt', 'entity', {
      ...create,
      record: { logs: [[CONTRACT], [CONTRACT, topicOf(), assetIdOf(String(BARN['id'])), hashOf(BARN)]] },
    }),
    made(
      'create-odd',
      'content that programs write in different ways',
      'entity',
      { operation: 'create', content: JSON.parse(ODD_TEXT) as JsonObject },
      { content: ODD_TEXT },
    ),
    made(
      'deep-500',
      'content of 500 levels',
      'entity',
      { operation: 'create', content: JSON.parse(deepText(500)) as JsonObject },
      { content: deepText(500) },
    ),
    made(
      'numbers-with-fraction',
      'the file writes integers as 1.0, 1337e0, -0.0, and with a fraction that no double has',
      'entity',
      create,
      {
        file: pretty(await madeFile(create))
          .replace('"mirzamProof": 1', '"mirzamProof": 1.0')
          .replace('"chainId": 1337', '"chainId": 1337e0')
          .replace('"index": 0', '"index": -0.0')
          .replace('"number": 42', '"number": 42.00000000000000000001'),
      },
    ),
    made('fragment-with-id', 'the id in the fragment of an update does not matter', 'fragment', {
      ...update,
      content: { ...CHANGE, id: 'urn:ngsi-ld:Building:farm002' },
    }),
    made('empty-extension', 'an extension without digits is the root of the receipts', 'entity', {
      ...create,
      block: { extension: '0x00' },
    }),
    made('create-other-text', 'the same content in another order, with a byte order mark', 'entity', create, {
      content: `\uFEFF${JSON.stringify(Object.fromEntries(Object.entries(BARN).toReversed()))}`,
    }),
    made(
      'create-nanoseconds',
      'a header whose time is in nanoseconds, which are cut to milliseconds',
      'entity',
      {
        ...create,
        block: { time: 1_767_225_600_123_999_999n },
      },
    ),
    made('create-first-nanoseconds', 'the smallest time that is in nanoseconds', 'entity', {
      ...create,
      block: { time: 1_000_000_000_000_001n },
    }),
    made('create-border-signature', 'a signature with the smallest r and the largest s', 'entity', create, {
      file: pretty({ ...(await madeFile({ ...create, record: border.record })), from: border.from() }),
    }),
    made('create-64-levels', 'an item of the header is a list: 64 levels with the header', 'entity', create, {
      file: pretty({ ...created, block: nestedTo(64, created.block) }),
    }),
    made('create-expected-upper', 'contract and signer are given in upper case', 'entity', create, {
      expected: { contract: upper(CONTRACT), from: upper(SIGNER) },
    }),
    made('create-expected', 'block hash, contract and signer are given', 'entity', create, {
      expected: {
        blockHash: (await madeFile(create)).block.hash,
        contract: CONTRACT,
        from: SIGNER,
      },
    }),
    made('update', 'an update, of another chain', 'fragment', { ...update, chainId: 1 }),
    made('update-with-mark', 'the file of an update begins with a byte order mark', 'fragment', update, {
      file: `\uFEFF${pretty(await madeFile(update))}`,
    }),
    made('update-128-of-300', 'an index whose RLP has two bytes', 'fragment', {
      ...update,
      block: { size: 300, index: 128 },
    }),
    made('update-299-of-300', 'an index whose RLP has three bytes', 'fragment', {
      ...update,
      record: { type: 2 },
      block: { size: 300, index: 299 },
    }),
    made(
      'update-as-create',
      'an update whose fragment has the id of its entity, and the file says create: nothing on the chain says which',
      'entity',
      { ...update, content: BARN },
      { file: pretty({ ...(await madeFile({ ...update, content: BARN })), operation: 'create' }) },
    ),
    made('query', 'a query without a related entity', 'query', {
      operation: 'query',
      content: QUERY,
      entityId: 'urn:ngsi-ld:requestor:default',
      block: { size: 2, index: 1 },
    }),
    made('retrieve', 'a retrieval', 'query', {
      operation: 'retrieve',
      content: { attrs: 'name', entityId: BARN['id'] },
      entityId: String(BARN['id']),
      record: { type: 2 },
    }),
    made('batch-of-1', 'a batch of one entity: its proof is empty', 'entity', {
      ...create,
      operation: 'upsert',
      others: [],
    }),
    made('batch-of-2', 'a batch of two', 'entity', {
      ...create,
      operation: 'replace',
      others: neighbours(1),
    }),
    made('batch-of-3', 'a batch of three', 'entity', {
      ...create,
      operation: 'upsert',
      others: neighbours(2),
      record: { type: 2 },
    }),
    made('batch-of-100', 'a batch of a hundred', 'entity', {
      ...create,
      operation: 'replace',
      others: neighbours(99),
      block: { size: 40, index: 17 },
    }),
    made('notify', 'an entity of a notification, in a transaction of EIP-1559', 'entity', {
      ...create,
      operation: 'notify',
      others: neighbours(1),
      record: { type: 2 },
      block: { size: 3, index: 1, moreFields: 6 },
    }),
  ]);
}

function topicOf() {
  return '0xa3865c00e01495fc2b86502cae36a4edb139f748682e7d80725a3d6571a482fa' as const;
}
