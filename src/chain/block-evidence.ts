import { isLacking } from './block-source.js';
import { malformed, NodeError } from './exchange.js';
import type { BlockEvidence, EvidentBlock, Hex, KnownTransactions } from './port.js';
import { orUnavailable, type RpcCall } from './rpc-batcher.js';

/** The types of transactions whose bytes can be made of their JSON: EIP-155, 2930, 1559, 4844, 7702. */
const READ_TYPES = new Set<unknown>(['0x0', '0x1', '0x2', '0x3', '0x4']);

/**
 * Returns the function that reads a block by its hash, so that no reorganisation mixes two blocks; undefined if the node
 * does not have it. If all transactions of the block are known, the node is asked for its header alone, and for its receipts
 * unless they are known too. Throws `ChainUnavailable`.
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

  const receiptsOf = async (blockHash: Hex): Promise<NodeReceipts> => {
    const [receipts, raw] = await Promise.all([
      optionally('eth_getBlockReceipts', blockHash),
      optionally('debug_getRawReceipts', blockHash),
    ]);
    return { receipts: Array.isArray(receipts) ? receipts : undefined, raw };
  };

  /** The block with the hashes of its transactions; undefined if one of them is not known. */
  const knownBlock = async (
    blockHash: Hex,
    known: KnownTransactions['raw'],
  ): Promise<EvidentBlock | undefined> => {
    const json = (await surely('eth_getBlockByHash', [blockHash, false])) as EvidentBlock | null;
    const hashes: unknown = json?.transactions;
    if (!Array.isArray(hashes) || !hashes.every((hash) => known.has(hash as Hex))) return undefined;
    return { ...json, transactions: hashes.map((hash: Hex) => ({ hash })) };
  };

  const wholeBlock = async (
    blockHash: Hex,
    header: Promise<unknown>,
    given = receiptsOf(blockHash),
  ): Promise<BlockEvidence | undefined> => {
    const [json, rawBlock, rawHeader, { receipts, raw: rawReceipts }] = await Promise.all([
      surely('eth_getBlockByHash', [blockHash, true]),
      optionally('debug_getRawBlock', blockHash),
      header,
      given,
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
  return async (blockHash: Hex, known?: KnownTransactions): Promise<BlockEvidence | undefined> => {
    const header = optionally('debug_getRawHeader', blockHash);
    const given = known?.receipts === true ? undefined : receiptsOf(blockHash);
    if (known === undefined) return wholeBlock(blockHash, header, given);
    const [block, rawHeader, { receipts, raw } = {}] = await Promise.all([
      knownBlock(blockHash, known.raw),
      header,
      given,
    ]);
    if (block === undefined || (given !== undefined && receipts === undefined)) {
      return wholeBlock(blockHash, header, given);
    }
    const transactions = Object.fromEntries(known.raw) as Record<Hex, Hex>;
    return { block, receipts, raw: { header: rawHeader, receipts: raw, transactions } };
  };
}

/** What a node says of the receipts of a block; undefined where it lacks the method. */
interface NodeReceipts {
  readonly receipts: readonly unknown[] | undefined;
  readonly raw: unknown;
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
