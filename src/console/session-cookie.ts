import type { IncomingMessage } from 'node:http';
import { membership } from '../http/admission/client-address.js';

/** Name of the cookie with the session. */
const NAME = 'mirzam_session';
/** Longest value that browsers keep with its name and attributes: 4,096 bytes in all (RFC 6265, section 6.1). */
const LONGEST = 3_900;

/** Returns the value of the session's cookie. undefined if the request has none. */
export function cookieOf({ headers: { cookie } }: IncomingMessage): string | undefined {
  if (cookie === undefined || !cookie.includes(`${NAME}=`)) return undefined;
  for (const pair of cookie.split(';')) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === NAME && value !== '') return value;
  }
  return undefined;
}

/** Returns true if browsers keep a cookie of this value. */
export function fitsCookie(value: string): boolean {
  return value.length <= LONGEST;
}

/** Returns the Set-Cookie that keeps a session for `maxAgeS` seconds. */
export function setCookie(value: string, maxAgeS: number, secure: boolean): string {
  const flags = `Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict`;
  return `${NAME}=${value}; ${flags}${secure ? '; Secure' : ''}`;
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
