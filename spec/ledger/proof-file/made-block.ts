import { RLP } from '@ethereumjs/rlp';
import secp256k1 from 'secp256k1';
import { blockTrie } from '../../../src/ledger/proofs/block-trie.js';
import type { ProofFile } from '../../../src/library/proof.js';
import { type Hex, hexOf, keccak } from '../../../src/system/chain-bytes.js';

/** A signature of ECDSA. `parity`: of y. */
export type Signature = readonly [parity: bigint, r: bigint, s: bigint];
export type Field = Parameters<typeof RLP.encode>[0];

/** The contract of these blocks, and another one. */
export const CONTRACT: Hex = `0x${'c0'.repeat(20)}`;
export const OTHER_CONTRACT: Hex = `0x${'0c'.repeat(20)}`;
const KEY = Buffer.alloc(32, 0x46);
/** The account that signs. */
export const SIGNER = accountOf(secp256k1.publicKeyCreate(KEY, false));
export const TOPIC = hexOf(keccak('Timestamp(uint256,uint256)'));
const SELECTOR = hexOf(keccak('timestamp(uint256,uint256)')).slice(0, 10);
/** The order n of the curve. */
export const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A transaction that records. Without the other members it is a usual one. */
export interface MadeRecord {
  readonly assetId: Hex;
  readonly hash: Hex;
  /** Of the transaction; 0 for a legacy one, which is signed for its chain unless `anyChain`. */
  readonly type?: 0 | 1 | 2 | 3 | 4;
  readonly chainId?: number;
  readonly anyChain?: boolean;
  /** The higher one of the two possible values of `s`. */
  readonly highS?: boolean;
  /** v as the signature of a transaction with a type has it, instead of the parity. */
  readonly v?: Field;
  /** What it calls. */
  readonly to?: Field;
  readonly data?: Field;
  /** Its access list, with type 1 or 3. */
  readonly access?: Field;
  readonly status?: 0 | 1 | 2;
  readonly receiptType?: number;
  /** The type byte of the transaction and of its receipt, instead of their type. */
  readonly typeByte?: number;
  /** Bytes after the transaction. */
  readonly tail?: Hex;
  /** Signs a digest with other numbers than the key of `SIGNER`. */
  readonly sign?: (digest: bigint) => Signature;
  /** The addresses and topics of the logs. */
  readonly logs?: readonly (readonly Hex[])[];
  /** A log after them, of any form. */
  readonly lastLog?: Field;
  /** Items that there should not be, in the transaction before its signature, in the receipt, and in each log. */
  readonly more?: { readonly transaction?: Hex; readonly receipt?: Hex; readonly log?: Hex };
}

/** A block with one such transaction, and others. */
export interface MadeBlock {
  readonly record: MadeRecord;
  readonly index?: number;
  /** All transactions of the block. */
  readonly size?: number;
  readonly number?: number;
  /** As the header has it. */
  readonly time?: bigint;
  /** The header is that of a QBFT network. */
  readonly qbft?: boolean;
  /** More fields of the header than 15. */
  readonly moreFields?: number;
  /** The number as the header has it. */
  readonly numberField?: Hex;
  /** Makes the only node of the trie of receipts from the receipt. */
  readonly receiptNode?: (receipt: Uint8Array) => readonly Field[];
  /** Puts an extension with these digits above the trie of receipts. */
  readonly extension?: Hex;
  /** Where the transaction is in the block, if its receipt is elsewhere. */
  readonly transactionAt?: number;
}

/** extraData of four validators without their seals, as the hash of a block covers it, and mixHash. */
const QBFT = [
  RLP.encode([new Uint8Array(32), [1, 2, 3, 4].map((digit) => Buffer.alloc(20, digit)), [], 0n, []]),
  '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
] as const;

/** The parts of a file that its block gives. */
export type InBlock = Pick<ProofFile, 'block' | 'transaction' | 'receipt'>;

/** Makes a block, always the same of the same parts, and proves the transaction in it. */
export async function madeBlock({
  record,
  index = 0,
  size = 1,
  number = 42,
  time = 1_767_225_600n,
  qbft = false,
  moreFields = 0,
  numberField,
  receiptNode,
  extension,
  transactionAt = index,
}: MadeBlock): Promise<InBlock> {
  const records = Array.from({ length: size }, (_, i): MadeRecord => {
    const other: Hex = `0x${i.toString(16).padStart(64, '0')}`;
    return i === index ? record : { assetId: other, hash: other, type: (i % 3) as 0 | 1 | 2 };
  });
  const [transactions, receipts] = await Promise.all([
    blockTrie(swapped(records, index, transactionAt).map((one, nonce) => transactionOf(one, nonce))),
    blockTrie(records.map(receiptOf)),
  ]);
  const node = receiptNode && RLP.encode([...receiptNode(receiptOf(record))]);
  const nodes = node === undefined ? receipts.proofs[index]! : [node];
  const way = extension === undefined ? nodes : [RLP.encode([extension, keccak(nodes[0]!)]), ...nodes];
  const receiptsRoot = keccak(way[0]!);
  const zeros = (length: number): Uint8Array => new Uint8Array(length);
  const hashes = [zeros(32), zeros(32), zeros(20), zeros(32), transactions.root, receiptsRoot, zeros(256)];
  const [extraData, mixHash] = qbft ? QBFT : [zeros(0), zeros(32)];
  const numbers = [0n, numberField ?? BigInt(number), 30_000_000n, 21_000n, time];
  const rest = [...numbers, extraData, mixHash, zeros(8)];
  const header = RLP.encode([
    ...hashes,
    ...rest,
    ...Array.from({ length: moreFields }, (_, i) => BigInt(i + 7)),
  ]);
  return {
    block: { number, hash: hexOf(keccak(header)), header: hexOf(header) },
    transaction: { index, proof: transactions.proofs[transactionAt]!.map(hexOf) },
    receipt: { proof: way.map(hexOf) },
  };
}

function swapped<T>(all: readonly T[], one: number, other: number): readonly T[] {
  return all.with(one, all[other]!).with(other, all[one]!);
}

function transactionOf(record: MadeRecord, nonce: number): Uint8Array {
  const { type = 0, chainId = 1337, to = CONTRACT, assetId, hash } = record;
  const data = record.data ?? `${SELECTOR}${assetId.slice(2)}${hash.slice(2)}`;
  const [chain, count, fee, gas, value] = [BigInt(chainId), BigInt(nonce), 1_000n, 50_000n, 0n];
  const access: Field = record.access ?? [[CONTRACT, [hash]]];
  const call: Field[] = [gas, to, value, data];
  const fields: readonly Field[][] = [
    [count, fee, ...call],
    [chain, count, fee, ...call, access],
    [chain, count, fee, fee, ...call, []],
    [chain, count, fee, fee, ...call, access, fee, [hash]],
    [chain, count, fee, fee, ...call, [], [[chain, CONTRACT, count, 0n, 1n, 1n]]],
  ];
  const own = [...fields[type]!, ...itemsOf(record.more?.transaction)];
  if (type > 0) {
    const [parity, r, s] = signatureOf(withType(type, RLP.encode(own)), record);
    return valueOf(record, type, [...own, record.v ?? parity, r, s]);
  }
  const isAny = record.anyChain === true;
  const [parity, r, s] = signatureOf(RLP.encode(isAny ? own : [...own, chain, 0n, 0n]), record);
  return valueOf(record, type, [...own, parity + (isAny ? 27n : 35n + 2n * chain), r, s]);
}

function receiptOf(record: MadeRecord): Uint8Array {
  const { type = 0, receiptType = type, status = 1, assetId, hash, more } = record;
  const logs = (record.logs ?? [[CONTRACT, TOPIC, assetId, hash]]).map(([address, ...topics]): Field => [
    address,
    topics,
    '0x',
    ...itemsOf(more?.log),
  ]);
  const allLogs = record.lastLog === undefined ? logs : [...logs, record.lastLog];
  const fields: Field[] = [BigInt(status), 30_000n, new Uint8Array(256), allLogs, ...itemsOf(more?.receipt)];
  return valueOf({ typeByte: record.typeByte }, receiptType, fields);
}

/** Makes the value of a trie. */
function valueOf(
  { typeByte, tail = '0x' }: { readonly typeByte?: number | undefined; readonly tail?: Hex },
  type: number,
  fields: Field[],
): Uint8Array {
  const list = RLP.encode(fields);
  const value =
    typeByte === undefined ? withType(type, list) : Buffer.concat([Uint8Array.of(typeByte), list]);
  return Buffer.concat([value, Buffer.from(tail.slice(2), 'hex')]);
}

function itemsOf(item: Hex | undefined): readonly Hex[] {
  return item === undefined ? [] : [item];
}

function signatureOf(message: Uint8Array, { highS, sign }: MadeRecord): Signature {
  if (sign !== undefined) return sign(BigInt(hexOf(keccak(message))));
  const { signature, recid } = secp256k1.ecdsaSign(keccak(message), KEY);
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map((half) => BigInt(hexOf(half)));
  return highS === true ? [BigInt(1 - recid), r!, ORDER - s!] : [BigInt(recid), r!, s!];
}

function withType(type: number, rlp: Uint8Array): Uint8Array {
  return type === 0 ? rlp : Buffer.concat([Uint8Array.of(type), rlp]);
}

/** Returns the account of 65 bytes of a public key. */
export function accountOf(key: Uint8Array): Hex {
  return hexOf(keccak(key.subarray(1)).subarray(12));
}
