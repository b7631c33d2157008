import type { IncomingHttpHeaders } from 'node:http';
import { equalSecrets } from '../system/equal-secrets.js';
import { quoted } from '../untrusted/text.js';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
/** The values of Sec-Fetch-Site for pages of others. */
const FOREIGN = new Set(['same-site', 'cross-site']);

/** Request that a browser sends with a session. */
interface BrowserRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Returns why a request must not use its session, or undefined. A request that changes something must come from a page of
 * the service, and must repeat the session's `csrf` value in X-CSRF-Token. `publicUrl` is the address of the service.
 */
export function csrfFault(request: BrowserRequest, csrf: string, publicUrl: string): string | undefined {
  if (SAFE.has(request.method)) return undefined;
  const foreign = foreignPage(request, publicUrl);
  if (foreign !== undefined) return foreign;
  const shown = request.headers['x-csrf-token'];
  if (typeof shown === 'string' && equalSecrets(shown, csrf)) return undefined;
  return (
    `a change with the session’s cookie needs X-CSRF-Token, which ${shown === undefined ? 'is missing' : 'is wrong'}: ` +
    'send the value of `csrf` in the answer of GET /console/api/session'
  );
}

/**
 * Returns why the page that sent a request is not the service's own, or undefined. Programs send neither header. No page
 * sends `Sec-Fetch-Site: none`: the user did, or an extension.
 */
export function foreignPage({ headers }: BrowserRequest, publicUrl: string): string | undefined {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    const shown = FOREIGN.has(site) ? site : quoted(site);
    return `a page of another origin must not have this done: the browser says Sec-Fetch-Site: ${shown}`;
  }
  if (origin === undefined || origin === new URL(publicUrl).origin) return undefined;
  const originHost = URL.canParse(origin) ? new URL(origin).host : undefined;
  if (originHost !== undefined && originHost === normalHost(host, origin)) return undefined;
  return 'a page of another origin must not have this done: Origin is neither the Host of the request nor PUBLIC_URL';
}

/** Returns a Host header without the default port of the origin's scheme, as `URL.host` has it. */
function normalHost(host: string | undefined, origin: string): string | undefined {
  const address = `${new URL(origin).protocol}//${host ?? ''}`;
  return URL.canParse(address) ? new URL(address).host : undefined;
}
