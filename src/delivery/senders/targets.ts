import { isIP } from 'node:net';
import { singleFlight } from '../../system/ttl-cache.js';
import { addressRanges, type AddressKind } from '../../untrusted/address-ranges.js';
import { type HostAddress, type Lookup, nameLookup } from '../../untrusted/name-lookup.js';
import { bareHost, writtenUrl } from './written-url.js';

/** Guards what is inside against webhook urls that others choose. */
export interface TargetRules {
  /** Why `url` cannot be a target, judged by what is written in it, as `url: …`; undefined when it can. For a 400. */
  refuse(url: string): string | undefined;
  /**
   * Where to connect to for a url that `refuse` lets pass: one lookup, every address of it judged. Rejects when the
   * name cannot be looked up.
   */
  resolve(
    url: string,
  ): Promise<{ readonly addresses: readonly HostAddress[] } | { readonly refused: string }>;
}

const ALLOWED =
  'allowed are public addresses, and the origins that the setting WEBHOOK_TARGETS lists as scheme://host:port';
const NEVER: ReadonlySet<AddressKind> = new Set(['a link-local address', 'a cloud metadata address']);
/** Loopback by definition, whatever a resolver says (RFC 6761). */
const LOCALHOST = /(?:^|\.)localhost\.?$/;

/**
 * The rules of a service: link-local and cloud metadata addresses are refused always, everything else that is not
 * public in production, unless its origin is one of `allowed` (`scheme://host:port`). Throws TypeError when one of
 * these is no url.
 */
export function targetRules(options: {
  readonly production: boolean;
  readonly allowed: readonly string[];
  readonly lookup?: Lookup;
}): TargetRules {
  const kindOf = addressRanges();
  const listed = new Set(options.allowed.map((origin) => new URL(origin).origin));
  const lookup = oncePerName(options.lookup ?? nameLookup());

  const judge = (url: URL, shown: string, kind: AddressKind | undefined): string | undefined => {
    if (kind === undefined) return undefined;
    if (NEVER.has(kind)) return `url: ${shown} is ${kind}, which is never allowed; ${ALLOWED}`;
    if (!options.production || listed.has(url.origin)) return undefined;
    return `url: ${shown} is ${kind}; ${ALLOWED}`;
  };

  return {
    refuse(text) {
      const written = writtenUrl(text);
      if (typeof written === 'string') return written;
      const { url } = written;
      const host = bareHost(url);
      if (isIP(host) !== 0) return judge(url, host, kindOf(host));
      return LOCALHOST.test(host) ? judge(url, host, 'a loopback address') : undefined;
    },

    async resolve(text) {
      const url = new URL(text);
      const host = bareHost(url);
      const family = isIP(host);
      const addresses = family === 0 ? await lookup(host) : [{ address: host, family }];
      const refused = addresses
        .map(({ address }) =>
          judge(url, family === 0 ? `${host}, that is ${address},` : host, kindOf(address)),
        )
        .find((reason) => reason !== undefined);
      return refused === undefined ? { addresses } : { refused };
    },
  };
}

/** Shares one lookup of a name between all deliveries that wait for it: its servers may be silent. */
function oncePerName(lookup: Lookup): Lookup {
  const lookups = singleFlight<readonly HostAddress[]>();
  return (name) => lookups(name, () => lookup(name));
}
