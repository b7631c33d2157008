import { isUtf8 } from 'node:buffer';
import { Refusal } from '../../errors.js';
import { credentialsMissing } from '../../http/failures/failure.js';
import { quoted } from '../../untrusted/text.js';
import { type NamedWallet, WALLET_TYPE_NAMES, walletTypes } from '../../wallets/named-wallet.js';
import type { EdgeContext, EdgeMiddleware, EdgeState } from '../../http/context.js';
import type { OfTenant } from '../operation.js';
import { onlyValue } from './query.js';

/**
 * The values of each header, by its name in lower case. Values that node joins look like one value with
 * commas.
 */
export type Headers = Readonly<Record<string, readonly string[] | undefined>>;

/** The headers that name the wallet (ledger §5). */
const WALLET = ['Wallet-Type', 'Wallet-Token', 'Wallet-Address'] as const;

/**
 * Returns the wallet that is to sign; undefined if all headers are absent or empty. Throws `Refusal('bad-request')` that
 * names the missing headers, and for a type that is not one of `WALLET_TYPE_NAMES` (in any letter case).
 */
export function namedWallet(headers: Headers): NamedWallet | undefined {
  const [named = '', token = '', address = ''] = WALLET.map((name) => one(headers, name));
  const absent = WALLET.filter((name) => (one(headers, name) ?? '') === '');
  if (absent.length === WALLET.length) return undefined;
  const type = WALLET_TYPE_NAMES.find((known) => known === named.toLowerCase());
  const isOptional = type !== undefined && walletTypes[type].token.optional;
  const missing = absent.filter((name) => !(isOptional && name === 'Wallet-Token'));
  // Not quoted: a client that confuses the headers sends its token here.
  const types = `Wallet-Type must be ${WALLET_TYPE_NAMES.join(' or ')}`;
  if (missing.length > 0) {
    const together = isOptional
      ? `of type ${type} is named by Wallet-Type and Wallet-Address together, and a Wallet-Token if a proxy wants one`
      : `is named by ${WALLET.join(', ')} together`;
    const also = named === '' || type !== undefined ? '' : `; ${types}`;
    throw new Refusal('bad-request', `${missing.join(' and ')} missing: a wallet ${together}${also}`);
  }
  if (type === undefined) throw new Refusal('bad-request', types);
  return { type, address, token };
}

/** Returns the refusal of a request without a wallet, for a service without a default account. */
export function walletMissing(): Refusal {
  return credentialsMissing(
    `Wallet headers="${WALLET.join(', ')}"`,
    'no wallet is named and there is no default account: send Wallet-Type: vault, the URL of the account in ' +
      'Wallet-Address, and a token for it in Wallet-Token',
  );
}

/** The pattern of an NGSILD-Tenant. */
export const TENANT_PATTERN = '[A-Za-z0-9_-]{1,64}';

const tenantPattern = new RegExp(`^${TENANT_PATTERN}$`);

/** True for a text that can be an NGSILD-Tenant. */
export function isTenant(text: string): boolean {
  return tenantPattern.test(text);
}

/** Returns the NGSILD-Tenant. Throws `Refusal('bad-request')` unless it is 1 to 64 of `A-Z a-z 0-9 _ -`. */
function ngsiLdTenant(headers: Headers): string | undefined {
  const tenant = one(headers, 'NGSILD-Tenant');
  if (tenant === undefined || isTenant(tenant)) return tenant;
  throw new Refusal('bad-request', `NGSILD-Tenant must match ${TENANT_PATTERN}, not ${quoted(tenant)}`);
}

/** Returns the Idempotency-Key. Throws `Refusal('bad-request')` unless it is 1 to 255 printable ASCII characters. */
export function idempotencyKey(headers: Headers): string | undefined {
  const key = one(headers, 'Idempotency-Key');
  if (key === undefined || /^[ -~]{1,255}$/.test(key)) return key;
  throw new Refusal('bad-request', 'Idempotency-Key must be 1 to 255 printable ASCII characters');
}

/**
 * Returns the Link header as it was sent; undefined if it is empty. Its content is not checked: clients of CanisMajor send
 * any text. Throws `Refusal('bad-request')` for characters that are not printable ASCII: their encoding is unknown.
 */
export function linkHeader(headers: Headers): string | undefined {
  const link = one(headers, 'Link') ?? '';
  if (/^[ -~]*$/.test(link)) return link === '' ? undefined : link;
  throw new Refusal('bad-request', 'Link must be printable ASCII characters, in one line');
}

/**
 * Returns Related-Entity (ledger §4, query entities); the query's checks include that it is a URI. Node decodes headers
 * as Latin-1; ids are UTF-8. Throws `Refusal('bad-request')` for bytes that are no UTF-8.
 */
export function relatedEntity(headers: Headers): string | undefined {
  const sent = one(headers, 'Related-Entity');
  const bytes = Buffer.from(sent ?? '', 'latin1');
  if (!isUtf8(bytes)) throw new Refusal('bad-request', 'Related-Entity must be a URI in UTF-8');
  return sent === undefined ? undefined : bytes.toString('utf8');
}

/** Returns the value of a header. Throws `Refusal('bad-request')` for several values. */
function one(headers: Headers, name: string): string | undefined {
  return onlyValue(name, headers[name.toLowerCase()]);
}

/** Throws what `tenantOf` throws, before any other check of the request. */
const tenantAllowed: EdgeMiddleware = (ctx, next) => {
  tenantOf(ctx);
  return next();
};

/**
 * Counts the request for its tenant: that of the token, else the NGSILD-Tenant. Runs after `tenantAllowed`. Throws
 * `Refusal('unavailable')`.
 */
const tenantCounted: EdgeMiddleware = (ctx, next) => {
  const { principal, permit }: Partial<EdgeState> = ctx.state;
  const { tenant } = tenantOf(ctx);
  if (tenant !== undefined) permit?.countForTenant(tenant, principal !== undefined);
  return next();
};

/** The checks of who asks. `authenticated` checks the token (LEDGER_AUTH=token); undefined without that check. */
export function callerChecks(authenticated: EdgeMiddleware | undefined): readonly EdgeMiddleware[] {
  return [...(authenticated === undefined ? [] : [authenticated]), tenantAllowed, tenantCounted];
}

/**
 * Returns the tenant of a request. With LEDGER_AUTH=token it is the id of the token's tenant, since names are not unique;
 * an NGSILD-Tenant must be that id or the tenant's name. Otherwise it is the NGSILD-Tenant, if any. Throws `Refusal`:
 * `bad-request`, `forbidden`.
 */
export function tenantOf(ctx: EdgeContext): OfTenant {
  const asked = ngsiLdTenant(ctx.req.headersDistinct);
  const { principal }: Partial<EdgeState> = ctx.state;
  if (principal === undefined) return { tenant: asked, tenantName: undefined };
  const { id, name } = principal.tenant;
  if (asked !== undefined && asked !== id && asked !== name) {
    throw new Refusal('forbidden', 'NGSILD-Tenant is not the tenant that the token was issued for');
  }
  checkTenantId(id);
  return { tenant: id, tenantName: asked === id ? undefined : asked };
}

/**
 * Throws `Refusal('forbidden')` for the id of a token's tenant that is not an NGSILD-Tenant: it could be the name of the
 * entity index of all tenants.
 */
export function checkTenantId(id: string): void {
  if (isTenant(id)) return;
  throw new Refusal(
    'forbidden',
    `the tenant of the token cannot use the ledger: its id must match ${TENANT_PATTERN}, as an NGSILD-Tenant does`,
  );
}

/** Returns an Idempotency-Key with its scope: with LEDGER_AUTH=token each tenant has keys of its own. */
export function scopedKey(ctx: EdgeContext, key: string, { tenant }: OfTenant): string {
  const { principal }: Partial<EdgeState> = ctx.state;
  // A key holds no line break: no key equals another one with its tenant.
  return principal === undefined ? key : `${tenant}\n${key}`;
}
