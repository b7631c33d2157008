import { Refusal, type RefusalCode, RetryableError, TerminalError } from '../../errors.js';

/** The answer to a request that failed, before it has the format of an API's errors. */
export interface Failure {
  readonly status: number;
  /** A text for people. */
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** undefined for a violation of HTTP itself. */
  readonly code: RefusalCode | undefined;
  /** Additional members for programs; a format without room for them omits them. */
  readonly members: Readonly<Record<string, string | number>>;
}

const statuses: Readonly<Record<RefusalCode, number>> = {
  unreadable: 400,
  'bad-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  timeout: 408,
  conflict: 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  misdirected: 421,
  unprocessable: 422,
  'too-many-requests': 429,
  internal: 500,
  'not-implemented': 501,
  'bad-gateway': 502,
  unavailable: 503,
  'gateway-timeout': 504,
};

type PortError = TerminalError | RetryableError;

/** The refusal that a client gets for a port's error. */
interface PortFailure {
  readonly code: RefusalCode;
  readonly message: (error: PortError, method: string) => string;
}

/** The text for an unexpected error, whose own message may hold anything. */
const UNEXPECTED = 'the service failed; the X-Request-Id of this answer tells its operator where';

const internal: PortFailure = { code: 'internal', message: () => UNEXPECTED };

const portFailures: Readonly<Record<PortError['code'], PortFailure>> = {
  'store-unavailable': { code: 'unavailable', message: (_error, method) => storeMessage(method) },
  'identity-unavailable': {
    code: 'unavailable',
    message: () => 'the identity service cannot say whether the token is valid; nothing was done',
  },
  'chain-unavailable': {
    code: 'unavailable',
    message: (error) => `the node of the chain does not answer${because(error)}; nothing was done`,
  },
  'chain-misfit': { code: 'bad-gateway', message: (error) => error.message },
  // The policy API answers failures of the broker with refusals of its own.
  'broker-unavailable': internal,
  'broker-refused': internal,
  unstorable: internal,
  'unreadable-actor': {
    code: 'unavailable',
    message: () =>
      'this version of the service cannot read what is stored here: a newer one wrote it, or it is damaged; nothing was done; repeat the request: a node of the newer version answers it',
  },
};

/** A refusal with response headers that only the edge knows. */
class RefusalWithHeaders extends Refusal {
  constructor(
    code: RefusalCode,
    message: string,
    readonly headers: Readonly<Record<string, string>>,
  ) {
    super(code, message);
  }
}

/** The path exists, but not with this method. `allowed` are the methods of the path, for the Allow header. */
export function methodNotAllowed(method: string, allowed: readonly string[]): Refusal {
  const list = allowed.join(', ');
  return new RefusalWithHeaders('method-not-allowed', `${method} is not possible here; allowed: ${list}`, {
    Allow: list,
  });
}

/** The request lacks credentials, which are not a token of the identity service: `challenge` is the WWW-Authenticate. */
export function credentialsMissing(challenge: string, message: string): Refusal {
  return new RefusalWithHeaders('unauthorized', message, { 'WWW-Authenticate': challenge });
}

/** A request refused for how it uses HTTP, with a status that only the edge knows. */
export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault';
  readonly status: 417 | 431;

  constructor(status: 417 | 431, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Returns the failure for an error. `method` is the request's: after a lost answer of the store, a request that changes
 * something may have taken effect. `challenge` is the default WWW-Authenticate of a 401. The message of an unexpected
 * error never reaches the client.
 */
export function failureOf(error: unknown, method: string, challenge: string): Failure {
  if (error instanceof ProtocolFault) {
    const { status, message } = error;
    return { status, message, headers: {}, code: undefined, members: {} };
  }
  const refusal = refusalOf(error, method);
  const { code, message, members, retryAfterS } = refusal;
  const headers: Record<string, string> = {};
  if (code === 'unauthorized') headers['WWW-Authenticate'] = challenge;
  if (retryAfterS !== undefined) headers['Retry-After'] = String(Math.ceil(retryAfterS));
  if (refusal instanceof RefusalWithHeaders) Object.assign(headers, refusal.headers);
  return { status: statuses[code], message, headers, code, members };
}

/** Returns the refusal that a client gets for an error; `method` as in `failureOf`. */
export function refusalOf(error: unknown, method: string): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof TerminalError || error instanceof RetryableError) {
    const { code, message } = portFailures[error.code];
    return new Refusal(code, message(error, method));
  }
  return new Refusal(internal.code, UNEXPECTED);
}

function because(error: PortError): string {
  const reason = error instanceof RetryableError ? error.reason : undefined;
  return reason === undefined ? '' : `: ${reason}`;
}

function storeMessage(method: string): string {
  return method === 'GET' || method === 'HEAD'
    ? 'the database does not answer; nothing was done'
    : 'the database did not answer: the outcome is unknown, the request may or may not have been carried out';
}
