import { adminSession, type AdminToken, missingRight, refusedCredentials } from './admin-session.js';
import { answerJson, baseUrl, isToken, malformed, send, unexpected, withTimeout } from './exchange.js';
import { fieldOf, textOf } from '../untrusted/json.js';
import { ADMIN_SETTINGS, type KeystoneOptions, instantOf, principalOf } from './keystone-answer.js';
import type { Credentials, IssuingIdentity } from './port.js';

/**
 * Verifies tokens with OpenStack's Identity API v2.0, as FIWARE's Policy Manager did: POST {url}/tokens for the
 * service's own token and the tokens of users (policy §5, rules 2 and 3), GET {url}/tokens/{id} for the token to verify.
 * Throws an `Error` for an unusable url.
 */
export function keystoneV2(options: KeystoneOptions): IssuingIdentity {
  const { admin, timeoutMs, fetch = globalThis.fetch, now = Date.now } = options;
  const tokens = `${baseUrl(options.url)}/tokens`;

  /** Returns a new token. undefined if Keystone refuses the credentials. */
  async function issued(
    { tenant, user, password }: Credentials,
    signal: AbortSignal,
  ): Promise<AdminToken | undefined> {
    const passwordCredentials = { username: user, password };
    const body = JSON.stringify({ auth: { tenantName: tenant, passwordCredentials } });
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const answer = await send(fetch, { url: tokens, method: 'POST', headers, body }, signal);
    if (answer.status === 401 || answer.status === 403) return undefined;
    if (answer.status !== 200 && answer.status !== 203) throw unexpected(answer, 'a login');
    const token = fieldOf(answerJson(answer), 'access', 'token');
    const id = textOf(fieldOf(token, 'id'));
    if (id === undefined) throw malformed('a login without access.token.id');
    return { id, expiresAt: instantOf(fieldOf(token, 'expires')) };
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
      const url = `${tokens}/${encodeURIComponent(token)}`;
      const answer = await withTimeout(timeoutMs, (signal) =>
        session.request((own) =>
          send(
            fetch,
            { url, method: 'GET', headers: { 'x-auth-token': own, accept: 'application/json' } },
            signal,
          ),
        ),
      );
      // 401 with a fresh token of the service concerns the caller's token. 414 and 431: too long to be a token.
      if ([401, 404, 414, 431].includes(answer.status)) return undefined;
      if (answer.status === 403) throw missingRight();
      if (answer.status !== 200 && answer.status !== 203) throw unexpected(answer, 'the check of a token');
      const validated = fieldOf(answerJson(answer), 'access', 'token');
      return principalOf(fieldOf(validated, 'tenant'), fieldOf(validated, 'expires'), now());
    },
    login: async (credentials) => (await withTimeout(timeoutMs, (signal) => issued(credentials, signal)))?.id,
    async close() {},
  };
}
