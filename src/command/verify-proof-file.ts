import type { Hex } from '../chain/port.js';
import { jsonOf } from '../untrusted/json.js';
import { proofText } from '../ledger/proof-file/proof-text.js';
import { verifyFile } from '../ledger/proof-file/verify-file.js';
import type { CommandStreams, ExitCode } from './context.js';
import { bytesOf } from './files.js';

/** Options of a verification, as the parser gives them. */
export interface ProofFileOptions {
  readonly rpc?: string;
  readonly transaction?: string;
  readonly receipt?: string;
  readonly contract?: string;
  readonly entity?: string;
  readonly entityId?: string;
  readonly fragment?: string;
  readonly query?: string;
  readonly relatedEntity?: string;
  readonly blockHash?: string;
  readonly from?: string;
  readonly json?: true;
}

/** Options that a verification without a node does not have: a proof file has all of it. */
const OF_A_CHAIN = {
  rpc: '--rpc',
  transaction: '--transaction',
  receipt: '--receipt',
  entityId: '--entity-id',
  relatedEntity: '--related-entity',
} as const;

/**
 * Returns true if --proof names a proof file, and not the proof of an entity in its batch, an array. Throws an `Error` if it is
 * one, and an option is for a chain.
 */
export function isProofFile(proof: Buffer | undefined, options: ProofFileOptions): proof is Buffer {
  if (proof === undefined) return false;
  const value = jsonOf(proof.toString('utf8'));
  if (Array.isArray(value)) return false;
  const given = Object.entries(OF_A_CHAIN).find(
    ([name]) => options[name as keyof typeof OF_A_CHAIN] !== undefined,
  );
  if (given === undefined) return true;
  // Not JSON: what reads the proof of a batch says where.
  if (value === undefined) return false;
  throw new Error(
    `leave ${given[1]} out: --proof names a proof file, which needs no node and names its entity`,
  );
}

/** Verifies a proof file, and prints each step. Asks nobody. */
export async function verifyProofFile(
  proof: Buffer,
  options: ProofFileOptions,
  { stdin, stdout }: CommandStreams,
): Promise<ExitCode> {
  const expected = {
    blockHash: hexOf('--block-hash', 64, options.blockHash),
    contract: hexOf('--contract', 40, options.contract),
    from: hexOf('--from', 40, options.from),
  };
  const { entity, fragment, query } = options;
  const read = async (name: string | undefined): Promise<Buffer | undefined> =>
    name === undefined ? undefined : await bytesOf(name, stdin);
  const content = {
    entity: await read(entity),
    fragment: await read(fragment),
    query: await read(query),
  };
  const verdict = verifyFile(proof, content, expected);
  stdout.write(options.json === true ? `${JSON.stringify(verdict, undefined, 2)}\n` : proofText(verdict));
  return verdict.verified ? 0 : 1;
}

/** Returns a given value of so many digits, in lower case. Throws an `Error` that names the option. */
function hexOf(option: string, digits: number, text: string | undefined): Hex | undefined {
  if (text === undefined) return undefined;
  if (new RegExp(`^0x[\\da-f]{${digits}}$`, 'i').test(text)) return text.toLowerCase() as Hex;
  throw new Error(`${option} must be 0x and ${digits} hexadecimal digits`);
}
