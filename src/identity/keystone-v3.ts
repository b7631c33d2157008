import { adminSession, type AdminToken, missingRight, refusedCredentials } from './admin-session.js';
import { answerJson, baseUrl, isToken, malformed, send, unexpected, withTimeout } from './exchange.js';
import { fieldOf } from '../untrusted/json.js';
import { ADMIN_SETTINGS, type KeystoneOptions, instantOf, principalOf } from './keystone-answer.js';
import type { Credentials, IssuingIdentity } from './port.js';

/**
 * Verifies tokens with OpenStack's Identity API v3. The tenant is the project of the token's scope. In a login, project
 * and user are in the domain `default`; a tenant of the form `domain/project` names another domain for both. Throws an
 * `Error` for an unusable url.
 */
export function keystoneV3(options: KeystoneOptions): IssuingIdentity {
  const { admin, timeoutMs, fetch = globalThis.fetch, now = Date.now } = options;
  const tokens = `${baseUrl(options.url)}/auth/tokens`;
  // Omits the unused catalogue, which may be a hundred times as long as the rest.
  const check = `${tokens}?nocatalog`;

  /** Returns a new token. undefined if Keystone refuses the credentials. */
  async function issued(credentials: Credentials, signal: AbortSignal): Promise<AdminToken | undefined> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const request = { url: check, method: 'POST', headers, body: loginBody(credentials) } as const;
    const answer = await send(fetch, request, signal);
    if (answer.status === 401 || answer.status === 403) return undefined;
    if (answer.status !== 201) throw unexpected(answer, 'a login');
    const id = answer.headers.get('x-subject-token');
    if (id === null) throw malformed('a login without X-Subject-Token');
    return { id, expiresAt: instantOf(fieldOf(answerJson(answer), 'token', 'expires_at')) };
  }

  async function login(signal: AbortSignal): Promise<AdminToken> {
    const token = await issued(admin, signal);
    if (token === undefined) throw refusedCredentials(ADMIN_SETTINGS);
    return token;
  }

  const session = adminSession({ login, timeoutMs, now });

  return {
    async verify(token) {
      if (!isToken(token)) return undefined;
      const answer = await withTimeout(timeoutMs, (signal) =>
        session.request((own) => {
          const headers = { 'x-auth-token': own, 'x-subject-token': token, accept: 'application/json' };
          return send(fetch, { url: check, method: 'GET', headers }, signal);
        }),
      );
      // 401 with a fresh token of the service concerns the caller's token. 431: too long to be a token.
      if ([401, 404, 431].includes(answer.status)) return undefined;
      if (answer.status === 403) throw missingRight();
      if (answer.status !== 200) throw unexpected(answer, 'the check of a token');
      const validated = fieldOf(answerJson(answer), 'token');
      return principalOf(fieldOf(validated, 'project'), fieldOf(validated, 'expires_at'), now());
    },
    login: async (credentials) => (await withTimeout(timeoutMs, (signal) => issued(credentials, signal)))?.id,
    async close() {},
  };
}

function loginBody({ tenant, user: name, password }: Credentials): string {
  const slash = tenant.indexOf('/');
  const domain = slash === -1 ? { id: 'default' } : { name: tenant.slice(0, slash) };
  const user = { name, password, domain };
  const project = { name: tenant.slice(slash + 1), domain };
  return JSON.stringify({
    auth: { identity: { methods: ['password'], password: { user } }, scope: { project } },
  });
}
