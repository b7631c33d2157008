import { setTimeout as pause } from 'node:timers/promises';
import { RLP } from '@ethereumjs/rlp';
import { hexOf, keccak } from '../system/chain-bytes.js';
import { numberOf, quantity, receiptOf } from './answers.js';
import { blockSource } from './block-source.js';
import { dynamicFees, feeMarket } from './dynamic-fees.js';
import { NodeError } from './exchange.js';
import { proposedGasPrice } from './fees.js';
import { httpWire } from './http-wire.js';
import { ChainMisfit, ChainUnavailable, type DynamicFees, type Hex } from './port.js';
import { createRpcBatcher, orUnavailable, type RpcCall } from './rpc-batcher.js';
import { acceptedOf, sentOf } from './send-answer.js';
import { TIMESTAMPER_BYTECODE } from './timestamper.js';

const TIMEOUT_MS = 10_000;
/** Time between two looks for the block, ms. */
const PAUSE_MS = 500;

/** A transaction that creates a contract, for the account to sign. Amounts in wei. */
export type ContractCreation = Price & {
  readonly nonce: number;
  readonly gasLimit: bigint;
  readonly chainId: number;
  readonly data: Hex;
};

/** A legacy transaction, or one of EIP-1559 where the chain has a base fee. */
type Price = { readonly gasPrice: bigint } | DynamicFees;

/** The account that deploys. */
export interface Deployer {
  /** In lower case. */
  readonly address: Hex;
  sign(creation: ContractCreation): { readonly raw: Hex; readonly hash: Hex };
}

/** A contract in a block of the chain. */
export interface Deployed {
  readonly contract: Hex;
  readonly blockNumber: number;
  readonly chainId: number;
}

export interface DeployOptions {
  /** CHAIN_RPC_URL: http, https, ws or wss. */
  readonly url: string;
  readonly account: Deployer;
  /** Called once the node has the transaction. */
  readonly onSent: (transactionHash: Hex) => void;
  /** Longest wait for the block, ms. */
  readonly blockMs: number;
}

/**
 * Puts the contract on a chain, at the chain's price. Each call makes a contract of its own. Throws `ChainUnavailable` if
 * the node does not answer or no block has the transaction in time, and `ChainMisfit` if the chain refuses it.
 */
export async function deployFromAccount({ url, account, onSent, blockMs }: DeployOptions): Promise<Deployed> {
  const ignored = { onHead: () => undefined, onReconnect: () => undefined, onLost: () => undefined };
  const wire = /^ws/i.test(url)
    ? (await import('./socket-wire.js')).socketWire({ url, timeoutMs: TIMEOUT_MS, ...ignored })
    : httpWire(url);
  try {
    const call = createRpcBatcher(wire, { batchSize: 10, maxUnanswered: 1, timeoutMs: TIMEOUT_MS });
    const creation = await creationOf(call, account.address);
    const { raw, hash } = account.sign(creation);
    const sent = await call('eth_sendRawTransaction', [raw]).then(acceptedOf, sentOf);
    if (sent.is !== 'sent') throw new ChainMisfit(`The chain does not take the contract: ${sent.detail}.`);
    onSent(hash);
    const blockNumber = await blockOf(call, hash, blockMs);
    const { nonce, chainId } = creation;
    return { contract: contractOf(account.address, nonce), blockNumber, chainId };
  } finally {
    wire.close();
  }
}

/** The address of the contract that an account's transaction with this nonce makes. */
export function contractOf(from: Hex, nonce: number): Hex {
  return hexOf(keccak(RLP.encode([from, nonce])).subarray(12));
}

/** Returns the transaction, with the node's prices. Throws `ChainMisfit` if the account cannot pay it. */
async function creationOf(call: RpcCall, from: Hex): Promise<ContractCreation> {
  const surely = orUnavailable(call);
  const [chainId, nonce, offered, balance] = await Promise.all([
    surely('eth_chainId', []).then((json) => numberOf(json, 'eth_chainId')),
    surely('eth_getTransactionCount', [from, 'pending']).then((json) => numberOf(json, 'a nonce')),
    priceOf(call),
    surely('eth_getBalance', [from, 'latest']).then((json) => quantity(json, 'eth_getBalance')),
  ]);
  const data = TIMESTAMPER_BYTECODE;
  const gas = await call('eth_estimateGas', [{ from, data }]).catch((error: unknown) => {
    if (!(error instanceof NodeError)) throw error;
    throw new ChainMisfit(`The chain does not take the contract from ${from}: ${error.message}.`, {
      cause: error,
    });
  });
  const gasLimit = (quantity(gas, 'eth_estimateGas') * 5n) / 4n;
  const price = ('gasPrice' in offered ? offered.gasPrice : offered.maxFeePerGas) * gasLimit;
  if (balance < price) {
    throw new ChainMisfit(
      `The account ${from} has ${balance} wei on chain ${chainId}, and the contract costs up to ${price}: send it ${price - balance} wei, or use another account in DEPLOYER_KEY.`,
    );
  }
  return { nonce, ...offered, gasLimit, chainId, data };
}

async function priceOf(call: RpcCall): Promise<Price> {
  const asked = proposedGasPrice(call);
  const [gasPrice, newest] = await Promise.all([asked, blockSource(call).block('latest')]);
  const market = await feeMarket(call)(newest, asked);
  return market === undefined ? { gasPrice } : dynamicFees(market, { gasPriceFactor: 1 });
}

/** Waits for the block of a transaction. Returns its number. */
async function blockOf(call: RpcCall, hash: Hex, blockMs: number): Promise<number> {
  const deadline = performance.now() + blockMs;
  for (;;) {
    // A node may refuse while it makes a block, or restart.
    const json = await call('eth_getTransactionReceipt', [hash]).catch(() => null);
    if (json !== null) {
      const { status, blockNumber } = receiptOf(json);
      if (BigInt(status) === 1n) return Number(blockNumber);
      throw new ChainMisfit(
        `The chain has reverted the transaction ${hash}: its EVM may be older than Byzantium's, or the gas too little.`,
      );
    }
    if (performance.now() > deadline) {
      throw new ChainUnavailable(
        `The transaction ${hash} is in no block after ${blockMs / 1000} s. It may still come into one: look before you deploy again.`,
      );
    }
    await pause(PAUSE_MS);
  }
}
