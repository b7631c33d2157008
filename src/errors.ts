/**
 * Why a request was not carried out, in the service's own words. The HTTP edge alone turns a code into a status and
 * a body; nothing below it knows either.
 */
export type RefusalCode =
  /** What was sent cannot be read at all. */
  | 'unreadable'
  /** What was sent can be read, and breaks a rule. */
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'not-acceptable'
  | 'method-not-allowed'
  | 'timeout'
  /** Asked under a name that is not ours. */
  | 'misdirected'
  | 'conflict'
  | 'too-large'
  | 'unsupported-media-type'
  | 'unprocessable'
  /** The caller has tried too often; `retryAfterS` is set. */
  | 'too-many-requests'
  | 'internal'
  /** Something behind the service answered what cannot be meant. */
  | 'bad-gateway'
  | 'unavailable'
  /** What was begun goes on, but its outcome is not known in time. */
  | 'gateway-timeout';

/** A request refused: nothing of it was done, unless the message says that the outcome is unknown. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  /** Seconds after which trying again may help; always set for `unavailable`. */
  readonly retryAfterS: number | undefined;
  /** Further members of the error's body, where its shape has room for them. */
  readonly members: Readonly<Record<string, string>>;

  constructor(
    code: RefusalCode,
    message: string,
    options: {
      readonly retryAfterS?: number;
      readonly cause?: unknown;
      readonly members?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterS = options.retryAfterS ?? (code === 'unavailable' ? 1 : undefined);
    this.members = options.members ?? {};
  }
}

/** Something that a start needs cannot be had, as expected now and then: the message says what to do about it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Most problems that one answer names. */
const SHOWN = 20;

/** Collects everything wrong with a request, so that one answer names it all. */
export class Problems {
  readonly #shown: string[] = [];
  #more = 0;

  /**
   * `path` is the member, as in `contextResponses[0].contextElement`, or makes it, which it does for what is shown
   * only; `what` says what is allowed.
   */
  add(path: string | (() => string), what: string): void {
    if (this.#shown.length < SHOWN) {
      this.#shown.push(`${typeof path === 'string' ? path : path()}: ${what}`);
    } else this.#more += 1;
  }

  get any(): boolean {
    return this.#shown.length > 0;
  }

  /** Throws `Refusal('bad-request')` that names the problems, where there are any. */
  refuse(): void {
    if (!this.any) return;
    const more = this.#more > 0 ? `; and ${this.#more} more` : '';
    throw new Refusal('bad-request', this.#shown.join('; ') + more);
  }
}
