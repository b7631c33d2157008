import { fieldOf, textOf } from '../untrusted/json.js';
import { adminSession, type AdminToken, missingRight, refusedCredentials } from './admin-session.js';
import {
  type Answer,
  answerJson,
  isToken,
  malformed,
  pathBase,
  type RemoteOptions,
  send,
  unexpected,
  withTimeout,
} from './exchange.js';
import type { Credentials, IssuingIdentity, Principal } from './port.js';

/** Settings of the two Keystone adapters. */
export interface KeystoneOptions extends RemoteOptions {
  /** Address of the API with its version: `http://host:5000/v2.0` or `http://host:5000/v3`. */
  readonly url: string;
  /** Account of this service. Keystone's policy must allow it to validate the tokens of others. */
  readonly admin: Credentials;
}

/** What distinguishes the versions of the API. */
interface Version {
  /** Path of a login below the address. */
  readonly loginPath: string;
  readonly loginBody: (credentials: Credentials) => object;
  /** Statuses of a login that issued a token. */
  readonly issued: readonly number[];
  /** Where a login has the new token, for messages. */
  readonly idAt: string;
  readonly idIn: (answer: Answer) => string | undefined;
  /** Path to a token in an answer, and its members with the tenant and the time when it ends. */
  readonly token: readonly string[];
  readonly tenant: string;
  readonly expires: string;
  /** Path to the name of the token's user in an answer. */
  readonly user: readonly string[];
  readonly check: (token: string) => {
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  /** Statuses for a valid token. */
  readonly valid: readonly number[];
  /** Statuses for another. 401 with a fresh token of the service concerns the caller's token. 414 and 431: too long. */
  readonly invalid: readonly number[];
}

const v2: Version = {
  loginPath: '/tokens',
  loginBody: ({ tenant, user, password }) => ({
    auth: { tenantName: tenant, passwordCredentials: { username: user, password } },
  }),
  issued: [200, 203],
  idAt: 'access.token.id',
  idIn: (answer) => textOf(fieldOf(answerJson(answer), 'access', 'token', 'id')),
  token: ['access', 'token'],
  tenant: 'tenant',
  expires: 'expires',
  user: ['access', 'user', 'name'],
  check: (token) => ({ path: `/tokens/${encodeURIComponent(token)}`, headers: {} }),
  valid: [200, 203],
  invalid: [401, 404, 414, 431],
};

/** Omits the unused catalogue, which may be a hundred times as long as the rest. */
const V3_TOKENS = '/auth/tokens?nocatalog';

const v3: Version = {
  loginPath: V3_TOKENS,
  loginBody({ tenant, user: name, password }) {
    const slash = tenant.indexOf('/');
    const domain = slash === -1 ? { id: 'default' } : { name: tenant.slice(0, slash) };
    const user = { name, password, domain };
    const project = { name: tenant.slice(slash + 1), domain };
    return { auth: { identity: { methods: ['password'], password: { user } }, scope: { project } } };
  },
  issued: [201],
  idAt: 'X-Subject-Token',
  idIn: ({ headers }) => headers.get('x-subject-token') ?? undefined,
  token: ['token'],
  tenant: 'project',
  expires: 'expires_at',
  user: ['token', 'user', 'name'],
  check: (token) => ({ path: V3_TOKENS, headers: { 'x-subject-token': token } }),
  valid: [200],
  invalid: [401, 404, 431],
};

/**
 * Verifies tokens with OpenStack's Identity API v2.0, as FIWARE's Policy Manager did: POST {url}/tokens for the
 * service's own token and the tokens of users (policy §5, rules 2 and 3), GET {url}/tokens/{id} for the token to verify.
 */
export function keystoneV2(options: KeystoneOptions): IssuingIdentity {
  return keystone(options, v2);
}

/**
 * Verifies tokens with OpenStack's Identity API v3. The tenant is the project of the token's scope. In a login, project
 * and user are in the domain `default`; a tenant of the form `domain/project` names another domain for both.
 */
export function keystoneV3(options: KeystoneOptions): IssuingIdentity {
  return keystone(options, v3);
}

function keystone(options: KeystoneOptions, version: Version): IssuingIdentity {
  const { admin, timeoutMs, fetch = globalThis.fetch, now = Date.now } = options;
  const base = pathBase(options.url);

  /** Returns a new token. undefined if Keystone refuses the credentials. */
  async function issued(credentials: Credentials, signal: AbortSignal): Promise<AdminToken | undefined> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const body = JSON.stringify(version.loginBody(credentials));
    const request = { url: base + version.loginPath, method: 'POST', headers, body } as const;
    const answer = await send(fetch, request, signal);
    if (answer.status === 401 || answer.status === 403) return undefined;
    if (!version.issued.includes(answer.status)) throw unexpected(answer, 'a login');
    const id = version.idIn(answer);
    if (id === undefined) throw malformed(`a login without ${version.idAt}`);
    return { id, expiresAt: instantOf(fieldOf(answerJson(answer), ...version.token, version.expires)) };
  }

  async function login(signal: AbortSignal): Promise<AdminToken> {
    const token = await issued(admin, signal);
    if (token !== undefined) return token;
    throw refusedCredentials('IDENTITY_ADMIN_TENANT, IDENTITY_ADMIN_USER and IDENTITY_ADMIN_PASSWORD');
  }

  const session = adminSession({ login, timeoutMs, now });

  return {
    async verify(token) {
      if (!isToken(token)) return undefined;
      const { path, headers } = version.check(token);
      const answer = await withTimeout(timeoutMs, (signal) =>
        session.request((own) => {
          const sent = { 'x-auth-token': own, ...headers, accept: 'application/json' };
          return send(fetch, { url: base + path, method: 'GET', headers: sent }, signal);
        }),
      );
      if (version.invalid.includes(answer.status)) return undefined;
      if (answer.status === 403) throw missingRight();
      if (!version.valid.includes(answer.status)) throw unexpected(answer, 'the check of a token');
      return principalOf(answerJson(answer), version, now());
    },
    login: async (credentials) => (await withTimeout(timeoutMs, (signal) => issued(credentials, signal)))?.id,
    async close() {},
  };
}

/**
 * Parses a time of Keystone: ISO 8601 with up to six decimals; without a zone, as in old versions, it is UTC. Returns ms
 * since the epoch. Throws `IdentityUnavailable` for anything else.
 */
function instantOf(value: unknown): number {
  const text = textOf(value) ?? '';
  const ms = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(ms)) throw malformed('a token without the time when it ends');
  return ms;
}

/**
 * Returns the principal of a validated token, from the answer to its check. undefined if the token has no tenant or is
 * expired. Throws `IdentityUnavailable` for a malformed answer.
 */
function principalOf(answer: unknown, version: Version, now: number): Principal | undefined {
  const tenant = fieldOf(answer, ...version.token, version.tenant);
  const expiresAt = instantOf(fieldOf(answer, ...version.token, version.expires));
  if (tenant === undefined || tenant === null || expiresAt <= now) return undefined;
  const id = textOf(fieldOf(tenant, 'id'));
  const name = textOf(fieldOf(tenant, 'name'));
  if (id === undefined || name === undefined) throw malformed('a tenant without id or name');
  return { tenant: { id, name }, user: textOf(fieldOf(answer, ...version.user)), expiresAt };
}
