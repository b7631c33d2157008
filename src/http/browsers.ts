import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Refusal } from '../errors.js';
import { type RouteGroup, groupOf } from './route-groups.js';
import { quoted } from '../untrusted/text.js';

/** Rules against pages in a user's browser, which reach everything that the user's machine reaches. */
export interface BrowserRules {
  /**
   * Allowed names of the Host header, in addition to IP addresses and loopback names. They stop a page whose own name
   * resolves to this machine (DNS rebinding). undefined allows any name.
   */
  readonly hosts: readonly string[] | undefined;
  /** Paths that allow any name. */
  readonly anyHost: readonly string[];
}

/** Throws `Refusal`: `forbidden`, `misdirected`. */
export type BrowserCheck = (req: IncomingMessage, path: string) => void;

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Maximum number of cached Host headers. Clients use few; the limit stops strangers from filling the memory. */
const REMEMBERED = 100;

/** Makes the check of the Host header, and of requests that a page of another site sends. */
export function browserCheck(groups: readonly RouteGroup[], { hosts, anyHost }: BrowserRules): BrowserCheck {
  const isAllowed = hosts === undefined ? undefined : cached(hostCheck(hosts));
  return (req, path) => {
    const { host = '', 'sec-fetch-site': site } = req.headers;
    if (
      isAllowed !== undefined &&
      !isAllowed(host) &&
      !anyHost.includes(path) &&
      req.headers.host !== undefined
    ) {
      throw new Refusal(
        'misdirected',
        `the service does not answer to the Host ${quoted(host)}: ask it by an IP address, as localhost or by the ` +
          'host of PUBLIC_URL, or list the name in HOSTS',
      );
    }
    if (site === 'cross-site' && changesSomething(req.method ?? '', path, groups)) {
      throw new Refusal(
        'forbidden',
        'a page of another site must not have this done: the browser says Sec-Fetch-Site: cross-site',
      );
    }
  };
}

function changesSomething(method: string, path: string, groups: readonly RouteGroup[]): boolean {
  return !SAFE.has(method) || (method === 'GET' && groupOf(groups, path).getsRecord === true);
}

/** Returns whether a Host header is an IP address, a loopback name or one of `names`, with any port. */
function hostCheck(names: readonly string[]): (host: string) => boolean {
  const known = new Set(names.map((name) => name.toLowerCase()));
  return (host) => {
    const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
    if (bracketed !== undefined) return isIP(bracketed) === 6;
    const name = plain.toLowerCase().replace(/\.$/, '');
    return isIP(name) === 4 || name === 'localhost' || name.endsWith('.localhost') || known.has(name);
  };
}

function cached(check: (host: string) => boolean): (host: string) => boolean {
  const passed = new Set<string>();
  return (host) => {
    if (passed.has(host)) return true;
    if (!check(host)) return false;
    if (passed.size < REMEMBERED) passed.add(host);
    return true;
  };
}
