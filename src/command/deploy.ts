import { Command } from 'commander';
import { deployFromAccount, type Deployer } from '../chain/deploy-from-account.js';
import { ChainMisfit, ChainUnavailable } from '../chain/port.js';
import { type Kind, NotAllowed, privateKey, rpcUrl } from '../config/kinds.js';
import { addressOf, signTransaction } from '../wallets/transaction-bytes.js';
import { type CommandBuilder, type CommandContext, type ExitCode, Failure } from './context.js';

/** Longest wait for the block of the contract, ms. */
const BLOCK_MS = 10 * 60_000;

const MORE = `
DEPLOYER_KEY is the private key of the account that pays for the gas: a variable of the environment or a line of .env, as
other users of the machine see options. The address of the contract is the only line on the standard output.`;

/** `mirzam deploy`: puts the contract of the ledger on a chain. */
export const deployCommand: CommandBuilder = (context) =>
  new Command('deploy')
    .description('Puts the contract of the ledger on a chain, and prints its address.')
    .option('--chain-rpc-url <URL>', 'the JSON-RPC address of a node of the chain (CHAIN_RPC_URL)')
    .addHelpText('after', MORE)
    .action(context.ending((options: { chainRpcUrl?: string }) => deployed(options.chainRpcUrl, context)));

async function deployed(
  option: string | undefined,
  { environment, stdout, stderr }: CommandContext,
): Promise<ExitCode> {
  const { CHAIN_RPC_URL, DEPLOYER_KEY } = environment();
  const url = required('CHAIN_RPC_URL', option ?? CHAIN_RPC_URL, rpcUrl);
  const key = Buffer.from(required('DEPLOYER_KEY', DEPLOYER_KEY, privateKey).slice(2), 'hex');
  const address = addressOf(key);
  const account: Deployer = {
    address,
    sign: (creation) => signTransaction({ ...creation, from: address, to: '0x' }, key),
  };
  const onSent = (hash: string): void => void stderr.write(`${hash} is sent; waiting for its block\n`);
  try {
    const { contract, blockNumber, chainId } = await deployFromAccount({
      url,
      account,
      onSent,
      blockMs: BLOCK_MS,
    });
    stdout.write(`${contract}\n`);
    stderr.write(
      `The contract is in block ${blockNumber} of chain ${chainId}. Start the service with CHAIN_CONTRACT=${contract}\n`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof ChainMisfit || error instanceof ChainUnavailable)) throw error;
    throw new Failure(error.message, { cause: error });
  }
}

/** Reads a setting of this command. The error does not show its value. */
function required<T>(name: string, text: string | undefined, kind: Kind<T>): T {
  if (text === undefined || text === '') throw new Error(`${name} is not set: it must be ${kind.allowed}`);
  const value = kind.parse(text);
  if (value instanceof NotAllowed) throw new Error(`${name} must be ${kind.allowed}`);
  return value;
}
