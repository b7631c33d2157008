import { assetIdOf, hashOf } from '../../../src/ledger/content/content-hash.js';
import type { ProofFile } from '../../../src/library/proof.js';
import type { Hex } from '../../../src/system/chain-bytes.js';
import type { Field, MadeRecord } from './made-block.js';
import { BARN, type JsonObject, madeFile, type MadeFile, type Vector } from './vectors.js';

/** The entity of most vectors, its name in the contract and its hash; and another hash. */
export const ID = String(BARN['id']);
export const ASSET = assetIdOf(ID);
export const HASH = hashOf(BARN);
export const WORD: Hex = `0x${'ab'.repeat(32)}`;
/** Its creation, alone in a block and in one of 20. */
export const CREATE: MadeFile = { operation: 'create', content: BARN };
export const IN_20: MadeFile = { ...CREATE, block: { size: 20, index: 7 } };
type Change = (file: ProofFile) => object;

/** Returns a value as an indented text. */
export function textOf(value: JsonObject): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** A vector of a file that is verified without the change. */
export async function bad(
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

/** Makes a vector of a creation whose record has the fault. The block fits the record. */
export function made(
  step: string,
  name: string,
  about: string,
  record: Partial<MadeRecord>,
): Promise<Vector> {
  return bad(step, name, about, { ...CREATE, record });
}

/** Makes a vector of a creation whose receipt is in one node, which has the fault, or which is below an extension with these digits. */
export function node(
  name: string,
  about: string,
  receiptNode: (receipt: Uint8Array) => readonly Field[],
  extension?: Hex,
): Promise<Vector> {
  return bad('receipt', name, about, {
    ...CREATE,
    block: { receiptNode, ...(extension !== undefined && { extension }) },
  });
}
