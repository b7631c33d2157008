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
 * Keeps one token of the service itself: got when it is first needed, renewed when nine tenths of its life are over or
 * when the identity service refuses it, and by one request however many callers wait for it.
 */
export function adminSession({ login, timeoutMs, now }: AdminSessionOptions): AdminSession {
  let current: { readonly id: string; readonly renewAt: number } | undefined;
  let pending: Promise<string> | undefined;

  async function renew(): Promise<string> {
    const askedAt = now();
    const { id, expiresAt } = await within(timeoutMs, login);
    // Node's fetch quotes a header value that it cannot send in its error; a token must never get that far.
    if (!isToken(id))
      throw new IdentityUnavailable('The identity service issued a token that no header can hold.');
    current = { id, renewAt: askedAt + (expiresAt - askedAt) * 0.9 };
    return id;
  }

  function token(): Promise<string> {
    if (pending !== undefined) return pending;
    if (current !== undefined && now() < current.renewAt) return Promise.resolve(current.id);
    pending = renew().finally(() => {
      pending = undefined;
    });
    return pending;
  }

  return {
    async ask(request) {
      const first = await token();
      const answer = await request(first);
      if (answer.status !== 401) return answer;
      // Only the token that was refused is dropped: another caller may have renewed it meanwhile.
      if (current?.id === first) current = undefined;
      return request(await token());
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
