import { ChainMisfit, ChainUnavailable } from '../../chain/port.js';
import { Refusal, type RefusalCode } from '../../errors.js';
import { IdentityUnavailable } from '../../identity/port.js';
import { StoreUnavailable } from '../../store/port.js';

/** What a client is told when its request was not carried out. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a fault in how HTTP itself was used. */
  readonly code: RefusalCode | undefined;
  readonly members: Readonly<Record<string, string>>;
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
  'bad-gateway': 502,
  unavailable: 503,
  'gateway-timeout': 504,
};

/** The path is known, but not with this method. */
export class MethodNotAllowed extends Refusal {
  /** Methods that the path knows. */
  readonly allowed: readonly string[];

  constructor(method: string, allowed: readonly string[]) {
    super('method-not-allowed', `${method} is not possible here; allowed: ${allowed.join(', ')}`);
    this.allowed = allowed;
  }
}

/** The caller shows nothing that lets him in, and what he can show is not a token of the identity service. */
export class CredentialsMissing extends Refusal {
  /** The WWW-Authenticate of the answer. */
  readonly challenge: string;

  constructor(challenge: string, message: string) {
    super('unauthorized', message);
    this.challenge = challenge;
  }
}

/** A request refused for how it uses HTTP, with a status that nothing but the edge knows. */
export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault';
  readonly status: 417 | 431;

  constructor(status: 417 | 431, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * The failure that an error stands for. `method` is the request's: where the store's answer was lost, a request that
 * changes something may have changed it. `challenge` is the WWW-Authenticate of a 401. Errors that are no `Refusal`
 * are the service's own, and say nothing of themselves.
 */
export function failureOf(error: unknown, method: string, challenge: string): Failure {
  if (error instanceof ProtocolFault) {
    const { status, message } = error;
    return { status, message, headers: {}, code: undefined, members: {} };
  }
  const refusal = refusalOf(error, method);
  const headers: Record<string, string> = {};
  if (refusal.code === 'unauthorized') {
    headers['WWW-Authenticate'] = refusal instanceof CredentialsMissing ? refusal.challenge : challenge;
  }
  if (refusal.retryAfterS !== undefined) headers['Retry-After'] = String(Math.ceil(refusal.retryAfterS));
  if (refusal instanceof MethodNotAllowed) headers['Allow'] = refusal.allowed.join(', ');
  const { code, message, members } = refusal;
  return { status: statuses[code], message, headers, code, members };
}

function refusalOf(error: unknown, method: string): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreUnavailable) return new Refusal('unavailable', storeMessage(method));
  if (error instanceof IdentityUnavailable) {
    return new Refusal(
      'unavailable',
      'the identity service cannot say whether the token is valid; nothing was done',
    );
  }
  if (error instanceof ChainUnavailable) {
    return new Refusal('unavailable', 'the node of the chain does not answer; nothing was done');
  }
  if (error instanceof ChainMisfit) return new Refusal('bad-gateway', error.message);
  return new Refusal(
    'internal',
    'the service failed; the X-Request-Id of this answer tells its operator where',
  );
}

function storeMessage(method: string): string {
  return method === 'GET' || method === 'HEAD'
    ? 'the database does not answer; nothing was done'
    : 'the database did not answer: the outcome is unknown, the request may or may not have been carried out';
}
