import {
  chainAddress,
  choice,
  decimal,
  headerValue,
  httpUrl,
  integer,
  privateKey,
  rpcUrl,
  urlPrefixes,
  wei,
} from './kinds.js';
import type { Setting } from './setting.js';

const day = 86_400;

/** The settings of the ledger; rows as in `settings`. */
export const ledgerSettings = {
  LEDGER: {
    kind: choice('on', 'off'),
    default: 'on',
    about: "`off` serves the policy API alone. No chain is used, and the ledger's paths answer 404.",
  },
  CHAIN_RPC_URL: {
    kind: rpcUrl,
    unset: 'a chain in the process; none in production, and then no ledger',
    about: 'JSON-RPC address of a node of the chain. Needs `CHAIN_CONTRACT`.',
    secret: true,
  },
  CHAIN_CONTRACT: {
    kind: chainAddress,
    unset: 'the one deployed on the chain in the process',
    about: 'Address of the contract that records the hashes. Needs `CHAIN_RPC_URL`.',
  },
  LEDGER_AUTH: {
    kind: choice('open', 'token'),
    default: 'open',
    about: 'What the ledger requires of its callers: nothing, or a token.',
  },
  LEDGER_CONFIRMATIONS: {
    kind: integer(1, 1000),
    default: '1',
    about: 'Blocks that a transaction lies under, its own counted, before its receipt is answered.',
  },
  LEDGER_WAIT_S: {
    kind: integer(1, 600),
    default: '30',
    about:
      'Seconds from the arrival of a request to its answer: 503 if its signing has not begun by then, 504 if its transaction is signed and in no block. A signing that has begun gets 2 s more.',
  },
  LEDGER_FINALITY: {
    kind: integer(1, 10_000),
    default: '12',
    about:
      'Blocks after which a receipt is final and not checked again. It must exceed the depth of reorganisations.',
  },
  IDEMPOTENCY_TTL_S: {
    kind: integer(1, 365 * day),
    default: '604800',
    about: 'Seconds for which an `Idempotency-Key` is kept.',
  },

  DEFAULT_ACCOUNT: {
    kind: choice('on', 'off'),
    unset: '`on`; `off` in production',
    about: '`on`: an account of the service signs for callers who name no wallet.',
  },
  DEFAULT_ACCOUNT_KEY: {
    kind: privateKey,
    unset: 'one that the first start makes; none in production',
    about: 'Private key of the default account. In production `DEFAULT_ACCOUNT=on` needs it.',
    secret: true,
  },
  WALLET_ADDRESSES: {
    kind: urlPrefixes,
    unset: 'wallets on this machine; none in production',
    about: 'Allowed prefixes of a `Wallet-Address`.',
  },
  WALLET_DEV_TOKEN: {
    kind: headerValue,
    unset: 'one that the first start makes and stores; every start prints it',
    about: 'Token of the development wallet, which production does not start.',
    secret: true,
  },
  GAS_PRICE_FACTOR: {
    kind: decimal(0, 100),
    default: '1.2',
    about: "Factor of the node's gas price that a transaction offers; 0 offers nothing.",
  },
  GAS_LIMIT: {
    kind: integer(21_000, 1_000_000_000),
    unset: 'estimated by the node of the chain, with a margin',
    about: 'Gas that a transaction may use.',
  },
  GAS_BUMP_AFTER_S: {
    kind: decimal(0, day),
    default: '60',
    about:
      'Seconds after which a transaction that is in no block, while blocks come, is signed again at 1.125 times its price; 0 never does.',
  },
  GAS_PRICE_MAX: {
    kind: wei,
    unset: 'ten times the first price of the transaction',
    about: 'Highest price per gas of a transaction that is signed again, wei.',
  },

  BROKER_MIRROR_URL: {
    kind: httpUrl,
    unset: 'receipts are not mirrored',
    about: 'NGSI-LD broker that gets each receipt as an entity.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
