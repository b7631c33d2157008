import { isIP } from 'node:net';
import { bareHost } from '../../system/bare-host.js';

/** A webhook url as it is written. */
export interface WrittenUrl {
  /** For scheme, host and port. */
  readonly url: URL;
  /**
   * The request target: path and query as written, `..` and percent-encodings included. Blanks and characters beyond ASCII
   * are percent-encoded as UTF-8.
   */
  readonly target: string;
}

const EXAMPLE = 'such as https://example.org/hook';
/** Authority, then path and query. The fragment is never sent. */
const PARTS = /^https?:\/\/(?<authority>[^/?#]+)(?<rest>[^#]*)/i;
/** The characters of host and port (docs/policy-api.md, "Subscriptions"). */
const AUTHORITY = /^[A-Za-z0-9._[\]:-]+$/;
const DNS_NAME =
  /^(?=.{1,253}\.?$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/;

/**
 * Parses a url. Returns a text `url: …` for one that `URL` would repair as browsers do: by dropping control characters and
 * blanks, by taking `\` for `/`, by finding a host after `http:///`, by mapping other scripts to ASCII.
 */
export function writtenUrl(text: string): WrittenUrl | string {
  if (!URL.canParse(text)) return `url: must be an absolute http or https URL, ${EXAMPLE}`;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `url: must be an http or https URL, ${EXAMPLE}`;
  }
  if (/\p{Cc}/u.test(text)) return 'url: must not contain control characters';
  if (text.includes('\\'))
    return 'url: must not contain a backslash; write / in a path, and %5C for the character';
  const { authority, rest = '' } = PARTS.exec(text)?.groups ?? {};
  if (authority === undefined) return `url: must begin with http:// or https:// and a host, ${EXAMPLE}`;
  if (authority.includes('@')) {
    return 'url: must not contain a user name or password; have the receiver verify webhook-signature instead';
  }
  const named = isIP(bareHost(url)) !== 0 || DNS_NAME.test(url.hostname);
  if (!AUTHORITY.test(authority) || !named) {
    return 'url: must have a DNS name, an IPv4 or an IPv6 address as its host; an international name in its xn-- form';
  }
  return { url, target: encoded(rest.startsWith('/') ? rest : `/${rest}`) };
}

function encoded(text: string): string {
  return text.replace(/[^!-~]+/g, (part) => encodeURIComponent(part.toWellFormed()));
}
