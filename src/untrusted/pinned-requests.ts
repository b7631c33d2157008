import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { HostAddress } from './name-lookup.js';

/** `pinned` names the addresses: a connection is reused for the same addresses only, not for the same name. */
type PinnedOptions = https.RequestOptions & { readonly pinned?: string };

class PinnedHttpAgent extends http.Agent {
  override getName(options: PinnedOptions = {}): string {
    return `${super.getName(options)}:${options.pinned}`;
  }
}

class PinnedHttpsAgent extends https.Agent {
  override getName(options: PinnedOptions = {}): string {
    return `${super.getName(options)}:${options.pinned}`;
  }
}

/** Error codes of a reused connection that the other side has just closed. */
const STALE = new Set(['ECONNRESET', 'EPIPE']);

/** A request that may be sent twice. */
interface PinnedRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query exactly as sent. Default: those of the url, as `URL` normalizes them. */
  readonly target?: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/**
 * Opens pools of connections to hosts that others choose, pinned to addresses that the caller has checked. Requests to one
 * origin beyond `maxSocketsPerOrigin` wait.
 */
export function pinnedRequests(limits: {
  readonly maxSocketsPerOrigin: number;
  /** Maximum number of idle connections per origin. */
  readonly maxFreeSockets: number;
}) {
  const pool = {
    keepAlive: true,
    maxSockets: limits.maxSocketsPerOrigin,
    maxFreeSockets: limits.maxFreeSockets,
  };
  const agents = { http: new PinnedHttpAgent(pool), https: new PinnedHttpsAgent(pool) };

  const start = (
    url: URL,
    addresses: readonly HostAddress[],
    { method, target, headers, signal }: PinnedRequest,
    fresh: boolean,
  ): http.ClientRequest => {
    const secure = url.protocol === 'https:';
    const options: PinnedOptions = {
      method,
      ...(target === undefined ? {} : { path: target }),
      headers,
      signal,
      lookup: lookupOf(addresses),
      pinned: addresses
        .map(({ address }) => address)
        .toSorted()
        .join(),
      agent: fresh ? false : agents[secure ? 'https' : 'http'],
    };
    return secure ? https.request(url, options) : http.request(url, options);
  };

  const send = async (
    url: URL,
    addresses: readonly HostAddress[],
    message: PinnedRequest,
    fresh: boolean,
  ): Promise<http.IncomingMessage> => {
    const request = start(url, addresses, message, fresh);
    // `once` stops listening when the answer begins. A later error without a listener would end the process.
    request.on('error', () => undefined);
    request.end(message.body);
    try {
      const [response] = (await once(request, 'response', { signal: message.signal })) as [
        http.IncomingMessage,
      ];
      return response;
    } catch (error) {
      const stale = request.reusedSocket && STALE.has((error as NodeJS.ErrnoException).code ?? '');
      if (!stale) throw error;
      return send(url, addresses, message, true);
    }
  };

  return {
    /**
     * Sends a request to one of `addresses`, without another lookup of the name. Resolves with the answer, its body
     * unread. A request that fails because its reused connection was closed is sent once more on a new connection.
     * Rejects with the network's error, or if a header is malformed.
     */
    send: (
      url: URL,
      addresses: readonly HostAddress[],
      request: PinnedRequest,
    ): Promise<http.IncomingMessage> => send(url, addresses, request, false),
    close(): void {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function lookupOf(addresses: readonly HostAddress[]): LookupFunction {
  return (_name, options, done) => {
    if (options.all) done(null, [...addresses]);
    else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
  };
}
