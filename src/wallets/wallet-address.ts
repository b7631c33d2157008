import { isIP } from 'node:net';
import { Refusal } from '../errors.js';
import { bareHost } from '../system/bare-host.js';

/** The addresses of the accounts of a type of wallet. */
export interface AccountForm {
  /** What a Wallet-Address must be, after "it must be". */
  readonly wanted: string;
  /**
   * Returns the name of the account at a path, as its type of wallet uses it; undefined if it is none. Takes the segments of the
   * path, percent-decoded, with 0x… of 20 and 64 bytes in lower case.
   */
  readonly nameAt: (segments: readonly string[]) => string | undefined;
}

/** The address of an account in a wallet. */
export interface AccountAddress {
  /** URL of the account in its normal form: one for all ways to write it. */
  readonly url: URL;
  /** A DNS name or an IP address, without brackets. */
  readonly host: string;
  readonly isIp: boolean;
  /** As `AccountForm.nameAt` gives it. */
  readonly name: string;
  /** Segments of the path, percent-decoded. */
  readonly segments: readonly string[];
}

/** Addresses and public keys, as names of accounts. Wallets have them in lower case only. */
const HEX_NAME = /^0x(?:[0-9a-f]{40}|[0-9a-f]{128})$/i;

/** Reads a Wallet-Address. Throws `Refusal('bad-request')`. */
export function accountAddress(text: string, { wanted, nameAt }: AccountForm): AccountAddress {
  const place = placeOf(text);
  if (typeof place === 'string') {
    throw new Refusal('bad-request', `Wallet-Address ${place}; it must be ${wanted}`);
  }
  const { segments } = place;
  const name = nameAt(segments);
  if (name === undefined) {
    throw new Refusal('bad-request', `Wallet-Address is not the address of an account; it must be ${wanted}`);
  }
  const url = new URL(`/${segments.map(encodeURIComponent).join('/')}`, place.origin);
  const host = bareHost(url);
  return { url, host, isIp: isIP(host) !== 0, name, segments };
}

/**
 * Makes a function that says whether an account is under one of `prefixes`, the URLs of WALLET_ADDRESSES, by whole segments
 * of the path. Throws an `Error` that names the setting for an invalid prefix.
 */
export function underPrefixes(prefixes: readonly string[]): (address: AccountAddress) => boolean {
  const places = prefixes.map((prefix) => {
    const place = placeOf(prefix);
    if (typeof place === 'string') throw new Error(`WALLET_ADDRESSES: an address ${place}.`);
    return place;
  });
  return ({ url, segments }) =>
    places.some(
      ({ origin, segments: first }) =>
        origin === url.origin &&
        first.length <= segments.length &&
        first.every((segment, i) => segment === segments[i]),
    );
}

/** Origin and segments of a URL in their normal form; a text that says what is wrong with the URL. */
function placeOf(text: string): (Pick<AccountAddress, 'segments'> & { readonly origin: string }) | string {
  // URL parsers drop blanks and control characters, and read a backslash as a slash.
  if (/[^\x21-\x7e]|\\/.test(text)) return 'must be printable ASCII without blanks and backslashes';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return 'is no http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password';
  if (/[?#]/.test(text)) return 'must not have a query or a fragment';
  const segments = segmentsOf(url.pathname);
  return segments === undefined
    ? 'must have plain path segments: none empty, no encoded slash, backslash, dot segment or control character, none encoded twice'
    : { origin: url.origin, segments };
}

function segmentsOf(path: string): readonly string[] | undefined {
  const written = path.replace(/\/$/, '').split('/').slice(1);
  try {
    const segments = written.map(decodeURIComponent);
    // A decoded segment must be one segment for every server: some proxies decode twice, or cut parameters (`..;a`) off.
    if (segments.some((segment) => /^\.{0,2}(?:;|$)|[/\\\p{Cc}]|%[\da-f]{2}/iu.test(segment)))
      return undefined;
    return segments.map((segment) => (HEX_NAME.test(segment) ? segment.toLowerCase() : segment));
  } catch {
    return undefined;
  }
}
