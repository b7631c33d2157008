import { setTimeout as pause } from 'node:timers/promises';
import { numberOf } from '../../chain/answers.js';
import { contractOf } from '../../chain/deploy-from-account.js';
import { httpWire } from '../../chain/http-wire.js';
import { ChainMisfit, ChainUnavailable, type Hex } from '../../chain/port.js';
import { type RpcCall, createRpcBatcher, orUnavailable } from '../../chain/rpc-batcher.js';
import { acceptedOf, sentOf } from '../../chain/send-answer.js';
import { TIMESTAMPER_BYTECODE } from '../../chain/timestamper.js';
import { keccak } from '../../system/chain-bytes.js';
import { addressOf, signTransaction } from '../../wallets/transaction-bytes.js';

/** Key of the account that deploys. It is public: the account has no funds and signs once. */
const DEPLOYER_KEY = keccak('who deploys the Timestamper');
const DEPLOYER = addressOf(DEPLOYER_KEY);

const TIMEOUT_MS = 5_000;
/** About 96,000 are needed. */
const GAS = 200_000n;
/** Maximum time until the contract is in a block, ms. */
const DEPLOYED_MS = 30_000;
const PAUSE_MS = 20;

/**
 * Deploys the contract on a chain without gas price, unless it is there, and returns its address. The contract is made by
 * the first transaction of an account that nobody else uses, so that its address follows from the account. `url` is http or
 * https. Throws `ChainUnavailable`, and `ChainMisfit` if the chain refuses the transaction.
 */
export async function deployTimestamper(url: string): Promise<Hex> {
  const call = createRpcBatcher(httpWire(url), { batchSize: 1, maxUnanswered: 1, timeoutMs: TIMEOUT_MS });
  const contract = contractOf(DEPLOYER, 0);
  if (await isThere(call, contract)) return contract;
  const chainId = numberOf(await orUnavailable(call)('eth_chainId', []), 'eth_chainId');
  const creation = { from: DEPLOYER, to: '0x', data: TIMESTAMPER_BYTECODE, nonce: 0, chainId } as const;
  const { raw } = signTransaction({ ...creation, gasPrice: 0n, gasLimit: GAS }, DEPLOYER_KEY);
  const sent = await call('eth_sendRawTransaction', [raw]).then(acceptedOf, sentOf);
  // A used nonce, or one that another transaction waits with: an earlier start ended before it saw the contract.
  if (sent.is === 'refused' || (sent.is === 'unknown' && sent.why !== 'replaced')) {
    throw new ChainMisfit(`The chain does not take the contract: ${sent.detail}.`);
  }
  await untilThere(call, contract);
  return contract;
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
