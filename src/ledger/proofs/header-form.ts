import { RLP } from '@ethereumjs/rlp';
import { type Hex, hexOf, keccak } from '../../system/chain-bytes.js';
import { hashedForms } from './extra-data.js';
import { bytesIn, bytesOf, type Members, quantityIn, UnknownForm } from './json-fields.js';
import { rlpOf } from '../proof-file/rlp-bytes.js';

type Read = (members: Members, name: string) => Uint8Array;

const hash: Read = (members, name) => bytesIn(members, name, 32);
const text: Read = (members, name) => bytesIn(members, name);

/** The fields of a header that every fork has (yellow paper, 4.4), in order. */
const FIELDS: readonly (readonly [name: string, read: Read])[] = [
  ['parentHash', hash],
  ['sha3Uncles', hash],
  ['miner', (members, name) => bytesIn(members, name, 20)],
  ['stateRoot', hash],
  ['transactionsRoot', hash],
  ['receiptsRoot', hash],
  ['logsBloom', (members, name) => bytesIn(members, name, 256)],
  ['difficulty', quantityIn],
  ['number', quantityIn],
  ['gasLimit', quantityIn],
  ['gasUsed', quantityIn],
  ['timestamp', quantityIn],
  ['extraData', text],
  ['mixHash', hash],
  ['nonce', (members, name) => bytesIn(members, name, 8)],
];

const EXTRA_DATA = FIELDS.findIndex(([name]) => name === 'extraData');
const MIX_HASH = FIELDS.findIndex(([name]) => name === 'mixHash');

/** The fields that later forks append, in order: EIP-1559, 4895, 4844 (two), 4788, 7685, 7928, 7843. */
const APPENDED: readonly (readonly [name: string, read: Read])[] = [
  ['baseFeePerGas', quantityIn],
  ['withdrawalsRoot', hash],
  ['blobGasUsed', quantityIn],
  ['excessBlobGas', quantityIn],
  ['parentBeaconBlockRoot', hash],
  ['requestsHash', hash],
  ['blockAccessListHash', hash],
  ['slotNumber', quantityIn],
];

/** A header as the chain hashes it. */
export interface Header {
  readonly rlp: Uint8Array;
  readonly transactionsRoot: Hex;
  readonly receiptsRoot: Hex;
}

/**
 * Returns the header with this hash: one of the raw forms, or the one made of the block's JSON. The number of fields is the
 * one that gives the hash, since some nodes answer with fields of forks that a chain does not have. The form of `extraData` is
 * found in the same way. Throws `UnknownForm` if none gives the hash.
 */
export function headerOf(blockHash: Hex, block: Members, raws: readonly unknown[]): Header {
  for (const raw of raws) {
    const rlp = typeof raw === 'string' ? bytesOf(raw, 'raw header') : raw;
    if (rlp instanceof Uint8Array && hexOf(keccak(rlp)) === blockHash) return rootsIn(rlp);
  }
  const fields = FIELDS.map(([name, read]) => read(block, name));
  const missing = APPENDED.findIndex(([name]) => (block[name] ?? null) === null);
  const appended = missing === -1 ? APPENDED : APPENDED.slice(0, missing);
  const all = [...fields, ...appended.map(([name, read]) => read(block, name))];
  for (const extraData of hashedForms(all[EXTRA_DATA]!, all[MIX_HASH]!)) {
    const form = all.with(EXTRA_DATA, extraData);
    for (let count = all.length; count >= FIELDS.length; count -= 1) {
      const rlp = rlpOf(form.slice(0, count));
      if (hexOf(keccak(rlp)) === blockHash) return rootsIn(rlp);
    }
  }
  throw new UnknownForm(
    `a header of a form that is not known: no number of its fields gives the hash ${blockHash}`,
  );
}

function rootsIn(rlp: Uint8Array): Header {
  const fields = RLP.decode(rlp);
  const [transactionsRoot, receiptsRoot] = [fields[4], fields[5]];
  if (!(transactionsRoot instanceof Uint8Array && receiptsRoot instanceof Uint8Array)) {
    throw new UnknownForm('a header without roots');
  }
  return { rlp, transactionsRoot: hexOf(transactionsRoot), receiptsRoot: hexOf(receiptsRoot) };
}
