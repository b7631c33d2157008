/**
 * Why a request was not carried out, in the service's own words. The HTTP edge alone turns a code into a status and
 * a body; nothing below it knows either.
 */
export type RefusalCode =
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'not-acceptable'
  | 'method-not-allowed'
  | 'timeout'
  | 'conflict'
  | 'too-large'
  | 'unavailable'
  | 'internal';

/** A request refused: nothing of it was done, unless the message says that the outcome is unknown. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  /** Seconds after which trying again may help; always set for `unavailable`. */
  readonly retryAfterS: number | undefined;

  constructor(
    code: RefusalCode,
    message: string,
    options: { readonly retryAfterS?: number; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterS = options.retryAfterS ?? (code === 'unavailable' ? 1 : undefined);
  }
}

/** Something that a start needs cannot be had, as expected now and then: the message says what to do about it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
