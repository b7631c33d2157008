import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { TargetAddress } from './targets.js';

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

/** Connections to webhook receivers, kept and used again. */
interface WebhookAgents {
  /**
   * Starts a request that connects to one of `addresses` and nowhere else, without another lookup. `fresh` asks for a
   * connection of its own. Throws when a header is malformed.
   */
  request(
    url: URL,
    addresses: readonly TargetAddress[],
    options: {
      readonly headers: http.OutgoingHttpHeaders;
      readonly signal: AbortSignal;
      readonly fresh: boolean;
    },
  ): http.ClientRequest;
  close(): void;
}

/** Makes the agents; more than `maxSocketsPerOrigin` requests to one origin wait for each other. */
export function webhookAgents(maxSocketsPerOrigin: number): WebhookAgents {
  const kept = { keepAlive: true, maxSockets: maxSocketsPerOrigin, maxFreeSockets: 2 };
  const agents = { http: new JudgedHttpAgent(kept), https: new JudgedHttpsAgent(kept) };
  return {
    request(url, addresses, { headers, signal, fresh }) {
      const secure = url.protocol === 'https:';
      const options: JudgedOptions = {
        method: 'POST',
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
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function only(addresses: readonly TargetAddress[]): LookupFunction {
  return (_name, options, done) => {
    if (options.all) done(null, [...addresses]);
    else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
  };
}
