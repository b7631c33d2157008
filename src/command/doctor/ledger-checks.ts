import { openChain } from '../../chain/open.js';
import type { Chain } from '../../chain/port.js';
import { chainSettings, type Config, type LedgerConfig } from '../../config/config.js';
import { walletTypes } from '../../wallets/named-wallet.js';
import { addressOf } from '../../wallets/transaction-bytes.js';
import { ask } from './ask.js';
import { fault, type Finding, note, ok, warning } from './finding.js';

/** Examines the chain, the contract, and the account of the service. */
export async function checkChain({ ledger }: Config): Promise<readonly Finding[]> {
  if (ledger === undefined) return [note('chain', 'no ledger is served, because of LEDGER or CHAIN_RPC_URL')];
  const { chain: configured } = ledger;
  if (configured === undefined) return [note('chain', 'the service has its own chain, for trials')];
  const { host } = new URL(configured.url);
  let chain: Chain;
  try {
    chain = await openChain({ ...configured, ...chainSettings(ledger), now: Date.now });
  } catch (error) {
    const { message, reason } = error as Error & { readonly reason?: string };
    const why = reason === undefined || message.includes(reason) ? '' : ` (${reason})`;
    const advice = message.includes('CHAIN_RPC_URL') ? '' : '; check CHAIN_RPC_URL';
    return [fault('chain', `${host}: ${message}${why}${advice}`)];
  }
  try {
    const found = ok('chain', `${host} is a node of chain ${chain.id}${await pricesOf(chain)}`);
    return [found, await contractOf(chain), ...(await accountOf(chain, ledger))];
  } finally {
    await chain.close();
  }
}

/** Returns which transactions the chain gets, as the end of a sentence about it; '' if the node does not say. */
async function pricesOf(chain: Chain): Promise<string> {
  const fees = await chain.fees().catch(() => undefined);
  if (fees === undefined) return '';
  const { gasPrice, dynamic } = fees;
  if (dynamic === undefined) {
    return `, whose transactions are legacy ones, at ${gasPrice} wei per gas: it has no base fee, or GAS_PRICE_FACTOR is 0`;
  }
  const { maxFeePerGas, maxPriorityFeePerGas } = dynamic;
  return (
    ', which has a base fee: transactions of the default account are of EIP-1559, at ' +
    `${maxPriorityFeePerGas} wei per gas above the base fee and ${maxFeePerGas} wei at most`
  );
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
    const [balance, fees] = await Promise.all([chain.balance(address), chain.fees()]);
    const price = (fees.dynamic?.maxFeePerGas ?? fees.gasPrice) * fees.gasLimit;
    if (balance >= price) return [ok('account', `${address} can pay for transactions`)];
    return [
      fault(
        'account',
        `${address} has ${balance} wei, and a transaction costs up to ${price}: send it some, or change DEFAULT_ACCOUNT_KEY`,
      ),
    ];
  } catch (error) {
    return [fault('account', `the balance of ${address} is not known: ${(error as Error).message}`)];
  }
}

/** Examines the wallet at each allowed prefix of wallet addresses. */
export async function checkWallets({ ledger, http }: Config): Promise<readonly Finding[]> {
  if (ledger?.walletAddresses === undefined) return [];
  const own = http.publicUrl === undefined ? undefined : `${http.publicUrl}/vault/`;
  return Promise.all(
    ledger.walletAddresses.map(async (prefix) =>
      own !== undefined && `${prefix}/`.startsWith(own)
        ? note('wallets', `${prefix} is the wallet of the service, for trials`)
        : walletAt(prefix),
    ),
  );
}

/** Finds out which type of wallet answers at a prefix: asks there as each type is asked for its health. */
async function walletAt(prefix: string): Promise<Finding> {
  const types = Object.values(walletTypes);
  const answers = await Promise.all(
    types.map(async ({ name, health }) => {
      const answer = await ask(health.url(prefix));
      return typeof answer === 'string'
        ? { name, why: answer }
        : { name, status: answer.status, found: health.read(answer.status, answer.body) };
    }),
  );
  const known = answers.find(({ found }) => found !== undefined);
  if (known?.found === 'ok') return ok('wallets', `${known.name} answers at ${prefix}`);
  if (known !== undefined) return fault('wallets', `the ${known.name} at ${prefix} ${known.found}`);
  const statuses = new Set(answers.flatMap(({ status }) => status ?? []));
  if (statuses.size === 0) {
    return fault('wallets', `${prefix} does not answer: ${answers[0]?.why}; check WALLET_ADDRESSES`);
  }
  const names = types.map(({ name }) => name).join(' or ');
  if (statuses.has(401) || statuses.has(403)) {
    return note('wallets', `${prefix} wants a token: whether it is ${names} is not known`);
  }
  return warning(
    'wallets',
    `${prefix} answers ${[...statuses].join(' and ')}, and not as ${names} does; check WALLET_ADDRESSES`,
  );
}
