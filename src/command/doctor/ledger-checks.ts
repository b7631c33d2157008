import { openChain } from '../../chain/open.js';
import type { Chain } from '../../chain/port.js';
import type { Config, LedgerConfig } from '../../config/config.js';
import { fieldOf } from '../../untrusted/json.js';
import { addressOf } from '../../wallets/legacy-transaction.js';
import { ask } from './ask.js';
import { fault, type Finding, note, ok, warning } from './finding.js';

/** Examines the chain, the contract, and the account of the service. */
export async function checkChain({ ledger }: Config): Promise<readonly Finding[]> {
  if (ledger === undefined) return [note('chain', 'no ledger is served: LEDGER or CHAIN_RPC_URL say so')];
  const { chain: configured } = ledger;
  if (configured === undefined) return [note('chain', 'the service has its own chain, for trials')];
  const { gasPriceFactor, finality } = ledger;
  const gasLimit = ledger.gasLimit === undefined ? undefined : BigInt(ledger.gasLimit);
  const { host } = new URL(configured.url);
  let chain: Chain;
  try {
    chain = await openChain({ ...configured, gasPriceFactor, gasLimit, finality, now: Date.now });
  } catch (error) {
    const { message, reason } = error as Error & { readonly reason?: string };
    const why = reason === undefined || message.includes(reason) ? '' : ` (${reason})`;
    const advice = message.includes('CHAIN_RPC_URL') ? '' : '; check CHAIN_RPC_URL';
    return [fault('chain', `${host}: ${message}${why}${advice}`)];
  }
  try {
    const found = ok('chain', `${host} is a node of chain ${chain.id}`);
    return [found, await contractOf(chain), ...(await accountOf(chain, ledger))];
  } finally {
    await chain.close();
  }
}

async function contractOf(chain: Chain): Promise<Finding> {
  await chain.checkContract();
  const missing = chain.contractMissing();
  if (missing !== undefined) return fault('contract', `${missing.message} "mirzam deploy" makes one`);
  const wrong = chain.contractWarning();
  if (wrong !== undefined) return fault('contract', wrong);
  return ok('contract', `${chain.contract} is there`);
}

/** Returns what is to be said of the account that signs for callers without a wallet. */
async function accountOf(chain: Chain, { defaultAccount }: LedgerConfig): Promise<readonly Finding[]> {
  if (defaultAccount === undefined) return [];
  if (defaultAccount.key === undefined) {
    return [
      note('account', 'DEFAULT_ACCOUNT_KEY is not set: the key of the default account is in the store'),
    ];
  }
  const address = addressOf(Buffer.from(defaultAccount.key.slice(2), 'hex'));
  try {
    const [balance, { gasPrice, gasLimit }] = await Promise.all([chain.balance(address), chain.fees()]);
    const price = gasPrice * gasLimit;
    if (balance >= price) return [ok('account', `${address} can pay for transactions`)];
    return [
      fault(
        'account',
        `${address} has ${balance} wei, and a transaction costs ${price}: send it some, or change DEFAULT_ACCOUNT_KEY`,
      ),
    ];
  } catch (error) {
    return [fault('account', `the balance of ${address} is not known: ${(error as Error).message}`)];
  }
}

/** Examines the Vault of each allowed prefix of wallet addresses. */
export async function checkWallets({ ledger, http }: Config): Promise<readonly Finding[]> {
  if (ledger?.walletAddresses === undefined) return [];
  const own = http.publicUrl === undefined ? undefined : `${http.publicUrl}/vault/`;
  return Promise.all(
    ledger.walletAddresses.map(async (prefix) =>
      own !== undefined && `${prefix}/`.startsWith(own)
        ? note('wallets', `${prefix} is the wallet of the service, for trials`)
        : vaultAt(prefix),
    ),
  );
}

/** Statuses of GET /v1/sys/health for a Vault that serves nothing, in words. */
const VAULT_FAULTS: Readonly<Record<number, string>> = {
  501: 'is not initialized',
  503: 'is sealed: unseal it',
};

async function vaultAt(prefix: string): Promise<Finding> {
  const base = /^(.*?\/v1)(?:\/|$)/.exec(prefix)?.[1] ?? `${new URL(prefix).origin}/v1`;
  const answer = await ask(`${base}/sys/health`);
  if (typeof answer === 'string') {
    return fault('wallets', `${prefix} does not answer: ${answer}; check WALLET_ADDRESSES`);
  }
  const { status, body } = answer;
  const isVault = typeof fieldOf(body, 'sealed') === 'boolean';
  if (!isVault) {
    return warning('wallets', `${prefix} answers ${status}, and not as Vault does; check WALLET_ADDRESSES`);
  }
  const wrong = VAULT_FAULTS[status];
  return wrong === undefined
    ? ok('wallets', `Vault answers at ${prefix}`)
    : fault('wallets', `the Vault at ${prefix} ${wrong}`);
}
