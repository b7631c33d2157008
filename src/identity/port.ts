import { RetryableError } from '../errors.js';

/** Tenant that a token authenticates. */
export interface Principal {
  /** The tenant in the identity service. Paths accept its id and its name. */
  readonly tenant: { readonly id: string; readonly name: string };
  /** The user's name; undefined if the identity service does not give it. */
  readonly user?: string | undefined;
  /** When the token ends, ms since the epoch. */
  readonly expiresAt: number;
}

/** Verifies tokens. */
export interface Identity {
  /**
   * Returns the principal of a token. undefined if the token is unknown, expired, revoked or without a tenant. Throws
   * `IdentityUnavailable` if the identity service is unreachable, slow or failing.
   */
  verify(token: string): Promise<Principal | undefined>;
  close(): Promise<void>;
}

/** Name and password of a user of one tenant. */
export interface Credentials {
  readonly tenant: string;
  readonly user: string;
  readonly password: string;
}

/** An identity service that issues tokens to users. */
export interface IssuingIdentity extends Identity {
  /**
   * Returns a token of the tenant. undefined if the credentials are wrong. Throws `IdentityUnavailable` as `verify`
   * does.
   */
  login(credentials: Credentials): Promise<string | undefined>;
}

/** The identity service could not verify the token (policy §5, rule 7). */
export class IdentityUnavailable extends RetryableError {
  override readonly name = 'IdentityUnavailable';
  readonly code = 'identity-unavailable';
}
