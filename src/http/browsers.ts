import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Refusal } from '../errors.js';
import { type Area, areaOf } from './areas.js';
import { quoted } from '../untrusted/text.js';

/** What keeps pages in somebody's browser away: they reach what that person's machine reaches. */
export interface BrowserRules {
  /**
   * Names that the service answers to, beside IP addresses and loopback names: a page that has its own name lead to
   * this machine is told so. Undefined: whatever the name.
   */
  readonly hosts: readonly string[] | undefined;
  /** Paths that answer to any name. */
  readonly anyHost: readonly string[];
}

/** Throws `Refusal`: `forbidden`, `misdirected`. */
export type BrowserCheck = (req: IncomingMessage, path: string) => void;

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Host headers that are remembered as answered: clients have few, and a stranger must not fill the memory. */
const REMEMBERED = 100;

/** Makes the check of every request: whether a page of elsewhere sent it, and what that must not do. */
export function browserCheck(areas: readonly Area[], { hosts, anyHost }: BrowserRules): BrowserCheck {
  const isOurs = hosts === undefined ? undefined : remembering(hostCheck(hosts));
  return (req, path) => {
    const { host = '', 'sec-fetch-site': site } = req.headers;
    if (isOurs !== undefined && !isOurs(host) && !anyHost.includes(path) && req.headers.host !== undefined) {
      throw new Refusal(
        'misdirected',
        `the service does not answer to the Host ${quoted(host)}: ask it by an IP address, as localhost or by the ` +
          'host of PUBLIC_URL, or list the name in HOSTS',
      );
    }
    if (site === 'cross-site' && doesSomething(req.method ?? '', path, areas)) {
      throw new Refusal(
        'forbidden',
        'a page of another site must not have this done: the browser says Sec-Fetch-Site: cross-site',
      );
    }
  };
}

function doesSomething(method: string, path: string, areas: readonly Area[]): boolean {
  return !SAFE.has(method) || (method === 'GET' && areaOf(areas, path).getsRecord === true);
}

/** Whether a Host header is an IP address, a loopback name or one of `names`, whatever the port. */
function hostCheck(names: readonly string[]): (host: string) => boolean {
  const known = new Set(names.map((name) => name.toLowerCase()));
  return (host) => {
    const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
    if (bracketed !== undefined) return isIP(bracketed) === 6;
    const name = plain.toLowerCase().replace(/\.$/, '');
    return isIP(name) === 4 || name === 'localhost' || name.endsWith('.localhost') || known.has(name);
  };
}

function remembering(check: (host: string) => boolean): (host: string) => boolean {
  const passed = new Set<string>();
  return (host) => {
    if (passed.has(host)) return true;
    if (!check(host)) return false;
    if (passed.size < REMEMBERED) passed.add(host);
    return true;
  };
}
