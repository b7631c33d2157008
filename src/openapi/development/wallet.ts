import { ACCOUNT_NAME_PATTERN, vaultAnswer } from '../../embedded/wallet/routes.js';
import { type ApiPart, type Content, type Example, json, type Operation, query } from '../operation.js';
import {
  about,
  flag,
  integer,
  list,
  object,
  oneOf,
  openObject,
  ref,
  type Schema,
  text,
  varies,
} from '../schema.js';

const address: Schema = varies({ type: 'string', pattern: '^0x[0-9A-Fa-f]{40}$' });
const amount: Schema = { type: ['string', 'integer'], description: 'A whole number, decimal or 0x.' };

/** Returns the body of an answer of Vault with this `data`. */
function answerWith(data: Schema): Content {
  return json(
    object({
      request_id: varies(text),
      lease_id: text,
      renewable: flag,
      lease_duration: { const: 0 },
      data,
      wrap_info: { type: 'null' },
      warnings: { type: 'null' },
      auth: { type: 'null' },
      mount_type: { const: 'vault-ethereum' },
    }),
  );
}

/** Returns the nth answer of the examples. Each has an id of its own. */
function shown(n: number, data: object): object {
  return vaultAnswer(`6f7a1c1e-2f63-4b1c-9c47-1f6f0f1d5a1${n}`, data);
}

const ALICE_ADDRESS = '0x5B38Da6a701c568545dCfcB03FcB875f56beddC4';
const account = { address: ALICE_ADDRESS, exclusions: null, inclusions: null };

/** Returns the nth example: the signature of a call that pays no gas. */
function signed(n: number, nonce: string, bytes: string, hash: string): Example {
  return {
    body: {
      to: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
      data: 'abcd',
      encoding: 'hex',
      nonce,
      gas_limit: '60000',
    },
    answer: shown(n, {
      amount: '0',
      from: ALICE_ADDRESS,
      gas_limit: '60000',
      gas_price: '0',
      nonce,
      signed_transaction: bytes,
      to: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      transaction_hash: hash,
    }),
  };
}

const create: Omit<Operation, 'id'> = {
  summary: 'Create an account',
  description:
    'An existing account stays as it is. The body may be left out, and its Content-Type is ignored.',
  body: { required: false, content: json(ref('AccountRequest')) },
  answer: answerWith(ref('VaultAccount')),
};

const sign: Omit<Operation, 'id'> = {
  summary: 'Sign a transaction',
  description: 'Unlike Vault, which asks its node, the wallet needs `nonce`, and `gas_price` unless it is 0.',
  body: { content: json(ref('TransactionRequest')) },
  answer: answerWith(ref('SignedTransaction')),
};

/** The development wallet. */
export const wallet: ApiPart = {
  tag: 'Development wallet',
  description: 'Accounts with the paths and answers of Vault’s engine vault-ethereum. Not in production.',
  errorFormat: 'VaultError',
  access: ['vault'],
  errors: [404, 429],
  pathParameters: {
    name: {
      description: 'An account.',
      schema: { type: 'string', pattern: ACCOUNT_NAME_PATTERN },
      example: 'alice',
    },
  },
  schemas: {
    AccountRequest: openObject({
      'mnemonic?': about('12 to 24 words. Default: a key of the wallet’s own.', text),
      'index?': integer(0, 2 ** 31 - 1),
    }),
    VaultAccount: object({ address, exclusions: { type: 'null' }, inclusions: { type: 'null' } }),
    TransactionRequest: openObject({
      to: { type: 'string', pattern: '^0x[0-9A-Fa-f]{40}$' },
      'data?': text,
      'encoding?': oneOf(['hex', 'utf8']),
      nonce: amount,
      'gas_price?': amount,
      'gas_limit?': amount,
      'amount?': about('0: the wallet signs no transfers.', amount),
    }),
    SignedTransaction: object({
      amount: { const: '0' },
      from: address,
      gas_limit: text,
      gas_price: text,
      nonce: text,
      signed_transaction: varies({ type: 'string', pattern: '^0x[0-9a-f]+$' }),
      to: address,
      transaction_hash: varies({ type: 'string', pattern: '^0x[0-9a-f]{64}$' }),
    }),
  },
  operations: {
    'POST /vault/v1/ethereum/accounts/{name}': {
      ...create,
      id: 'createAccount',
      examples: { alice: { body: {}, answer: shown(1, account) } },
    },
    'PUT /vault/v1/ethereum/accounts/{name}': {
      ...create,
      id: 'createAccountByPut',
      examples: { 'alice-again': { body: {}, answer: shown(5, account) } },
    },
    'GET /vault/v1/ethereum/accounts/{name}': {
      id: 'showAccount',
      summary: 'Show an account',
      answer: answerWith(ref('VaultAccount')),
      examples: { alice: { answer: shown(2, account) } },
    },
    'GET /vault/v1/ethereum/accounts': {
      id: 'listAccounts',
      summary: 'List the accounts',
      parameters: [{ ...query('list', { const: 'true' }), required: true }],
      answer: answerWith(object({ keys: list(text) })),
      examples: {
        'alice-alone': { parameters: { list: 'true' }, answer: shown(3, { keys: ['alice'] }) },
      },
    },
    'POST /vault/v1/ethereum/accounts/{name}/sign-tx': {
      ...sign,
      id: 'signTransaction',
      examples: { 'free-of-charge': signed(4, '0', '0xf86480', `0x${'7e'.repeat(32)}`) },
    },
    'PUT /vault/v1/ethereum/accounts/{name}/sign-tx': {
      ...sign,
      id: 'signTransactionByPut',
      examples: { 'next-nonce': signed(6, '1', '0xf86401', `0x${'8f'.repeat(32)}`) },
    },
  },
};
