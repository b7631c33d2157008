import { RLP } from '@ethereumjs/rlp';
import type { BlockEvidence, Hex } from '../../chain/port.js';
import { TOPIC } from '../../chain/timestamp-call.js';
import type { Item } from '../proof-file/bytes.js';
import { type BlockTrie, blockTrie } from './block-trie.js';
import { headerOf } from './header-form.js';
import { bytesOf, isMembers, type Members, quantityIn, UnknownForm } from './json-fields.js';
import { eventReceiptBytes, receiptBytes } from './receipt-form.js';
import { rlpOf } from '../proof-file/rlp-bytes.js';
import { transactionBytes } from './transaction-form.js';

/** What proves transactions of a block and their receipts under the block's hash. */
export interface BlockProofs {
  /** The header as the chain hashes it. */
  readonly header: Uint8Array;
  /** The transactions whose receipts have the event of a contract that they called. */
  readonly transactions: readonly TransactionProof[];
}

/** The `cumulativeGasUsed` of receipts by the hashes of their transactions. */
export type GasUsed = Readonly<Record<Hex, unknown>>;

/** The nodes of the tries from the roots in the header to the leaves of a transaction and of its receipt. */
export interface TransactionProof {
  readonly index: number;
  /** The bytes of the transaction. */
  readonly bytes: Uint8Array;
  readonly transaction: readonly Uint8Array[];
  readonly receipt: readonly Uint8Array[];
}

/** The event of the contract has these first bytes in the receipt's RLP: the 32 bytes of its first topic. */
const EVENT = Buffer.from(TOPIC.slice(2), 'hex');

/**
 * Proves the transactions of a block that recorded something. Every byte is checked: the header gives the hash, the tries
 * give its roots. Throws `UnknownForm` if the evidence does not lead there in any known form. `gas` is for evidence without
 * receipts: each of them has the event of its call alone.
 */
export async function blockProofs(
  blockHash: Hex,
  evidence: BlockEvidence,
  gas: GasUsed = {},
): Promise<BlockProofs> {
  const { block, raw } = evidence;
  const rawBlock = decodedBlock(raw.block);
  const header = headerOf(blockHash, block, [rawBlock?.header, raw.header]);
  const transactions = await firstWith(header.transactionsRoot, 'transactions', [
    () => rawBlock?.transactions,
    () => block.transactions.map((tx) => rawOf(tx, raw) ?? transactionBytes(tx)),
  ]);
  const receipts = await firstWith(header.receiptsRoot, 'receipts', [
    () => rawReceipts(raw.receipts),
    () =>
      evidence.receipts === undefined
        ? eventReceipts(block.transactions, transactions.values, gas)
        : inOrder(blockHash, block.transactions, evidence.receipts).map(receiptBytes),
  ]);
  const proofs: TransactionProof[] = [];
  for (const [index, receipt] of receipts.values.entries()) {
    if (!Buffer.from(receipt.buffer, receipt.byteOffset, receipt.byteLength).includes(EVENT)) continue;
    proofs.push({
      index,
      bytes: transactions.values[index]!,
      transaction: transactions.trie.proofs[index]!,
      receipt: receipts.trie.proofs[index]!,
    });
  }
  return { header: header.rlp, transactions: proofs };
}

type Values = readonly Uint8Array[];

/** Returns the first values whose trie has the root. Throws the reason of the last that has not. */
async function firstWith(
  root: Hex,
  what: string,
  sources: readonly (() => Values | undefined)[],
): Promise<{ readonly values: Values; readonly trie: BlockTrie }> {
  let reason: UnknownForm | undefined;
  for (const source of sources) {
    try {
      const values = source();
      if (values === undefined) continue;
      const trie = await blockTrie(values);
      if (trie.root === root) return { values, trie };
      reason = new UnknownForm(
        `${what} of a form that is not known: their root is not the one in the header`,
      );
    } catch (error) {
      if (!(error instanceof UnknownForm)) throw error;
      reason = error;
    }
  }
  throw reason ?? new UnknownForm(`${what} that the node does not give`);
}

/** The raw form of a transaction, where the node was asked for it. Throws `UnknownForm`. */
function rawOf(tx: Members, { transactions = {} }: BlockEvidence['raw']): Uint8Array | undefined {
  const raw = transactions[tx['hash'] as Hex];
  return raw === undefined ? undefined : bytesOf(raw, 'raw transaction');
}

/** The receipts in the order of their transactions. */
function inOrder(
  blockHash: Hex,
  transactions: readonly Members[],
  receipts: readonly unknown[],
): readonly Members[] {
  const byHash = new Map(receipts.filter(isMembers).map((receipt) => [receipt['transactionHash'], receipt]));
  return transactions.map(({ hash }) => {
    const receipt = byHash.get(hash);
    if (receipt?.['blockHash'] !== blockHash)
      throw new UnknownForm(`no receipt of ${String(hash)} in the block`);
    return receipt;
  });
}

/** The receipts of transactions that caused the event of their call alone. */
function eventReceipts(transactions: readonly Members[], bytes: Values, gas: GasUsed): Values {
  return transactions.map(({ hash }, index) =>
    eventReceiptBytes(bytes[index]!, quantityIn(gas, hash as Hex)),
  );
}

function rawReceipts(raw: unknown): Values | undefined {
  return Array.isArray(raw) ? raw.map((one) => bytesOf(one, 'raw receipt')) : undefined;
}

/** The header and the transactions in the RLP of a block. */
function decodedBlock(
  raw: unknown,
): { readonly header: Uint8Array; readonly transactions: Values } | undefined {
  if (typeof raw !== 'string') return undefined;
  let fields: unknown;
  try {
    fields = RLP.decode(bytesOf(raw, 'raw block'));
  } catch {
    // The JSON has the same.
    return undefined;
  }
  const [header, transactions] = Array.isArray(fields) ? (fields as unknown[]) : [];
  if (!Array.isArray(header) || !Array.isArray(transactions)) return undefined;
  return {
    header: rlpOf(header as Item[]),
    // One with a type is bytes in a list, a legacy one a list.
    transactions: (transactions as Item[]).map((tx) => (tx instanceof Uint8Array ? tx : rlpOf(tx))),
  };
}
