import type { IncomingMessage } from 'node:http';
import { Refusal } from '../errors.js';
import { jsonOf } from '../untrusted/json.js';
import { pinnedRequests } from '../untrusted/pinned-requests.js';
import type { HostAddress } from '../untrusted/name-lookup.js';
import { sharedPermits } from './shared-permits.js';
import type { SharedPermits } from './shared-permits.js';

/** Largest answer that is read, bytes: a signed transaction has some hundred, a long list of accounts some 10,000. */
const LARGEST = 256 * 1024;
/** Requests to one origin at the same time, which its accounts share. */
const CONNECTIONS = 256;
/** Connections to one origin that are kept while nothing is sent. */
const KEPT = 64;

/** What a Vault answered, whatever its status. */
export interface VaultAnswer {
  readonly status: number;
  /** The header Retry-After. */
  readonly retryAfter: string | undefined;
  /** Parsed; undefined where it is no JSON. */
  readonly body: unknown;
}

/** A request to a Vault. Such requests change nothing there that a second one would not. */
export interface VaultRequest {
  /** GET without it, POST with it. */
  readonly body?: Readonly<Record<string, string>>;
  /** The URL of the account that it is about. */
  readonly account: string;
  readonly url: URL;
  readonly addresses: readonly HostAddress[];
  readonly token: string;
  readonly signal: AbortSignal;
}

/** Requests to Vaults, over connections that are kept. An account whose requests take long leaves room for others. */
export interface VaultExchange {
  /**
   * Sends a request and reads the whole answer. Redirects are not followed: a token must not go where its caller did
   * not send it. Throws `Refusal`: `unavailable` for a fault of the network, `bad-gateway` for what is no HTTP or too
   * long, the reason of `signal` when that is aborted.
   */
  ask(request: VaultRequest): Promise<VaultAnswer>;
  close(): void;
}

/** Opens the means to ask Vaults. */
export function vaultExchange(): VaultExchange {
  const requests = pinnedRequests({ maxSocketsPerOrigin: CONNECTIONS, maxFreeSockets: KEPT });
  const origins = new Map<string, SharedPermits>();

  const permit = async ({ url: { origin }, account, signal }: VaultRequest): Promise<() => void> => {
    const permits = origins.get(origin) ?? sharedPermits(CONNECTIONS);
    origins.set(origin, permits);
    const giveBack = await permits.take(account, signal);
    return () => {
      giveBack();
      if (permits.idle) origins.delete(origin);
    };
  };

  return {
    async ask(request) {
      const { url, addresses, token, body, signal } = request;
      const text = body && JSON.stringify(body);
      const headers = {
        accept: 'application/json',
        'x-vault-token': token,
        // Vault agents may be set up to ask for it, so that no page of a browser can be the sender.
        'x-vault-request': 'true',
        ...(text !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        }),
      };
      let giveBack: (() => void) | undefined;
      try {
        giveBack = await permit(request);
        const message = { headers, signal, ...(text !== undefined && { body: text }) };
        const response = await requests.send(url, addresses, { ...message, method: text ? 'POST' : 'GET' });
        return {
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
          body: jsonOf(await wholeOf(response)),
        };
      } catch (error) {
        throw refusalOf(error, signal);
      } finally {
        giveBack?.();
      }
    },
    close: () => requests.close(),
  };
}

async function wholeOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop ends the connection.
    if (length > LARGEST) throw new Refusal('bad-gateway', `the wallet answered with over ${LARGEST} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Without a cause: node keeps what it could not read in its errors, and that may hold the token. */
function refusalOf(error: unknown, signal: AbortSignal): Refusal {
  if (error instanceof Refusal) return error;
  if (signal.aborted && signal.reason instanceof Refusal) return signal.reason;
  const { code = 'unknown fault' } = error as NodeJS.ErrnoException;
  if (code.startsWith('HPE_'))
    return new Refusal('bad-gateway', `what answers at Wallet-Address is no HTTP server (${code})`);
  return new Refusal('unavailable', `the wallet cannot be reached, or broke off (${code}); nothing was done`);
}
