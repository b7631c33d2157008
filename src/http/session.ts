import type { IncomingMessage } from 'node:http';
import { Refusal } from '../errors.js';

/** The holder of a session of the console. `token` is the tenant's token of the identity service, not verified. */
export type SessionHolder =
  | { readonly kind: 'operator' }
  | { readonly kind: 'tenant'; readonly token: string };

/** A session of the console, as the cookie of a request shows it. */
export interface Session {
  readonly holder: SessionHolder;
  /** Value of X-CSRF-Token in requests that change something. No two sessions have the same. */
  readonly csrf: string;
  /** ms since the epoch. */
  readonly endsAt: number;
  /** Why this request must not use the session: another page may have sent it. undefined if it may. */
  readonly refused: string | undefined;
}

/**
 * Reads the session of a request. undefined without a valid cookie, and for a request with a token in a header: the header
 * takes precedence. Never rejects.
 */
export type ReadSession = (req: IncomingMessage) => Promise<Session | undefined> | undefined;

/** Returns the holder of a session. Throws `Refusal('forbidden')` if the request must not use it. */
export function holderOf({ holder, refused }: Session): SessionHolder {
  if (refused !== undefined) throw new Refusal('forbidden', refused);
  return holder;
}
