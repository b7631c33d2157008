import { setTimeout as pause } from 'node:timers/promises';
import { RLP } from '@ethereumjs/rlp';
import { hexOf, keccak } from '../system/chain-bytes.js';
import { numberOf } from './answers.js';
import { httpWire } from './http-wire.js';
import { type RpcCall, createRpcBatcher, orUnavailable } from './rpc-batcher.js';
import { ChainMisfit, ChainUnavailable, type Hex } from './port.js';
import { acceptedOf, sentOf } from './send-answer.js';
import { TIMESTAMPER_BYTECODE } from './timestamper.js';

/** Key of the account that deploys on the embedded chain. It is public: the account has no funds and signs once. */
export const DEPLOYER_KEY: Hex = hexOf(keccak('who deploys the Timestamper'));

const TIMEOUT_MS = 5_000;
/** About 96,000 are needed. */
const GAS = 200_000;
/** Maximum time until the contract is in a block, ms. */
const DEPLOYED_MS = 30_000;
const PAUSE_MS = 20;

/**
 * Deploys the contract on a chain without gas price, unless it is there, and returns its address. The contract is made by
 * the first transaction of an account that nobody else uses, so that its address follows from the account. `url` is http or
 * https; `key` is the account's, 32 bytes. Throws `ChainUnavailable`, and `ChainMisfit` if the chain refuses the
 * transaction.
 */
export async function deployTimestamper(url: string, key: Hex = DEPLOYER_KEY): Promise<Hex> {
  const call = createRpcBatcher(httpWire(url), { batchSize: 1, maxUnanswered: 1, timeoutMs: TIMEOUT_MS });
  const { Web3 } = await import('web3');
  // Without a provider, web3 takes a public one. With all fields given, it asks the provider nothing.
  const { accounts } = new Web3(url).eth;
  const from = accounts.privateKeyToAccount(key).address.toLowerCase() as Hex;
  const contract = addressOf(from, 0);
  if (await isThere(call, contract)) return contract;
  const chainId = numberOf(await orUnavailable(call)('eth_chainId', []), 'eth_chainId');
  const fields = { type: 0, nonce: 0, gasPrice: 0, gas: GAS, value: 0, data: TIMESTAMPER_BYTECODE };
  const signed = await accounts.signTransaction({ ...fields, from, chainId, networkId: chainId }, key);
  const sent = await call('eth_sendRawTransaction', [signed.rawTransaction]).then(acceptedOf, sentOf);
  // A used nonce, or one that another transaction waits with: an earlier start ended before it saw the contract.
  if (sent.is === 'refused' || (sent.is === 'unknown' && sent.why !== 'replaced')) {
    throw new ChainMisfit(`The chain does not take the contract: ${sent.detail}.`);
  }
  await untilThere(call, contract);
  return contract;
}

/** The address of the contract that an account's transaction with this nonce makes. */
export function addressOf(from: Hex, nonce: number): Hex {
  return hexOf(keccak(RLP.encode([from, nonce])).subarray(12));
}

async function isThere(call: RpcCall, contract: Hex): Promise<boolean> {
  return (await orUnavailable(call)('eth_getCode', [contract, 'latest'])) !== '0x';
}

/** Asks until the contract is there. A node may refuse to answer while it makes a block, as Anvil does with its first one. */
async function untilThere(call: RpcCall, contract: Hex): Promise<void> {
  const deadline = performance.now() + DEPLOYED_MS;
  let refusal: unknown;
  while (!(await isThere(call, contract).catch((error: unknown) => void (refusal = error)))) {
    if (performance.now() > deadline) {
      const message = `The contract did not appear at ${contract} in ${DEPLOYED_MS / 1000} s.`;
      throw new ChainUnavailable(message, { cause: refusal });
    }
    await pause(PAUSE_MS);
  }
}
