/**
 * Why the service refuses a request. Only the HTTP edge turns a code into a status and a body (`src/http/failures`).
 */
export type RefusalCode =
  /** The request cannot be parsed. */
  | 'unreadable'
  /** The request can be parsed and breaks a rule. */
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'not-acceptable'
  | 'method-not-allowed'
  | 'timeout'
  /** The Host header names another server. */
  | 'misdirected'
  | 'conflict'
  | 'too-large'
  | 'unsupported-media-type'
  | 'unprocessable'
  /** The caller sends too many requests; `retryAfterS` is set. */
  | 'too-many-requests'
  | 'internal'
  /** The service has no form for what it is asked for. */
  | 'not-implemented'
  /** A server behind the service gave an invalid answer. */
  | 'bad-gateway'
  | 'unavailable'
  /** The work continues, and its outcome was not known in time. */
  | 'gateway-timeout';

/** A refused request. The service changed nothing for it, unless the message says that the outcome is unknown. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  /** Seconds after which a retry may succeed; always set for `unavailable`. */
  readonly retryAfterS: number | undefined;
  /** Additional members of the error's body; an error format without room for them omits them. */
  readonly members: Readonly<Record<string, string | number>>;

  constructor(
    code: RefusalCode,
    message: string,
    options: {
      readonly retryAfterS?: number;
      readonly cause?: unknown;
      readonly members?: Readonly<Record<string, string | number>>;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterS = options.retryAfterS ?? (code === 'unavailable' ? 1 : undefined);
    this.members = options.members ?? {};
  }
}

/** Returns the refusal of work for which there is no room at the moment, such as in a queue; `what` says which. */
export function overloaded(what: string): Refusal {
  return new Refusal('unavailable', `${what}; nothing was done, try again in a second`);
}

/** Errors of ports that a retry cannot resolve, by class. */
export type TerminalCode = 'chain-misfit' | 'broker-refused' | 'unstorable' | 'unreadable-actor';

/** Errors of ports that a retry may resolve, by class. */
export type RetryableCode =
  | 'store-unavailable'
  | 'identity-unavailable'
  | 'chain-unavailable'
  | 'broker-unavailable';

/**
 * An error of something outside the service (store, chain, broker, identity service) that a retry of the same call
 * cannot resolve. `cause` holds the original error.
 */
export abstract class TerminalError extends Error {
  abstract readonly code: TerminalCode;
}

/**
 * An error of something outside the service that a retry of the same call may resolve: no answer, a late one, or a
 * temporary failure. The call may have taken effect. `cause` holds the original error.
 */
export abstract class RetryableError extends Error {
  abstract readonly code: RetryableCode;
  /** The error text of the network or the other side, such as `connection refused`, without addresses and secrets. */
  readonly reason: string | undefined;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly reason?: string | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = options.reason;
  }
}

/** The service cannot start, for an expected reason. The message says how to resolve it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Maximum number of problems that one answer lists. */
const SHOWN = 20;

/** Collects the problems of a request, so that one answer lists them all. */
export class Problems {
  readonly #shown: string[] = [];
  #more = 0;

  /**
   * Adds a problem. `path` is the member, such as `contextResponses[0].contextElement`, or a function that returns it,
   * called only for problems that are listed. `what` says what is allowed. `unknown` is the name of a member that `path`
   * must not have: `PlacedProblems` shows where it is.
   */
  add(path: string | (() => string), what: string, unknown?: string): void;
  add(path: string | (() => string), what: string): void {
    if (this.#shown.length < SHOWN) {
      this.#shown.push(`${typeof path === 'string' ? path : path()}: ${what}`);
    } else this.#more += 1;
  }

  get any(): boolean {
    return this.#shown.length > 0;
  }

  /** The list of problems; empty if there are none. */
  get text(): string {
    return this.#shown.join('; ') + (this.#more > 0 ? `; and ${this.#more} more` : '');
  }

  /** Throws `Refusal('bad-request')` with the list of problems. Does nothing if there are none. */
  refuse(): void {
    if (this.any) throw new Refusal('bad-request', this.text);
  }
}
