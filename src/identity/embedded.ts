import { createHash, createHmac, randomBytes } from 'node:crypto';
import { SignJWT, errors, jwtVerify } from 'jose';
import { Refusal } from '../errors.js';
import { equalSecrets } from '../system/equal-secrets.js';
import { guesses } from './guesses.js';
import type { Identity } from './port.js';
import { type TokenRequest, tokenRequestOf } from './token-request.js';
import type { TokenResponse } from './token-response.js';

/** What the embedded identity is given. */
interface EmbeddedIdentityOptions {
  /** At least 32 bytes; tokens are valid wherever and for as long as this is the same. */
  readonly secret: Uint8Array;
  readonly users: readonly { readonly tenant: string; readonly user: string; readonly password: string }[];
  /** Seconds that a token is valid. */
  readonly tokenTtlS: number;
  /** ms since the epoch. */
  readonly now?: () => number;
}

/** An identity service of our own: it issues the tokens that it checks. */
export interface EmbeddedIdentity extends Identity {
  /**
   * Answers POST {auth_url}/tokens (policy §5, rules 2 and 3) to a parsed JSON body. Throws `Refusal`: `bad-request`
   * naming the faulty members, `unauthorized` with the same message whatever of the credentials is wrong,
   * `too-many-requests` after too many of these for one account from one `client`, an address.
   */
  readonly issue: (body: unknown, client?: string) => Promise<TokenResponse>;
}

interface Account extends TokenRequest {
  readonly userId: string;
  readonly tenantId: string;
  readonly key: Buffer;
}

/**
 * Issues and checks signed tokens without keeping any. Each account has a key of its own, made of the secret and the
 * account's three words: so tokens survive restarts, and end when their user is removed or given another password.
 * Throws an `Error` for a secret under 32 bytes.
 */
export function embeddedIdentity(options: EmbeddedIdentityOptions): EmbeddedIdentity {
  const { secret, users, tokenTtlS, now = Date.now } = options;
  if (secret.byteLength < 32) throw new Error('The secret of the embedded identity needs at least 32 bytes.');
  const accounts = new Map(
    users.map((user) => accountOf(secret, user)).map((account) => [account.userId, account]),
  );

  const attempts = guesses(now);

  function issuedTo({ kid = '' }: { readonly kid?: string }): Account {
    const account = accounts.get(kid);
    if (account === undefined) throw new errors.JWKSNoMatchingKey();
    return account;
  }

  function accountIn(request: TokenRequest): Account {
    const presented = keyOf(secret, request);
    let account: Account | undefined;
    // All accounts, without leaving early: how long it takes tells nothing about which exist.
    for (const candidate of accounts.values()) {
      if (equalSecrets(candidate.key, presented)) account = candidate;
    }
    if (account !== undefined) return account;
    throw new Refusal('unauthorized', 'The tenant, user name and password do not belong together.');
  }

  return {
    async verify(token) {
      try {
        const { payload, protectedHeader } = await jwtVerify(token, (header) => issuedTo(header).key, {
          algorithms: ['HS256'],
          currentDate: new Date(now()),
        });
        const { tenantId: id, tenant: name } = issuedTo(protectedHeader);
        return payload.exp === undefined
          ? undefined
          : { tenant: { id, name }, expiresAt: payload.exp * 1000 };
      } catch {
        // Nothing here can fail but the token: there is no service to reach.
        return undefined;
      }
    },

    async issue(body, client = '') {
      const request = tokenRequestOf(body);
      // Accounts that do not exist are counted as those that do: the answers tell nothing about which exist.
      const account = attempts.judged([client, request.tenant, request.user], () => accountIn(request));
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
  return {
    access: {
      token: {
        id,
        expires: new Date(exp * 1000).toISOString().replace('.000Z', 'Z'),
        issued_at: new Date(issuedAt).toISOString(),
        tenant: { description: '', enabled: true, id: account.tenantId, name: account.tenant },
        audit_ids: [auditId],
      },
      serviceCatalog: [],
      user: {
        id: account.userId,
        name: account.user,
        username: account.user,
        roles: [{ name: '_member_' }],
        roles_links: [],
      },
      metadata: { is_admin: 0, roles: [] },
    },
  };
}

function accountOf(secret: Uint8Array, user: TokenRequest): Account {
  return {
    ...user,
    tenantId: idOf('tenant', user.tenant),
    userId: idOf('user', user.tenant, user.user),
    key: keyOf(secret, user),
  };
}

function keyOf(secret: Uint8Array, { tenant, user, password }: TokenRequest): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify([tenant, user, password]))
    .digest();
}

/** 32 hex digits, as Keystone's ids; made of the names alone, so that every node and every restart has the same. */
function idOf(...names: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 32);
}
