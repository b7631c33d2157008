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

/** Sets the headers that every HTML page and asset of the service has. `policy` is its Content-Security-Policy. */
export function setPageHeaders(res: ServerResponse, policy: string = PAGE_POLICY): void {
  res.setHeader('Content-Security-Policy', policy);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
}
