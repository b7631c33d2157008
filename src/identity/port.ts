import { RetryableError } from '../errors.js';

/** Who a token speaks for. */
export interface Principal {
  /** The tenant as the identity service shows it: both its id and its name are accepted in paths. */
  readonly tenant: { readonly id: string; readonly name: string };
  /** When the token ends, ms since the epoch. */
  readonly expiresAt: number;
}

/** Checks tokens. */
export interface Identity {
  /**
   * Who the token speaks for, or undefined when it is unknown, expired, revoked or bound to no tenant. Throws
   * `IdentityUnavailable` when the identity service cannot be reached, is slow or fails itself.
   */
  verify(token: string): Promise<Principal | undefined>;
  close(): Promise<void>;
}

/** The identity service could not say whether the token is valid (policy §5, rule 7). */
export class IdentityUnavailable extends RetryableError {
  override readonly name = 'IdentityUnavailable';
  readonly code = 'identity-unavailable';
}
