import { cachedValue } from '../system/ttl-cache.js';
import { type Answer, within } from './ask.js';
import { IdentityUnavailable } from './port.js';
import { isToken } from './token.js';

/** The service's own token, with which it may look at the tokens of others. */
export interface AdminToken {
  readonly id: string;
  /** ms since the epoch. */
  readonly expiresAt: number;
}

/** What a session needs. */
interface AdminSessionOptions {
  /** Gets a new token with the configured credentials. */
  readonly login: (signal: AbortSignal) => Promise<AdminToken>;
  readonly timeoutMs: number;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Requests made with the service's own token. */
interface AdminSession {
  /**
   * Calls `request` with a token that is believed valid and, when the answer is 401, once more with a new one. Throws
   * what `login` and `request` throw.
   */
  ask(request: (token: string) => Promise<Answer>): Promise<Answer>;
}

/**
 * Caches one token of the service itself. It is requested on first use, and again after nine tenths of its lifetime or
 * when the identity service refuses it. Concurrent callers share one request.
 */
export function adminSession({ login, timeoutMs, now }: AdminSessionOptions): AdminSession {
  const token = cachedValue({
    ttlMs: Infinity,
    expiresAt: ({ renewAt }) => renewAt,
    now,
    async load() {
      const requestedAt = now();
      const { id, expiresAt } = await within(timeoutMs, login);
      // Node's fetch quotes an unsendable header value in its error, and would so reveal the token.
      if (!isToken(id))
        throw new IdentityUnavailable('The identity service issued a token that no header can hold.');
      return { id, renewAt: requestedAt + (expiresAt - requestedAt) * 0.9 };
    },
  });

  return {
    async ask(request) {
      const first = await token.get();
      const answer = await request(first.id);
      if (answer.status !== 401) return answer;
      // Only the refused token: another caller may have renewed it meanwhile.
      token.delete(first);
      return request((await token.get()).id);
    },
  };
}

/** The error for credentials of the service itself that the identity service does not take. */
export function refusedCredentials(settings: string): IdentityUnavailable {
  return new IdentityUnavailable(
    `The identity service refused the credentials of this service itself; check ${settings}.`,
  );
}

/** The error for credentials that are right but may not look at the tokens of others. */
export function missingRight(): IdentityUnavailable {
  return new IdentityUnavailable(
    'The identity service does not let this service check tokens; give IDENTITY_ADMIN_USER the role for it.',
  );
}
