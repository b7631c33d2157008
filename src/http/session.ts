import type { IncomingMessage } from 'node:http';
import { Refusal } from '../errors.js';
import type { Principal } from '../identity/port.js';

/**
 * The holder of a session of the console. `token` is the tenant's token of the identity service, not verified. Who logged in
 * at an OpenID provider has a verified principal instead, or as an operator a name.
 */
export type SessionHolder =
  | { readonly kind: 'operator'; readonly user?: string | undefined }
  | { readonly kind: 'tenant'; readonly token: string }
  | { readonly kind: 'tenant'; readonly principal: Omit<Principal, 'expiresAt'> };

/** A session of the console, as the cookie of a request shows it. */
export interface Session {
  readonly holder: SessionHolder;
  /** Value of X-CSRF-Token in requests that change something. No two sessions have the same. */
  readonly csrf: string;
  /** ms since the epoch. */
  readonly endsAt: number;
  /** Set by a login at an OpenID provider. `idToken` is for the logout there; undefined if it did not fit into the cookie. */
  readonly sso?: { readonly idToken: string | undefined } | undefined;
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
