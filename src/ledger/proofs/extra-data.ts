import { RLP } from '@ethereumjs/rlp';
import { hexOf } from '../../system/chain-bytes.js';
import type { Item } from '../proof-file/bytes.js';
import { rlpOf } from '../proof-file/rlp-bytes.js';

/** The mixHash of every header of IBFT, IBFT 2.0 and QBFT: a hash of the name of their algorithm. */
const BFT = '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365';
/** Bytes in front of the list in extraData of IBFT. */
const VANITY = 32;
const NOTHING = new Uint8Array();

/**
 * Returns extraData in each form that the hash of a block may cover; first as the node gives it. Validators of BFT networks
 * seal a block by signing its hash. So the hash covers neither their seals nor the round in which they agreed.
 */
export function hashedForms(extraData: Uint8Array, mixHash: Uint8Array): readonly Uint8Array[] {
  return hexOf(mixHash) === BFT ? [extraData, ...withoutSeals(extraData)] : [extraData];
}

function withoutSeals(extraData: Uint8Array): readonly Uint8Array[] {
  const [vanity, validators, vote, round] = itemsOf(extraData);
  if (round !== undefined) {
    const kept = [vanity, validators, vote] as Item[];
    // QBFT of Besu; IBFT 2.0 and QBFT of GoQuorum.
    return [rlpOf([...kept, NOTHING, []]), rlpOf(kept)];
  }
  const [own, proposerSeal] = itemsOf(extraData.subarray(VANITY));
  if (proposerSeal === undefined) return [];
  // IBFT of GoQuorum.
  return [Buffer.concat([extraData.subarray(0, VANITY), rlpOf([own!, proposerSeal, []])])];
}

/** The items of a list in RLP; none for other bytes. */
function itemsOf(bytes: Uint8Array): readonly Item[] {
  try {
    const decoded = RLP.decode(bytes);
    return Array.isArray(decoded) ? decoded : [];
  } catch {
    return [];
  }
}
