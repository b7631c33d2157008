import { isLacking } from './block-source.js';
import { malformed, NodeError } from './exchange.js';
import type { BlockEvidence, EvidentBlock, Hex } from './port.js';
import { orUnavailable, type RpcCall } from './rpc-batcher.js';

/** Raw transactions by their hashes. */
type Known = ReadonlyMap<Hex, Hex>;

/** The types of transactions whose bytes can be made of their JSON: EIP-155, 2930, 1559, 4844, 7702. */
const READ_TYPES = new Set<unknown>(['0x0', '0x1', '0x2', '0x3', '0x4']);

/**
 * Returns the function that reads a block by its hash, so that no reorganisation mixes two blocks; undefined if the node
 * does not have it. If `known` has all transactions of the block, the node is asked for its header and receipts alone.
 * Throws `ChainUnavailable`.
 */
export function evidenceReader(call: RpcCall) {
  const surely = orUnavailable(call);
  const lacking = new Set<string>();

  /** The result of a method; undefined if the node lacks the method, or refuses this call. */
  const optionally = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    if (lacking.has(method)) return undefined;
    try {
      return (await call(method, params)) ?? undefined;
    } catch (error) {
      if (isLacking(error)) lacking.add(method);
      if (!(error instanceof NodeError)) throw error;
      return undefined;
    }
  };

  const oneByOne = (block: EvidentBlock): Promise<readonly unknown[]> =>
    Promise.all(block.transactions.map(({ hash }) => surely('eth_getTransactionReceipt', [hash])));

  const rawTransactions = async ({ transactions }: EvidentBlock): Promise<Record<Hex, unknown>> => {
    const raws = transactions
      .filter(needsRaw)
      .map(async ({ hash }): Promise<[Hex, unknown]> => [
        hash as Hex,
        await optionally('debug_getRawTransaction', hash),
      ]);
    return Object.fromEntries(await Promise.all(raws)) as Record<Hex, unknown>;
  };

  const headerAndReceipts = async (blockHash: Hex): Promise<HeaderAndReceipts> => {
    const [receipts, rawHeader, rawReceipts] = await Promise.all([
      optionally('eth_getBlockReceipts', blockHash),
      optionally('debug_getRawHeader', blockHash),
      optionally('debug_getRawReceipts', blockHash),
    ]);
    return { receipts: Array.isArray(receipts) ? receipts : undefined, rawHeader, rawReceipts };
  };

  /** The block with the hashes of its transactions; undefined if `known` lacks one of them. */
  const knownBlock = async (blockHash: Hex, known: Known): Promise<EvidentBlock | undefined> => {
    const json = (await surely('eth_getBlockByHash', [blockHash, false])) as EvidentBlock | null;
    const hashes: unknown = json?.transactions;
    if (!Array.isArray(hashes) || !hashes.every((hash) => known.has(hash as Hex))) return undefined;
    return { ...json, transactions: hashes.map((hash: Hex) => ({ hash })) };
  };

  const wholeBlock = async (
    blockHash: Hex,
    others: Promise<HeaderAndReceipts>,
  ): Promise<BlockEvidence | undefined> => {
    const [json, rawBlock, { receipts, rawHeader, rawReceipts }] = await Promise.all([
      surely('eth_getBlockByHash', [blockHash, true]),
      optionally('debug_getRawBlock', blockHash),
      others,
    ]);
    if (json === null) return undefined;
    const block = evidentBlock(json);
    return {
      block,
      receipts: receipts ?? (await oneByOne(block)),
      raw: {
        block: rawBlock,
        header: rawHeader,
        receipts: rawReceipts,
        transactions: rawBlock === undefined ? await rawTransactions(block) : {},
      },
    };
  };

  // The requests of a `Promise.all` go in one batch.
  return async (blockHash: Hex, known?: Known): Promise<BlockEvidence | undefined> => {
    if (known === undefined) return wholeBlock(blockHash, headerAndReceipts(blockHash));
    const [block, others] = await Promise.all([knownBlock(blockHash, known), headerAndReceipts(blockHash)]);
    const { receipts, rawHeader, rawReceipts } = others;
    if (block === undefined || receipts === undefined) return wholeBlock(blockHash, Promise.resolve(others));
    const transactions = Object.fromEntries(known) as Record<Hex, Hex>;
    return { block, receipts, raw: { header: rawHeader, receipts: rawReceipts, transactions } };
  };
}

/** What a node says of a block without its transactions; undefined where it lacks the method. */
interface HeaderAndReceipts {
  readonly receipts: readonly unknown[] | undefined;
  readonly rawHeader: unknown;
  readonly rawReceipts: unknown;
}

/** Anvil shows the blobs of a transaction, and makes them part of the bytes that the block hashes. */
function needsRaw({ type, blobs }: EvidentBlock['transactions'][number]): boolean {
  return !READ_TYPES.has(type ?? '0x0') || blobs !== undefined;
}

function evidentBlock(json: unknown): EvidentBlock {
  const { transactions } = json as { readonly transactions?: unknown };
  const areObjects =
    Array.isArray(transactions) && transactions.every((one) => typeof one === 'object' && one !== null);
  if (!areObjects) throw malformed('a block without its transactions');
  return json as EvidentBlock;
}
