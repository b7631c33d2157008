import { openChain } from '../../chain/open.js';
import type { Chain, Hex } from '../../chain/port.js';
import type { RecordVerdict } from '../shapes.js';
import type { Claim } from './claim.js';
import { verify } from './verify.js';

/** A chain opened for reading only. */
export type ReadChain = Pick<Chain, 'transaction' | 'receipt' | 'block' | 'close'>;

/** Opens a node for reading the transactions of any contract. The costs of new transactions do not matter. */
export function openForReading(url: string): Promise<ReadChain & Pick<Chain, 'id' | 'evidence'>> {
  const contract: Hex = `0x${'00'.repeat(20)}`;
  return openChain({ url, contract, gasPriceFactor: 1, gasLimit: undefined, finality: 1, now: Date.now });
}

/**
 * Checks a claim on a chain, and closes it. `insisted`: the contract that must have recorded it, in lower case. `proofs`: those
 * of the entries of a batch by the hash of their content, which are checked. Throws as `verify` does.
 */
export async function verifyOnChain(
  claim: Claim,
  chain: ReadChain,
  insisted: Hex | undefined,
  proofs: ReadonlyMap<Hex, readonly Hex[]>,
): Promise<RecordVerdict> {
  try {
    const contract = insisted ?? (await chain.transaction(claim.transactionHash))?.to ?? '0x';
    const storedProofs = async (): Promise<typeof proofs> => proofs;
    const verdict = await verify(claim, { chain: { ...chain, contract }, storedProofs });
    const { transactionHash } = claim;
    return { ...verdict, transactionHash, contract, contractFromTransaction: insisted === undefined };
  } finally {
    await chain.close();
  }
}
