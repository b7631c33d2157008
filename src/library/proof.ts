import { assetIdOf, hashOf } from '../ledger/content/content-hash.js';
import { rootOf } from '../ledger/content/merkle.js';
import { claimOf } from '../ledger/verify/claim.js';
import { openForReading, verifyOnChain } from '../ledger/verify/verify-on-chain.js';
import {
  type AnsweredReceipt,
  makeProof as proofOf,
  type ProvenEntity,
} from '../ledger/proofs/make-proof.js';
import type {
  ProofExpectations,
  ProofStep,
  ProofVerdict,
  ProvenRecord,
} from '../ledger/proof-file/proof-verdict.js';
import { type GivenContent, verifyFile } from '../ledger/proof-file/verify-file.js';
import type { ProofFile, RecordVerdict } from '../ledger/shapes.js';

export type {
  AnsweredReceipt,
  GivenContent,
  ProofExpectations,
  ProofFile,
  ProofStep,
  ProofVerdict,
  ProvenRecord,
  RecordVerdict,
};

/** 0x and hexadecimal digits. */
export type Hex = `0x${string}`;

const HASH = /^0x[\da-f]{64}$/i;
const ADDRESS = /^0x[\da-f]{40}$/i;

/**
 * Returns the hash that the chain stores for content: keccak-256 of the canonical form (RFC 8785) of a JSON value. Throws an
 * `Error` that names every part without a canonical form.
 */
export function contentHash(content: unknown): Hex {
  return hashOf(content);
}

/** Returns the name that the contract has for an entity: keccak-256 of its id. */
export function assetId(entityId: string): Hex {
  return assetIdOf(entityId);
}

/**
 * Returns the root of the batch to which the proof leads from an entity with this hash. The batch has the entity if its
 * transaction has recorded this root. Throws a `TypeError` for another text than hashes of 32 bytes.
 */
export function batchRoot(entityHash: Hex, proof: readonly Hex[]): Hex {
  const wrong = [entityHash, ...proof].find((hash) => !HASH.test(hash));
  if (wrong !== undefined) throw new TypeError(`a hash must be 0x and 64 hexadecimal digits, not ${wrong}`);
  return rootOf(entityHash, proof);
}

/** Where a record is looked for. */
export interface RecordOptions {
  /** The JSON-RPC address of a node of the chain: http, https, ws or wss. */
  readonly rpc: string;
  /** The contract that must have recorded the content. By default the one that the transaction calls. */
  readonly contract?: Hex;
}

/**
 * Checks on a chain, without the service, whether a transaction has recorded some content. `claim` is a body of `POST
 * /ledger/verify`: `transactionHash` with `entity` and optionally `proof`, `entities`, `entityId` and `fragment`, or
 * `query`. Throws an `Error` if the claim cannot be used, the chain does not know the transaction, or the node does not
 * answer.
 */
export async function verifyRecord(claim: unknown, { rpc, contract }: RecordOptions): Promise<RecordVerdict> {
  checkAddress(rpc);
  if (contract !== undefined && !ADDRESS.test(contract)) {
    throw new TypeError('contract must be an address: 0x and 40 hexadecimal digits');
  }
  const checked = claimOf(claim);
  return verifyOnChain(checked, await openForReading(rpc), lower(contract), new Map());
}

function checkAddress(rpc: string): void {
  if (URL.canParse(rpc) && /^(?:http|ws)s?:$/.test(new URL(rpc).protocol)) return;
  throw new TypeError('rpc must be the http, https, ws or wss URL of a node of the chain');
}

/** What a proof file is made of. */
export interface MakeProofOptions extends ProvenEntity {
  /** The JSON-RPC address of a node of the chain: http, https, ws or wss. It must still have the block. */
  readonly rpc: string;
}

/**
 * Makes a proof file, which proves an entity of an operation under the hash of a block without the service and without a node.
 * `receipt` is the receipt as the service answered it, of a batch with its `entities`. The service makes the same file at
 * `GET /ledger/proofs/{transactionHash}`. Throws an `Error` that says why none can be made.
 */
export async function makeProof(receipt: AnsweredReceipt, options: MakeProofOptions): Promise<ProofFile> {
  const { rpc, ...entity } = options;
  checkAddress(rpc);
  const chain = await openForReading(rpc);
  try {
    return await proofOf(receipt, entity, chain);
  } finally {
    await chain.close();
  }
}

/**
 * Verifies a proof file for content without the service and without a node (docs/proofs.md). `content` is `{ entity }`, `{
 * fragment }` of an update, or `{ query }`. The file and the content are JSON texts, their bytes, or parsed values; texts are
 * read more strictly: two members of one name and integers beyond 2^53-1 are refused. What is `expected` is compared. The
 * verdict has each step up to the first that fails. Throws a `TypeError` for expectations that are no hash and no address.
 */
export function verifyProof(
  file: unknown,
  content: GivenContent,
  expected: ProofExpectations = {},
): ProofVerdict {
  const { blockHash, contract, from } = expected;
  if (blockHash !== undefined && !HASH.test(blockHash))
    throw new TypeError('blockHash must be a hash: 0x and 64 hexadecimal digits');
  for (const [name, address] of Object.entries({ contract, from }))
    if (address !== undefined && !ADDRESS.test(address))
      throw new TypeError(`${name} must be an address: 0x and 40 hexadecimal digits`);
  return verifyFile(file, content, {
    blockHash: lower(blockHash),
    contract: lower(contract),
    from: lower(from),
  });
}

function lower(hex: Hex | undefined): Hex | undefined {
  return hex?.toLowerCase() as Hex | undefined;
}
