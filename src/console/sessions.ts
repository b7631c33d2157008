import { createHmac, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { EncryptJWT, jwtDecrypt, type JWTPayload } from 'jose';
import type { ReadSession, Session, SessionHolder } from '../http/session.js';
import { equalSecrets } from '../system/equal-secrets.js';
import { csrfFault } from './csrf.js';
import { sealedSessions } from './session-cookie.js';

/** Lifetime of a session, s. */
export const SESSION_S = 12 * 60 * 60;
/** JSON Web Encryption (RFC 7516) with the key itself and AES-256-GCM. */
const ALG = 'dir';
const ENC = 'A256GCM';
/** Beginning of every sealed session: the header, and no key. */
const BEGIN = `${Buffer.from(JSON.stringify({ alg: ALG, enc: ENC })).toString('base64url')}..`;
/** No sealed session is shorter. It limits how many a request can make the service try to open. */
const SHORTEST = 150;

/** A session that has begun. */
export interface OpenedSession {
  /** Value of its cookie. */
  readonly sealed: string;
  readonly session: Session;
}

/** Sessions of the console. Nothing is stored: the encrypted cookie holds the session. */
export type Sessions = ReturnType<typeof createSessions>;

/**
 * Creates the sessions. Every node with the same `secret` of 32 bytes knows them. An operator's session ends with another
 * `operatorToken`. `now` is in ms since the epoch.
 */
export function createSessions(options: {
  readonly secret: Uint8Array;
  readonly operatorToken: string | undefined;
  readonly publicUrl: () => string;
  /** Returns true if the browser reaches the service over https. Default: never. */
  readonly isSecure?: (req: IncomingMessage) => boolean;
  readonly now: () => number;
}) {
  const { secret, operatorToken, publicUrl, isSecure = () => false, now } = options;
  const proof =
    operatorToken === undefined
      ? undefined
      : createHmac('sha256', secret).update(operatorToken).digest('base64url');

  /** An event has the name `csrf` of its session. A session may have many streams. */
  const ended = new EventEmitter().setMaxListeners(0);

  const holderIn = ({ operator, token }: JWTPayload): SessionHolder | undefined => {
    if (typeof token === 'string') return { kind: 'tenant', token };
    const isCurrent = typeof operator === 'string' && proof !== undefined && equalSecrets(operator, proof);
    return isCurrent ? { kind: 'operator' } : undefined;
  };

  const firstOf = async (
    sealed: readonly string[],
    { method = '', headers }: IncomingMessage,
  ): Promise<Session | undefined> => {
    for (const one of sealed) {
      const payload = await payloadOf(one, secret, now());
      const holder = payload && holderIn(payload);
      if (holder === undefined) continue;
      const csrf = String(payload?.['csrf']);
      const endsAt = Number(payload?.exp) * 1000;
      return { holder, csrf, endsAt, refused: csrfFault({ method, headers }, csrf, publicUrl()) };
    }
    return undefined;
  };

  return {
    read(req: IncomingMessage): ReturnType<ReadSession> {
      const sealed = sealedSessions(req, isSealed, isSecure);
      return sealed.length === 0 || hasToken(req) ? undefined : firstOf(sealed, req);
    },

    /** Begins a session. */
    async open(holder: SessionHolder): Promise<OpenedSession> {
      const csrf = randomBytes(16).toString('base64url');
      const exp = Math.floor(now() / 1000) + SESSION_S;
      const held = holder.kind === 'operator' ? { operator: proof } : { token: holder.token };
      const sealed = await new EncryptJWT({ ...held, csrf })
        .setProtectedHeader({ alg: ALG, enc: ENC })
        .setExpirationTime(exp)
        .encrypt(secret);
      return { sealed, session: { holder, csrf, endsAt: exp * 1000, refused: undefined } };
    },

    /** Calls what waits for the end of a session in this process. A copy of its cookie stays good until it expires. */
    end: ({ csrf }: Session): void => void ended.emit(csrf),

    /** Calls `callback` when `end` is called for the session. Returns the function that stops waiting. */
    whenEnded({ csrf }: Session, callback: () => void): () => void {
      ended.on(csrf, callback);
      return () => void ended.off(csrf, callback);
    },
  };
}

function isSealed(value: string): boolean {
  return value.length >= SHORTEST && value.startsWith(BEGIN);
}

/** A token in a header takes precedence over the session. An Authorization of another scheme may be meant for a proxy. */
function hasToken({ headers }: Parameters<ReadSession>[0]): boolean {
  const { authorization = '', 'x-auth-token': own = '', 'x-operator-token': operator = '' } = headers;
  return own !== '' || operator !== '' || /^bearer /i.test(authorization);
}

/** Returns the content of a cookie. undefined if it is changed, expired or of another secret. */
async function payloadOf(sealed: string, secret: Uint8Array, now: number): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtDecrypt(sealed, secret, {
      keyManagementAlgorithms: [ALG],
      contentEncryptionAlgorithms: [ENC],
      requiredClaims: ['exp', 'csrf'],
      currentDate: new Date(now),
    });
    return payload;
  } catch {
    return undefined;
  }
}
