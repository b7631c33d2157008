import { setTimeout as pause } from 'node:timers/promises';
import { decodeTransaction } from '../../../../src/wallets/transaction-bytes.js';
import { type Anvil, startAnvil } from '../../../servers/chain.js';

/** The first price of a market, wei. */
export const PRICE = 100_000_000_000n;
/** Pause between two blocks, ms. */
const BLOCK_MS = 200;

/** A chain whose blocks have a base fee that a spec sets. */
export interface Market {
  readonly anvil: Anvil;
  /** The base fee that was set last, wei. */
  price(): bigint;
  /** Sets the price of the next block, wei. */
  set(price: bigint): Promise<unknown>;
  /** Stops the blocks. Resolves once no block is being made. */
  halt(): Promise<void>;
  /** Lets blocks come at a price, wei. */
  resume(price: bigint): void;
  close(): Promise<void>;
}

/** Starts a chain without blocks, at the first price. */
export async function openMarket(price = PRICE): Promise<Market> {
  const first = String(price);
  const anvil = await startAnvil(['--no-mining', '--base-fee', first, '--gas-price', first]);
  const state = { isOpen: false, price };
  let blocks = Promise.resolve();
  const set = (next: bigint): Promise<unknown> => {
    state.price = next;
    return anvil.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${next.toString(16)}`]);
  };
  const make = async (next: bigint): Promise<void> => {
    await set(next);
    while (state.isOpen) {
      await anvil.rpc('evm_mine');
      // The node would lower it after an empty block.
      await set(next);
      await pause(BLOCK_MS);
    }
  };
  const halt = (): Promise<void> => {
    state.isOpen = false;
    return blocks;
  };
  return {
    anvil,
    price: () => state.price,
    set,
    halt,
    resume(next) {
      state.isOpen = true;
      blocks = make(next);
    },
    async close() {
      await halt();
      await anvil.stop();
    },
  };
}

/** The most that a signed transaction pays for each gas, wei. */
export function offerOf(raw: string): bigint {
  const signed = decodeTransaction(raw);
  return 'gasPrice' in signed ? signed.gasPrice : signed.maxFeePerGas;
}

/** The price of a transaction that is signed again `times` times, wei. */
export function raisedPrice(price: bigint, times: number): bigint {
  return times === 0 ? price : (raisedPrice(price, times - 1) * 1_125n + 999n) / 1_000n;
}
