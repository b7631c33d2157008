import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { HostAddress } from './name-lookup.js';

/** The `judged` member keeps a connection from being used again once its name leads elsewhere. */
type JudgedOptions = https.RequestOptions & { readonly judged?: string };

class JudgedHttpAgent extends http.Agent {
  override getName(options: JudgedOptions = {}): string {
    return `${super.getName(options)}:${options.judged}`;
  }
}

class JudgedHttpsAgent extends https.Agent {
  override getName(options: JudgedOptions = {}): string {
    return `${super.getName(options)}:${options.judged}`;
  }
}

/** How a kept connection fails that the other side closed just when it was used again. */
const STALE = new Set(['ECONNRESET', 'EPIPE']);

/** A request that may be sent twice without harm. */
interface JudgedRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query as they are to be sent; those of the url, as `URL` writes them, where it is left out. */
  readonly target?: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Requests to hosts that others choose, over connections that are kept and used again. */
export interface JudgedRequests {
  /**
   * Sends a request that connects to one of `addresses` and nowhere else, without another lookup, and gives the
   * answer, its body unread. What fails on a kept connection that was closed meanwhile is sent once more on a new one.
   * Rejects with the fault of the network, or when a header is malformed.
   */
  send(url: URL, addresses: readonly HostAddress[], request: JudgedRequest): Promise<http.IncomingMessage>;
  close(): void;
}

/** Opens them; more than `maxSocketsPerOrigin` requests to one origin wait for each other. */
export function judgedRequests(limits: {
  readonly maxSocketsPerOrigin: number;
  /** Connections that are kept to one origin while there is nothing to send. */
  readonly maxFreeSockets: number;
}): JudgedRequests {
  const kept = {
    keepAlive: true,
    maxSockets: limits.maxSocketsPerOrigin,
    maxFreeSockets: limits.maxFreeSockets,
  };
  const agents = { http: new JudgedHttpAgent(kept), https: new JudgedHttpsAgent(kept) };

  const start = (
    url: URL,
    addresses: readonly HostAddress[],
    { method, target, headers, signal }: JudgedRequest,
    fresh: boolean,
  ): http.ClientRequest => {
    const secure = url.protocol === 'https:';
    const options: JudgedOptions = {
      method,
      ...(target === undefined ? {} : { path: target }),
      headers,
      signal,
      lookup: only(addresses),
      judged: addresses
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
    message: JudgedRequest,
    fresh: boolean,
  ): Promise<http.IncomingMessage> => {
    const request = start(url, addresses, message, fresh);
    // Nobody may end the process by a fault after his answer began, when `once` no longer listens.
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
    send: (url, addresses, request) => send(url, addresses, request, false),
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function only(addresses: readonly HostAddress[]): LookupFunction {
  return (_name, options, done) => {
    if (options.all) done(null, [...addresses]);
    else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
  };
}
