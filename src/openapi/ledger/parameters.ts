import { LIMIT_MAX, OPTIONS } from '../../ledger/content/query.js';
import { QUERY_GEOMETRIES } from '../../ledger/content/geometry.js';
import { TENANT_PATTERN } from '../../ledger/http/headers.js';
import { LARGEST_PAGE } from '../../ledger/http/query.js';
import { WALLET_TYPE_NAMES, walletTypes } from '../../wallets/named-wallet.js';
import { header, type Parameter, query } from '../operation.js';
import { integer, oneOf, ref, type Schema, someText } from '../schema.js';

const printable = (maxLength: number): Schema => ({
  type: 'string',
  minLength: 1,
  maxLength,
  pattern: '^[ -~]*$',
});

/** A pattern of a name in any letter case. */
function inAnyCase(name: string): string {
  return name.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

/** The header of all operations. */
export const tenant: Parameter = header(
  'NGSILD-Tenant',
  { type: 'string', pattern: `^${TENANT_PATTERN}$` },
  'Kept with the transaction; filters lists. With LEDGER_AUTH=token the token’s tenant.',
);

/** The headers of operations that record, without an Idempotency-Key. */
export const withWallet: readonly Parameter[] = [
  tenant,
  header(
    'Wallet-Type',
    { type: 'string', pattern: `^(?:${WALLET_TYPE_NAMES.map(inAnyCase).join('|')})$` },
    `${WALLET_TYPE_NAMES.join(' or ')}, in any letter case. The three headers of a wallet come together or not at all; ` +
      `${WALLET_TYPE_NAMES.filter((name) => walletTypes[name].token.optional).join(' and ')} needs no Wallet-Token.`,
  ),
  header(
    'Wallet-Address',
    { type: 'string', format: 'uri' },
    WALLET_TYPE_NAMES.map((name) => `${name}: ${walletTypes[name].form.wanted}.`).join(' '),
  ),
  header('Wallet-Token', someText, 'A token for the wallet. Never stored, logged or shown.'),
  header('Link', printable(2_048), 'Where the `@context` is. Kept with the receipt.'),
];

/** The headers of operations that record. */
export const recording: readonly Parameter[] = [
  ...withWallet,
  header(
    'Idempotency-Key',
    printable(255),
    'The same key with the same content gives the receipt of the first request.',
  ),
];

const attrs = query('attrs', someText, 'Names, separated by commas.');
const options = query('options', oneOf(OPTIONS));

/** The parameters of L2. */
export const querying: readonly Parameter[] = [
  query('id', someText, 'URIs, separated by commas.'),
  query(
    'idPattern',
    someText,
    'A regular expression, which is never run: its parentheses and brackets must balance.',
  ),
  query('type', someText, 'Names, separated by commas.'),
  attrs,
  query('q', someText),
  query('csf', someText),
  query('georel', someText, '`georel`, `geometry` and `coordinates` come together or not at all.'),
  query('geometry', oneOf([...QUERY_GEOMETRIES])),
  query('coordinates', someText),
  query('geoproperty', someText),
  query('limit', integer(1, LIMIT_MAX)),
  query('offset', integer(0, Number.MAX_SAFE_INTEGER)),
  options,
  header(
    'Related-Entity',
    ref('Uri'),
    'The entity that the query is for. Its transaction is listed under this id.',
  ),
];

/** The parameters of L4. */
export const retrieving: readonly Parameter[] = [attrs, query('type', someText, 'One name.'), options];

/** The parameter of L5. */
export const batching: Parameter = query('options', oneOf(['update', 'replace']), 'Default `update`.');

/** The parameters of L6. */
export const entityPage: readonly Parameter[] = [
  query('limit', integer(1, LARGEST_PAGE), `Entities. Default ${LARGEST_PAGE}.`),
  query('offset', integer(0, Number.MAX_SAFE_INTEGER), 'Entities. Default 0.'),
];

/** The parameters of a proof file. */
export const proving: readonly Parameter[] = [
  { ...query('entity', ref('Uri'), 'The id of the proven entity.'), required: true },
  query('hash', ref('ClaimedHash'), 'Of an id that a batch has more than once: the hash of the entry.'),
];

/** The parameters of L7. */
export const transactionPage: readonly Parameter[] = [
  query('limit', integer(1, Number.MAX_SAFE_INTEGER), 'Transactions. Default all.'),
  query('offset', integer(0, Number.MAX_SAFE_INTEGER), 'Transactions. Default 0.'),
];
