import { adminSession, missingRight, refusedCredentials } from './admin-session.js';
import type { AdminToken } from './admin-session.js';
import { ask, jsonOf, malformed, baseUrl, unexpected, within } from './ask.js';
import { fieldOf } from '../untrusted/json.js';
import { ADMIN_SETTINGS, type KeystoneOptions, instantOf, principalOf } from './keystone-answer.js';
import type { Identity } from './port.js';
import { isToken } from './token.js';

/**
 * Checks tokens with OpenStack's Identity API v3; the tenant is the project that a token is scoped to. The service's
 * own project and user are in the domain `default`, unless `admin.tenant` reads `domain/project`, which names the
 * domain of both. Throws an `Error` for an unusable url.
 */
export function keystoneV3(options: KeystoneOptions): Identity {
  const { admin, timeoutMs, fetch = globalThis.fetch, now = Date.now } = options;
  const tokens = `${baseUrl(options.url)}/auth/tokens`;
  // The catalogue may be a hundred times as long as the rest, and nobody here reads it.
  const check = `${tokens}?nocatalog`;

  async function login(signal: AbortSignal): Promise<AdminToken> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const question = { url: check, method: 'POST', headers, body: loginBody(admin) } as const;
    const answer = await ask(fetch, question, signal);
    if (answer.status === 401 || answer.status === 403) throw refusedCredentials(ADMIN_SETTINGS);
    if (answer.status !== 201) throw unexpected(answer, 'the login of this service');
    const id = answer.headers.get('x-subject-token');
    if (id === null) throw malformed('a login without X-Subject-Token');
    return { id, expiresAt: instantOf(fieldOf(jsonOf(answer), 'token', 'expires_at')) };
  }

  const session = adminSession({ login, timeoutMs, now });

  return {
    async verify(token) {
      if (!isToken(token)) return undefined;
      const answer = await within(timeoutMs, (signal) =>
        session.ask((own) => {
          const headers = { 'x-auth-token': own, 'x-subject-token': token, accept: 'application/json' };
          return ask(fetch, { url: check, method: 'GET', headers }, signal);
        }),
      );
      // 401 with a fresh token of our own can only mean the other one; 431: longer than any that was issued.
      if ([401, 404, 431].includes(answer.status)) return undefined;
      if (answer.status === 403) throw missingRight();
      if (answer.status !== 200) throw unexpected(answer, 'the check of a token');
      const validated = fieldOf(jsonOf(answer), 'token');
      return principalOf(fieldOf(validated, 'project'), fieldOf(validated, 'expires_at'), now());
    },
    async close() {},
  };
}

function loginBody(admin: KeystoneOptions['admin']): string {
  const slash = admin.tenant.indexOf('/');
  const domain = slash === -1 ? { id: 'default' } : { name: admin.tenant.slice(0, slash) };
  const user = { name: admin.user, password: admin.password, domain };
  const project = { name: admin.tenant.slice(slash + 1), domain };
  return JSON.stringify({
    auth: { identity: { methods: ['password'], password: { user } }, scope: { project } },
  });
}
