import { createHash, createHmac, randomBytes } from 'node:crypto';
import { SignJWT, errors, jwtVerify } from 'jose';
import { Refusal } from '../errors.js';
import { equalSecrets } from '../system/equal-secrets.js';
import { guessLimit } from './guess-limit.js';
import type { Credentials, Identity } from './port.js';
import { tokenRequestOf, tokenResponse, type TokenResponse } from './tokens-api.js';

/** Settings of the embedded identity. */
export interface EmbeddedIdentityOptions {
  /** At least 32 bytes. A token is valid on every node with the same secret. */
  readonly secret: Uint8Array;
  readonly users: readonly Credentials[];
  /** Lifetime of a token, s. */
  readonly tokenTtlS: number;
  /** ms since the epoch. */
  readonly now?: () => number;
}

/** Identity service inside the process. It issues the tokens that it verifies. */
export interface EmbeddedIdentity extends Identity {
  /**
   * Answers POST {auth_url}/tokens (policy §5, rules 2 and 3). `body` is parsed JSON, `client` an address. Throws
   * `Refusal`: `bad-request` that names the faulty members; `unauthorized`, with one message for any wrong credential;
   * `too-many-requests` after too many wrong credentials for one account from one client.
   */
  readonly issue: (body: unknown, client?: string) => Promise<TokenResponse>;
}

interface Account extends Credentials {
  readonly userId: string;
  readonly tenantId: string;
  readonly key: Buffer;
}

/**
 * Creates the embedded identity, which issues and verifies signed tokens and stores none. Each account signs with its own
 * key, derived from the secret, tenant, user and password. Tokens therefore survive restarts, and end when their user is
 * removed or gets another password. Throws an `Error` for a secret under 32 bytes.
 */
export function embeddedIdentity(options: EmbeddedIdentityOptions): EmbeddedIdentity {
  const { secret, users, tokenTtlS, now = Date.now } = options;
  if (secret.byteLength < 32) throw new Error('The secret of the embedded identity needs at least 32 bytes.');
  const accounts = new Map(
    users.map((user) => accountOf(secret, user)).map((account) => [account.userId, account]),
  );

  const attempts = guessLimit(now);

  function issuedTo({ kid = '' }: { readonly kid?: string }): Account {
    const account = accounts.get(kid);
    if (account === undefined) throw new errors.JWKSNoMatchingKey();
    return account;
  }

  function accountIn(request: Credentials): Account {
    const presented = keyOf(secret, request);
    let account: Account | undefined;
    // The loop visits all accounts: its duration does not reveal which exist.
    for (const candidate of accounts.values()) {
      if (equalSecrets(candidate.key, presented)) account = candidate;
    }
    if (account !== undefined) return account;
    throw new Refusal('unauthorized', 'The tenant, the user name or the password is wrong.');
  }

  return {
    async verify(token) {
      try {
        const { payload, protectedHeader } = await jwtVerify(token, (header) => issuedTo(header).key, {
          algorithms: ['HS256'],
          currentDate: new Date(now()),
        });
        const { tenantId: id, tenant: name, user } = issuedTo(protectedHeader);
        return payload.exp === undefined
          ? undefined
          : { tenant: { id, name }, user, expiresAt: payload.exp * 1000 };
      } catch {
        // The token is invalid. There is no remote service that could fail.
        return undefined;
      }
    },

    async issue(body, client = '') {
      const request = tokenRequestOf(body);
      // Guesses at unknown accounts count as well: the answers do not reveal which accounts exist.
      const account = attempts.limited([client, request.tenant, request.user], () => accountIn(request));
      return tokenOf(account, now(), tokenTtlS);
    },

    async close() {},
  };
}

async function tokenOf(account: Account, issuedAt: number, ttlS: number): Promise<TokenResponse> {
  const auditId = randomBytes(16).toString('base64url');
  const exp = Math.floor(issuedAt / 1000) + ttlS;
  const id = await new SignJWT({})
    .setProtectedHeader({ alg: 'HS256', kid: account.userId })
    .setJti(auditId)
    .setExpirationTime(exp)
    .sign(account.key);
  return tokenResponse({ id, auditId, issuedAt, expiresAt: exp }, account);
}

function accountOf(secret: Uint8Array, user: Credentials): Account {
  return {
    ...user,
    tenantId: embeddedTenantId(user.tenant),
    userId: idOf('user', user.tenant, user.user),
    key: keyOf(secret, user),
  };
}

function keyOf(secret: Uint8Array, { tenant, user, password }: Credentials): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify([tenant, user, password]))
    .digest();
}

/** Returns the id of a tenant of the embedded identity. */
export function embeddedTenantId(name: string): string {
  return idOf('tenant', name);
}

/** Returns an id of 32 hexadecimal digits, as Keystone's ids. Derived from the names: each node has the same ids. */
function idOf(...names: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 32);
}
