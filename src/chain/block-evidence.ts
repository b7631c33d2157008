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
 * does not have it. `known`: raw transactions by their hashes. If they are all of the block, the node is asked for its header
 * and receipts alone. Throws `ChainUnavailable`.
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

  /** The block if `known` has all its transactions. */
  const knownBlock = async (blockHash: Hex, known: Known): Promise<BlockEvidence | undefined> => {
    const [json, receipts, header, rawReceipts] = await Promise.all([
      surely('eth_getBlockByHash', [blockHash, false]),
      optionally('eth_getBlockReceipts', blockHash),
      optionally('debug_getRawHeader', blockHash),
      optionally('debug_getRawReceipts', blockHash),
    ]);
    const hashes = (json as { readonly transactions?: unknown } | null)?.transactions;
    if (!Array.isArray(hashes) || !Array.isArray(receipts)) return undefined;
    if (!hashes.every((hash) => known.has(hash as Hex))) return undefined;
    return {
      block: { ...(json as EvidentBlock), transactions: hashes.map((hash: Hex) => ({ hash })) },
      receipts,
      raw: { header, receipts: rawReceipts, transactions: Object.fromEntries(known) as Record<Hex, Hex> },
    };
  };

  return async (blockHash: Hex, known?: Known): Promise<BlockEvidence | undefined> => {
    const own = known === undefined ? undefined : await knownBlock(blockHash, known);
    if (own !== undefined) return own;
    // In one batch.
    const [json, together, rawBlock, rawHeader, rawReceipts] = await Promise.all([
      surely('eth_getBlockByHash', [blockHash, true]),
      optionally('eth_getBlockReceipts', blockHash),
      optionally('debug_getRawBlock', blockHash),
      optionally('debug_getRawHeader', blockHash),
      optionally('debug_getRawReceipts', blockHash),
    ]);
    if (json === null) return undefined;
    const block = evidentBlock(json);
    return {
      block,
      receipts: Array.isArray(together) ? together : await oneByOne(block),
      raw: {
        block: rawBlock,
        header: rawHeader,
        receipts: rawReceipts,
        transactions: rawBlock === undefined ? await rawTransactions(block) : {},
      },
    };
  };
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
