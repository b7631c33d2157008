import type { ServerResponse } from 'node:http';

/**
 * Content Security Policy of the service's own pages: scripts, styles, images and requests of the service alone, nothing
 * inline, and no page of another origin may frame them. Pages of `/console/mail` may be framed by pages of the service.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns the headers that every HTML page and asset of the service has. `policy` is its Content-Security-Policy. */
export function pageHeaders(policy: string = PAGE_POLICY): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}

/** Sets the headers of `pageHeaders`. */
export function setPageHeaders(res: ServerResponse, policy?: string): void {
  for (const [name, value] of Object.entries(pageHeaders(policy))) res.setHeader(name, value);
}
