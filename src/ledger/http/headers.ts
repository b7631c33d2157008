import { isUtf8 } from 'node:buffer';
import { Refusal } from '../../errors.js';
import { credentialsMissing } from '../../http/failures/failure.js';
import { quoted } from '../../untrusted/text.js';
import type { NamedWallet } from '../../wallets/port.js';

/**
 * Headers by their names in lower case, each as often as it was sent: what node joins to one text could not be told
 * from a text with commas in it.
 */
export type Headers = Readonly<Record<string, readonly string[] | undefined>>;

/** The headers that name the wallet (ledger §5). */
const WALLET = ['Wallet-Type', 'Wallet-Token', 'Wallet-Address'] as const;

/**
 * The wallet that is to sign; undefined where none of the headers is given, or all are without a value. Throws
 * `Refusal('bad-request')` that names what is missing, and for a type other than `vault`, in any letter case.
 */
export function namedWallet(headers: Headers): NamedWallet | undefined {
  const [type = '', token = '', address = ''] = WALLET.map((name) => one(headers, name));
  const missing = WALLET.filter((name) => (one(headers, name) ?? '') === '');
  if (missing.length === WALLET.length) return undefined;
  if (missing.length > 0) {
    throw new Refusal(
      'bad-request',
      `${missing.join(' and ')} missing: a wallet is named by ${WALLET.join(', ')} together`,
    );
  }
  // Not shown: who confuses the headers would read the token in a message, and we in the log.
  if (type.toLowerCase() !== 'vault') throw new Refusal('bad-request', 'Wallet-Type must be vault');
  return { address, token };
}

/** What a caller is told who names no wallet where nobody else signs for him. */
export function walletMissing(): Refusal {
  return credentialsMissing(
    `Wallet headers="${WALLET.join(', ')}"`,
    'no wallet is named and there is no default account: send Wallet-Type: vault, the URL of the account in ' +
      'Wallet-Address, and a token for it in Wallet-Token',
  );
}

/** What an NGSILD-Tenant must match as a whole. */
export const TENANT_PATTERN = '[A-Za-z0-9_-]{1,64}';

const tenantPattern = new RegExp(`^${TENANT_PATTERN}$`);

/** Whether a text can be an NGSILD-Tenant. */
export function isTenant(text: string): boolean {
  return tenantPattern.test(text);
}

/** The NGSILD-Tenant. Throws `Refusal('bad-request')` where it is not 1 to 64 of `A-Z a-z 0-9 _ -`. */
export function ngsiLdTenant(headers: Headers): string | undefined {
  const tenant = one(headers, 'NGSILD-Tenant');
  if (tenant === undefined || isTenant(tenant)) return tenant;
  throw new Refusal('bad-request', `NGSILD-Tenant must match ${TENANT_PATTERN}, not ${quoted(tenant)}`);
}

/** The Idempotency-Key. Throws `Refusal('bad-request')` where it is not 1 to 255 printable ASCII characters. */
export function idempotencyKey(headers: Headers): string | undefined {
  const key = one(headers, 'Idempotency-Key');
  if (key === undefined || /^[ -~]{1,255}$/.test(key)) return key;
  throw new Refusal('bad-request', 'Idempotency-Key must be 1 to 255 printable ASCII characters');
}

/**
 * The Link header as it was sent; undefined where it has no value. What it says is not judged: clients of the original
 * send what they like. Throws `Refusal('bad-request')` for what is not printable ASCII, since nobody could know which
 * characters were meant.
 */
export function linkHeader(headers: Headers): string | undefined {
  const link = one(headers, 'Link') ?? '';
  if (/^[ -~]*$/.test(link)) return link === '' ? undefined : link;
  throw new Refusal('bad-request', 'Link must be printable ASCII characters, in one line');
}

/**
 * Related-Entity (ledger §4, query entities); whether it is a URI is judged with the query. Node reads headers as
 * Latin-1, but ids beyond ASCII are UTF-8 everywhere else. Throws `Refusal('bad-request')` for what is no UTF-8.
 */
export function relatedEntity(headers: Headers): string | undefined {
  const sent = one(headers, 'Related-Entity');
  const bytes = Buffer.from(sent ?? '', 'latin1');
  if (!isUtf8(bytes)) throw new Refusal('bad-request', 'Related-Entity must be a URI in UTF-8');
  return sent === undefined ? undefined : bytes.toString('utf8');
}

/** The value of a header that may come once. Throws `Refusal('bad-request')` where it comes more often. */
function one(headers: Headers, name: string): string | undefined {
  const values = headers[name.toLowerCase()] ?? [];
  if (values.length > 1)
    throw new Refusal('bad-request', `${name} must be given once, not ${values.length} times`);
  return values[0];
}
