import { isIP } from 'node:net';
import { bareHost } from '../../system/bare-host.js';
import { singleFlight } from '../../system/ttl-cache.js';
import { type AddressKind, kindOfAddress } from '../../untrusted/address-ranges.js';
import { type HostAddress, type Lookup, nameLookup } from '../../untrusted/name-lookup.js';
import { writtenUrl } from './written-url.js';

/** Decides which urls webhooks may be sent to. Urls are untrusted: they must not reach the operator's network. */
export type TargetRules = ReturnType<typeof targetRules>;

const ALLOWED =
  'allowed are public addresses, and the origins that the setting WEBHOOK_TARGETS lists as scheme://host:port';
const NEVER: ReadonlySet<AddressKind> = new Set(['a link-local address', 'a cloud metadata address']);
/** Loopback by definition (RFC 6761). */
const LOCALHOST = /(?:^|\.)localhost\.?$/;

/**
 * Returns the rules of a service. Link-local and cloud metadata addresses are always refused; other addresses that are not
 * public are refused in production, unless their origin is one of `allowed` (`scheme://host:port`). Throws TypeError if
 * one of these is not a url.
 */
export function targetRules(options: {
  readonly production: boolean;
  readonly allowed: readonly string[];
  readonly lookup?: Lookup;
}) {
  const listed = new Set(options.allowed.map((origin) => new URL(origin).origin));
  const lookup = options.lookup ?? nameLookup();
  /** Shares one lookup of a name between all deliveries that wait for it: its servers may be silent. */
  const lookups = singleFlight<readonly HostAddress[]>();

  const judge = (url: URL, shown: string, kind: AddressKind | undefined): string | undefined => {
    if (kind === undefined) return undefined;
    if (NEVER.has(kind)) return `url: ${shown} is ${kind}, which is never allowed; ${ALLOWED}`;
    if (!options.production || listed.has(url.origin)) return undefined;
    return `url: ${shown} is ${kind}; ${ALLOWED}`;
  };

  return {
    /** Returns why a url cannot be a target, by its text alone: `url: …` for a 400; undefined if it can. */
    refuse(text: string): string | undefined {
      const written = writtenUrl(text);
      if (typeof written === 'string') return written;
      const { url } = written;
      const host = bareHost(url);
      if (isIP(host) !== 0) return judge(url, host, kindOfAddress(host));
      return LOCALHOST.test(host) ? judge(url, host, 'a loopback address') : undefined;
    },

    /**
     * Returns the addresses of a url that `refuse` accepts, from one lookup, each of them checked. Rejects if the name cannot
     * be looked up.
     */
    async resolve(
      text: string,
    ): Promise<{ readonly addresses: readonly HostAddress[] } | { readonly refused: string }> {
      const url = new URL(text);
      const host = bareHost(url);
      const family = isIP(host);
      const addresses = family === 0 ? await lookups(host, () => lookup(host)) : [{ address: host, family }];
      const refused = addresses
        .map(({ address }) =>
          judge(url, family === 0 ? `${host}, that is ${address},` : host, kindOfAddress(address)),
        )
        .find((reason) => reason !== undefined);
      return refused === undefined ? { addresses } : { refused };
    },
  };
}
