import { setTimeout as pause } from 'node:timers/promises';
import { RLP } from '@ethereumjs/rlp';
import { Web3 } from 'web3';
import { hexOf, keccak } from '../system/chain-bytes.js';
import { numberOf } from './answers.js';
import { httpWire } from './http-wire.js';
import { type Ask, firmly, lane } from './rpc-batcher.js';
import { ChainMisfit, ChainUnavailable } from './port.js';
import type { Hex } from './port.js';
import { acceptedOf, sentOf } from './sent.js';
import { TIMESTAMPER_BYTECODE } from './timestamper.js';

/** The account that does it on a chain of our own. Everybody may know its key: it has no funds, and signs once. */
export const DEPLOYER_KEY: Hex = hexOf(keccak('who deploys the Timestamper'));

const TIMEOUT_MS = 5_000;
/** Some 96,000 are needed. */
const GAS = 200_000;
/** How long a block may take that has the contract, ms. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 20;

/**
 * Puts the contract on a chain without gas price, by the first transaction of an account that nobody else uses, and
 * gives its address, which follows from the account; where it is there already, it is kept. `url` is http or https,
 * `key` the account's, 32 bytes. Throws `ChainUnavailable`, and `ChainMisfit` where the account's first transaction made
 * something else.
 */
export async function deployTimestamper(url: string, key: Hex = DEPLOYER_KEY): Promise<Hex> {
  const ask = lane(httpWire(url), { together: 1, atOnce: 1, timeoutMs: TIMEOUT_MS });
  // web3 is given a provider, as it takes a public one otherwise; with every field there, it asks nothing of it.
  const { accounts } = new Web3(url).eth;
  const from = accounts.privateKeyToAccount(key).address.toLowerCase() as Hex;
  const contract = addressOf(from);
  if (await isThere(ask, contract)) return contract;
  const chainId = numberOf(await firmly(ask)('eth_chainId', []), 'eth_chainId');
  const fields = { type: 0, nonce: 0, gasPrice: 0, gas: GAS, value: 0, data: TIMESTAMPER_BYTECODE };
  const signed = await accounts.signTransaction({ ...fields, from, chainId, networkId: chainId }, key);
  const sent = await ask('eth_sendRawTransaction', [signed.rawTransaction]).then(acceptedOf, sentOf);
  // A used nonce, or one that another transaction waits with: an earlier start ended before it saw the contract.
  if (sent.is === 'refused' || (sent.is === 'unknown' && sent.why !== 'replaced')) {
    throw new ChainMisfit(`The chain does not take the contract: ${sent.detail}.`);
  }
  await untilThere(ask, contract);
  return contract;
}

/** The address of what an account's first transaction puts on the chain. */
function addressOf(from: Hex): Hex {
  return hexOf(keccak(RLP.encode([from, 0])).subarray(12));
}

async function isThere(ask: Ask, contract: Hex): Promise<boolean> {
  return (await firmly(ask)('eth_getCode', [contract, 'latest'])) !== '0x';
}

async function untilThere(ask: Ask, contract: Hex): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isThere(ask, contract))) {
    if (performance.now() > deadline) {
      throw new ChainUnavailable(`The contract did not appear at ${contract} in ${PATIENCE_MS / 1000} s.`);
    }
    await pause(PAUSE_MS);
  }
}
