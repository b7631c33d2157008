import type { IncomingMessage } from 'node:http';
import { membership } from '../http/admission/client-address.js';

/** Name of the cookie with the session. */
const SESSION = 'mirzam_session';
/**
 * Prefix of names on https. Browsers take a cookie with this prefix only from the host itself, over https: no other host of
 * the domain, and nobody on an unencrypted connection, can put one of their own in its place (RFC 6265bis, 4.1.3.2).
 */
const SECURE = '__Host-';
/** Longest value that browsers keep with its name and attributes: 4,096 bytes in all (RFC 6265, section 6.1). */
const LONGEST = 3_900;

/**
 * Returns the values of all cookies that may be the session: others on the domain may have set any number of the same name,
 * and browsers tell no difference. `isSealed` is true for a value of the right form; `isSecure` if the browser reaches the
 * service over https.
 */
export function sealedSessions(
  req: IncomingMessage,
  isSealed: (value: string) => boolean,
  isSecure: (req: IncomingMessage) => boolean,
): readonly string[] {
  return cookiesOf(req, SESSION, isSecure).filter(isSealed);
}

/** Returns the values of the cookies with a name, as set by `cookie`. */
export function cookiesOf(
  req: IncomingMessage,
  name: string,
  isSecure: (req: IncomingMessage) => boolean,
): readonly string[] {
  const { cookie } = req.headers;
  if (cookie === undefined || !cookie.includes(`${name}=`)) return [];
  const wanted = isSecure(req) ? SECURE + name : name;
  return cookie
    .split(';')
    .map((pair) => pair.trim().split('=', 2))
    .flatMap(([shown, value = '']) => (shown === wanted ? [value] : []));
}

/** Returns true if browsers keep a cookie of this value. */
export function fitsCookie(value: string): boolean {
  return value.length <= LONGEST;
}

/** Returns the Set-Cookie that keeps a session for `maxAgeS` seconds. */
export function setCookie(value: string, maxAgeS: number, secure: boolean): string {
  return cookie({ name: SESSION, value, maxAgeS, secure, sameSite: 'Strict' });
}

/** Returns the Set-Cookie of a cookie that no script reads. A `Lax` one comes with links of other sites too. */
export function cookie(options: {
  readonly name: string;
  readonly value: string;
  readonly maxAgeS: number;
  /** True if the browser reaches the service over https. */
  readonly secure: boolean;
  readonly sameSite: 'Strict' | 'Lax';
}): string {
  const { name, value, maxAgeS, secure, sameSite } = options;
  const flags = `Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=${sameSite}`;
  return secure ? `${SECURE}${name}=${value}; ${flags}; Secure` : `${name}=${value}; ${flags}`;
}

/** Returns the Set-Cookie that ends a session. */
export function endCookie(secure: boolean): string {
  return setCookie('', 0, secure);
}

/**
 * Makes the function that returns whether a browser reaches the service over https: `publicUrl` says so, or
 * X-Forwarded-Proto of a trusted proxy.
 */
export function secureConnections(options: {
  readonly publicUrl: () => string;
  readonly trustedProxies: readonly string[];
}): (req: IncomingMessage) => boolean {
  const isTrusted = membership(options.trustedProxies);
  return ({ headers, socket }) => {
    if (options.publicUrl().startsWith('https:')) return true;
    const [forwarded = ''] = String(headers['x-forwarded-proto'] ?? '').split(',');
    const peer = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
    return forwarded.trim().toLowerCase() === 'https' && isTrusted(peer);
  };
}
