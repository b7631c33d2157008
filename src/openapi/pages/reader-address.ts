import type { IncomingMessage } from 'node:http';

/**
 * Makes the function that returns the address of the service as the sender of a request has it: PUBLIC_URL if the Host
 * header names it, else the Host. Without a Host that can be part of an address, PUBLIC_URL.
 */
export function readerAddress(options: {
  readonly publicUrl: () => string;
  readonly isSecure: (req: IncomingMessage) => boolean;
}): (req: IncomingMessage) => string {
  return (req) => {
    const publicUrl = options.publicUrl();
    const { host = '' } = req.headers;
    if (!/^[\w.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(host)) return publicUrl;
    if (new URL(publicUrl).host === host.toLowerCase()) return publicUrl;
    return `${options.isSecure(req) ? 'https' : 'http'}://${host}`;
  };
}
