import type {
  Chain,
  ChainBlock,
  ChainLog,
  ChainReceipt,
  ChainTransaction,
  Hex,
} from '../../../src/chain/port.js';
import { hexOf, keccak } from '../../../src/system/chain-bytes.js';

export const CONTRACT: Hex = `0x${'c0'.repeat(20)}`;
export const OTHER_CONTRACT: Hex = `0x${'0c'.repeat(20)}`;
export const FROM: Hex = `0x${'f0'.repeat(20)}`;

const TIMESTAMP = hexOf(keccak('Timestamp(uint256,uint256)'));
const WORD = `0x${'00'.repeat(32)}` as const;

/** A transaction of a made chain. */
export interface Made {
  readonly events: readonly { readonly assetId: Hex; readonly hash: Hex; readonly contract?: Hex }[];
  readonly status?: Hex;
  readonly pending?: boolean;
  /** Each call finds the transaction in another block than its receipt names. */
  readonly moving?: boolean;
  /** As `moving`, for the first call only. */
  readonly moved?: boolean;
}

/** A chain of one transaction, made for a spec. */
export interface MadeChain extends Pick<Chain, 'contract' | 'transaction' | 'receipt' | 'block'> {
  readonly transactionHash: Hex;
  /** Number of its block. */
  readonly number: number;
  readonly blockHash: Hex;
}

export function madeChain(made: Made): MadeChain {
  const transactionHash: Hex = `0x${'7a'.repeat(32)}`;
  const blockHash: Hex = `0x${'b1'.repeat(32)}`;
  const number = 300;
  const place = { blockHash, blockNumber: '0x12c', transactionHash, transactionIndex: '0x0' } as const;
  const logs = made.events.map(({ assetId, hash, contract }, index): ChainLog => ({
    ...place,
    address: contract ?? CONTRACT,
    topics: [TIMESTAMP, assetId, hash],
    data: '0x',
    logIndex: `0x${index.toString(16)}`,
    removed: false,
  }));
  const receipt: ChainReceipt = {
    ...place,
    from: FROM,
    to: CONTRACT,
    cumulativeGasUsed: '0x5d3a',
    gasUsed: '0x5d3a',
    status: made.status ?? '0x1',
    logs,
    logsBloom: '0x',
  };
  const transaction: ChainTransaction = {
    hash: transactionHash,
    from: FROM,
    to: CONTRACT,
    input: '0x',
    nonce: 0,
    blockNumber: made.pending ? undefined : number,
    blockHash: made.pending ? undefined : blockHash,
  };
  const block: ChainBlock = { number, hash: blockHash, parentHash: WORD, timestamp: 1_768_478_400 };
  let asked = 0;
  return {
    contract: CONTRACT,
    transactionHash,
    number,
    blockHash,
    transaction: async (hash) => (hash === transactionHash ? transaction : undefined),
    receipt: async (hash) => (hash === transactionHash && !made.pending ? receipt : undefined),
    block: async (wanted) => {
      asked += 1;
      const away = made.moving || (made.moved && asked === 1);
      if (wanted !== number) return undefined;
      return away ? { ...block, hash: WORD } : block;
    },
  };
}
