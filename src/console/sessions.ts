import { createHmac, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { JWTPayload } from 'jose';
import type { ReadSession, Session, SessionHolder } from '../http/session.js';
import type { Principal } from '../identity/port.js';
import { equalSecrets } from '../system/equal-secrets.js';
import { csrfFault } from './csrf.js';
import { isSealed, seal, unseal } from './sealed.js';
import { fitsCookie, sealedSessions } from './session-cookie.js';

/** Lifetime of a session, s. */
export const SESSION_S = 12 * 60 * 60;

/** A holder who has shown a token. */
export type TokenHolder = { readonly kind: 'operator' } | { readonly kind: 'tenant'; readonly token: string };

/** A session that has begun. */
export interface OpenedSession {
  /** Value of its cookie. */
  readonly sealed: string;
  readonly session: Session;
}

/** Sessions of the console. Nothing is stored: the encrypted cookie holds the session. */
export type Sessions = ReturnType<typeof createSessions>;

/** Who has logged in at an OpenID provider, as a session keeps it. */
type SsoMember =
  | { readonly proof: string; readonly operator: true; readonly user?: string | undefined }
  | { readonly proof: string; readonly operator: false; readonly principal: Omit<Principal, 'expiresAt'> };

/** A holder who has logged in at an OpenID provider: the service has no token that shows it. */
export type SsoHolder = Exclude<SessionHolder, { readonly token: string }>;

/**
 * Creates the sessions. Every node with the same `secret` of 32 bytes knows them. An operator's session ends with another
 * `operatorToken`, one of a login at an OpenID provider with another `ssoSettings`. `now` is in ms since the epoch.
 */
export function createSessions(options: {
  readonly secret: Uint8Array;
  readonly operatorToken: string | undefined;
  /** The settings of the OpenID provider as one text; undefined without one. */
  readonly ssoSettings?: string | undefined;
  readonly publicUrl: () => string;
  /** Returns true if the browser reaches the service over https. Default: never. */
  readonly isSecure?: (req: IncomingMessage) => boolean;
  readonly now: () => number;
}) {
  const { secret, operatorToken, ssoSettings, publicUrl, isSecure = () => false, now } = options;
  const hashed = (text: string): string => createHmac('sha256', secret).update(text).digest('base64url');
  const proof = operatorToken === undefined ? undefined : hashed(operatorToken);
  const ssoProof = ssoSettings === undefined ? undefined : hashed(`sso ${ssoSettings}`);

  /** An event has the name `csrf` of its session. A session may have many streams. */
  const ended = new EventEmitter().setMaxListeners(0);

  const holderIn = ({ operator, token, sso }: JWTPayload): SessionHolder | undefined => {
    if (sso !== undefined) return ssoHolderIn(sso as SsoMember);
    if (typeof token === 'string') return { kind: 'tenant', token };
    const isCurrent = typeof operator === 'string' && proof !== undefined && equalSecrets(operator, proof);
    return isCurrent ? { kind: 'operator' } : undefined;
  };

  const ssoHolderIn = (sso: SsoMember): SsoHolder | undefined => {
    if (ssoProof === undefined || !equalSecrets(sso.proof, ssoProof)) return undefined;
    return sso.operator ? { kind: 'operator', user: sso.user } : { kind: 'tenant', principal: sso.principal };
  };

  const begin = async (holder: SessionHolder, members: JWTPayload, lifeS: number): Promise<OpenedSession> => {
    const csrf = randomBytes(16).toString('base64url');
    const exp = Math.floor(now() / 1000) + lifeS;
    const sealed = await seal({ ...members, csrf }, exp, secret);
    return { sealed, session: { holder, csrf, endsAt: exp * 1000, refused: undefined } };
  };

  const firstOf = async (
    sealed: readonly string[],
    { method = '', headers }: IncomingMessage,
  ): Promise<Session | undefined> => {
    for (const one of sealed) {
      const payload = await unseal(one, secret, now(), ['csrf']);
      const holder = payload && holderIn(payload);
      if (holder === undefined) continue;
      const csrf = String(payload?.['csrf']);
      const endsAt = Number(payload?.exp) * 1000;
      const idToken = payload?.['idToken'] as string | undefined;
      const sso = payload?.['sso'] === undefined ? undefined : { idToken };
      return { holder, csrf, endsAt, sso, refused: csrfFault({ method, headers }, csrf, publicUrl()) };
    }
    return undefined;
  };

  return {
    read(req: IncomingMessage): ReturnType<ReadSession> {
      const sealed = sealedSessions(req, isSealed, isSecure);
      return sealed.length === 0 || hasToken(req) ? undefined : firstOf(sealed, req);
    },

    /** Begins a session of somebody who has shown a token. */
    open: (holder: TokenHolder): Promise<OpenedSession> =>
      begin(holder, holder.kind === 'operator' ? { operator: proof } : { token: holder.token }, SESSION_S),

    /**
     * Begins a session of `lifeS` seconds after a login at an OpenID provider. It keeps `idToken` if a cookie has room for
     * it: the provider then asks nobody whether the logout is meant.
     */
    async openSso(holder: SsoHolder, idToken: string | undefined, lifeS: number): Promise<OpenedSession> {
      const held =
        holder.kind === 'operator'
          ? { operator: true, user: holder.user }
          : { operator: false, principal: holder.principal };
      const sso = { proof: ssoProof, ...held };
      const opened = await begin(holder, { sso, idToken }, lifeS);
      return fitsCookie(opened.sealed) ? opened : begin(holder, { sso }, lifeS);
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

/** A token in a header takes precedence over the session. An Authorization of another scheme may be meant for a proxy. */
function hasToken({ headers }: Parameters<ReadSession>[0]): boolean {
  const { authorization = '', 'x-auth-token': own = '', 'x-operator-token': operator = '' } = headers;
  return own !== '' || operator !== '' || /^bearer /i.test(authorization);
}
