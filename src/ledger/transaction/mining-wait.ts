import type { Chain, ChainReceipt, Hex } from '../../chain/port.js';

/** A wait for the block of a transaction, whichever of its signatures is mined. */
export interface MiningWait {
  /** Rejects with the reason of `stop`. */
  readonly receipt: Promise<ChainReceipt>;
  stop(reason: Error): void;
}

/** Waits for the block of any of these hashes under `confirmations` blocks; `unsent` as in `Chain.mined`. */
export function miningWait(
  chain: Pick<Chain, 'mined'>,
  hashes: readonly Hex[],
  confirmations: number,
  unsent?: 'unsent',
): MiningWait {
  const waits = hashes.map((hash) => chain.mined(hash, confirmations, unsent));
  const [only] = waits;
  const receipt = waits.length === 1 ? only!.receipt : Promise.race(waits.map((wait) => wait.receipt));
  const stop = (reason: Error): void => waits.forEach((wait) => wait.stop(reason));
  // A wait that was stopped, or lost the race, rejects without a reader.
  for (const wait of waits) wait.receipt.catch(() => undefined);
  receipt.catch(() => undefined);
  return { receipt, stop };
}
