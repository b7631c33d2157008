import { Refusal } from '../errors.js';
import { reasonOf } from '../untrusted/reason.js';
import { boundedText } from '../untrusted/text.js';
import { pinnedRequests } from '../untrusted/pinned-requests.js';
import type { HostAddress } from '../untrusted/name-lookup.js';
import { sharedPermits, type SharedPermits } from './shared-permits.js';

/** Largest answer, bytes. A signed transaction has a few hundred, a long list of accounts about 10,000. */
const LARGEST = 256 * 1024;
/** Maximum number of requests to an origin at a time. The accounts of the origin share them. */
const CONNECTIONS = 256;
/** Maximum number of idle connections to an origin. */
const MAX_IDLE = 64;

/** An answer of a wallet, of any status. */
export interface WalletAnswer {
  readonly status: number;
  /** The header Retry-After. */
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** A request to a wallet. Sent twice, it does no more than sent once. */
export interface WalletRequest {
  /** The body of a POST, sent as JSON; undefined for a GET. */
  readonly body?: Readonly<Record<string, string>>;
  /** URL of the account. */
  readonly account: string;
  readonly url: URL;
  readonly addresses: readonly HostAddress[];
  /** Without those of the body. */
  readonly headers: Readonly<Record<string, string>>;
  /** The caller's token, which no error shows. Empty for none. */
  readonly token: string;
  readonly signal: AbortSignal;
}

/** Sends requests to wallets and reuses connections. Accounts with slow requests leave connections to others. */
export type WalletExchange = ReturnType<typeof walletExchange>;

/** Opens connections to wallets as they are needed. */
export function walletExchange() {
  const requests = pinnedRequests({ maxSocketsPerOrigin: CONNECTIONS, maxFreeSockets: MAX_IDLE });
  const origins = new Map<string, SharedPermits>();

  const permit = async ({ url: { origin }, account, signal }: WalletRequest): Promise<() => void> => {
    const permits = origins.get(origin) ?? sharedPermits(CONNECTIONS);
    origins.set(origin, permits);
    const release = await permits.acquire(account, signal);
    return () => {
      release();
      if (permits.idle) origins.delete(origin);
    };
  };

  return {
    /**
     * Sends a request and reads the whole answer. Redirects are not followed: a token is sent only to the address that its
     * caller named. Throws `Refusal`: `unavailable` for a fault of the network, `bad-gateway` for an answer that is too
     * long or is no HTTP, and the reason of `signal` when that is aborted.
     */
    async send(request: WalletRequest): Promise<WalletAnswer> {
      const { url, addresses, token, body, signal } = request;
      const text = body && JSON.stringify(body);
      const headers = {
        ...request.headers,
        ...(text !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        }),
      };
      let release: (() => void) | undefined;
      try {
        release = await permit(request);
        const message = { headers, signal, ...(text !== undefined && { body: text }) };
        const response = await requests.send(url, addresses, { ...message, method: text ? 'POST' : 'GET' });
        return {
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
          text: await boundedText(response, LARGEST, tooLong),
        };
      } catch (error) {
        throw refusalOf(error, signal, token);
      } finally {
        release?.();
      }
    },
    close: () => requests.close(),
  };
}

function tooLong(): Refusal {
  return new Refusal('bad-gateway', `the wallet answered with over ${LARGEST} bytes`);
}

/** The refusal for an error. It has no cause: errors of Node.js may contain the token. */
function refusalOf(error: unknown, signal: AbortSignal, token: string): Refusal {
  if (error instanceof Refusal) return error;
  if (signal.aborted && signal.reason instanceof Refusal) return signal.reason;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('HPE_'))
    return new Refusal('bad-gateway', `what answers at Wallet-Address is no HTTP server (${code})`);
  const why = reasonOf(error, [token]);
  return new Refusal('unavailable', `the wallet cannot be reached, or broke off: ${why}; nothing was done`);
}
