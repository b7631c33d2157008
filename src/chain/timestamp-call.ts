import type { ChainReceipt, Hex } from './port.js';

/** The first four bytes of the keccak-256 of `timestamp(uint256,uint256)`. */
export const SELECTOR: Hex = '0xb97da33b';
/** The keccak-256 of `Timestamp(uint256,uint256)`: the first topic of the event. */
export const TOPIC: Hex = '0xa3865c00e01495fc2b86502cae36a4edb139f748682e7d80725a3d6571a482fa';

/** An event `Timestamp` of the contract. */
export interface Timestamp {
  /** 32 bytes. */
  readonly assetId: Hex;
  /** 32 bytes. */
  readonly hash: Hex;
  /** Address of the contract that emitted the event, in lower case. */
  readonly contract: Hex;
}

/**
 * The data of a call of the contract's `timestamp`. The arguments are 32 bytes each. Throws a `RangeError` for an argument
 * of another length. Every request makes one, so that no ABI encoder is used.
 */
export function timestampCall(assetId: Hex, hash: Hex): Hex {
  return `${SELECTOR}${word(assetId)}${word(hash)}`;
}

function word(value: Hex): string {
  if (!/^0x[\da-f]{64}$/.test(value)) {
    throw new RangeError(`An argument of timestamp has 32 bytes in lower case, not ${value.slice(0, 80)}`);
  }
  return value.slice(2);
}

/**
 * The events `Timestamp` in a receipt, in order: those of `contract`, or of any contract if that is undefined. A failed
 * transaction has none.
 */
export function timestampOf(receipt: ChainReceipt, contract: Hex | undefined): readonly Timestamp[] {
  if (receipt.status !== '0x1') return [];
  return receipt.logs.flatMap(({ address, topics }) => {
    const [topic, assetId, hash] = topics;
    if (topic !== TOPIC || assetId === undefined || hash === undefined || topics.length !== 3) return [];
    if (contract !== undefined && address !== contract) return [];
    return [{ assetId, hash, contract: address }];
  });
}
