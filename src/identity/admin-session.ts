import { cachedValue } from '../system/ttl-cache.js';
import { type Answer, isToken, withTimeout } from './exchange.js';
import { IdentityUnavailable } from './port.js';

/** Token of the service itself, which authorizes it to verify the tokens of others. */
export interface AdminToken {
  readonly id: string;
  /** ms since the epoch. */
  readonly expiresAt: number;
}

interface AdminSessionOptions {
  /** Requests a new token with the configured credentials. */
  readonly login: (signal: AbortSignal) => Promise<AdminToken>;
  readonly timeoutMs: number;
  /** ms since the epoch. */
  readonly now: () => number;
}

/**
 * Caches one token of the service itself. It is requested on first use, and again after nine tenths of its lifetime or
 * when the identity service refuses it. Concurrent callers share one request.
 */
export function adminSession({ login, timeoutMs, now }: AdminSessionOptions) {
  const token = cachedValue({
    ttlMs: Infinity,
    expiresAt: ({ renewAt }) => renewAt,
    now,
    async load() {
      const requestedAt = now();
      const { id, expiresAt } = await withTimeout(timeoutMs, login);
      // Node's fetch quotes an unsendable header value in its error, and would so reveal the token.
      if (!isToken(id))
        throw new IdentityUnavailable('The identity service issued a token that no header can hold.');
      return { id, renewAt: requestedAt + (expiresAt - requestedAt) * 0.9 };
    },
  });

  return {
    /**
     * Calls `send` with the cached token; if the answer is 401, once more with a new token. Throws the errors of `login`
     * and `send`.
     */
    async request(send: (token: string) => Promise<Answer>): Promise<Answer> {
      const first = await token.get();
      const answer = await send(first.id);
      if (answer.status !== 401) return answer;
      // Only the refused token: another caller may have renewed it meanwhile.
      token.delete(first);
      return send((await token.get()).id);
    },
  };
}

/** Returns the error for credentials of this service that the identity service refuses. */
export function refusedCredentials(settings: string): IdentityUnavailable {
  return new IdentityUnavailable(
    `The identity service refused the credentials of this service itself; check ${settings}.`,
  );
}

/** Returns the error for valid credentials without the right to verify the tokens of others. */
export function missingRight(): IdentityUnavailable {
  return new IdentityUnavailable(
    'The identity service does not let this service check tokens; give IDENTITY_ADMIN_USER the role for it.',
  );
}
