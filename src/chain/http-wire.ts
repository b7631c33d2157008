import { boundedText } from '../foreign/bounded-text.js';
import { jsonOf } from '../foreign/json.js';
import { batches, envelope, inOrder } from './batches.js';
import { LARGEST_ANSWER, malformed, outcomeOf, unreachable } from './exchange.js';
import type { RpcRequest, Wire } from './exchange.js';
import { ChainUnavailable } from './port.js';

/**
 * JSON-RPC over HTTP. Asks with Node's own fetch: web3's HttpProvider opens a connection for every request, reads
 * answers of any size, and puts the address, with the key that may be in it, into its errors.
 */
export function httpWire(url: string): Wire {
  const { href, headers } = splitCredentials(url);

  async function post(body: unknown, signal: AbortSignal): Promise<Answer> {
    const request = {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      redirect: 'manual',
      signal,
    } as const;
    try {
      return await read(await fetch(href, request));
    } catch (error) {
      throw error instanceof ChainUnavailable ? error : unreachable();
    }
  }

  async function together(requests: readonly RpcRequest[], signal: AbortSignal) {
    const [first, ...others] = requests;
    if (first !== undefined && others.length === 0) {
      const { status, json } = await post(envelope(first), signal);
      const outcome = outcomeOf(json);
      if (outcome === undefined) throw unexpected(status);
      return [outcome.value];
    }
    const { status, json } = await post(requests.map(envelope), signal);
    if (Array.isArray(json)) return inOrder(requests, json);
    if (isPassing(status)) throw unexpected(status);
    return undefined;
  }

  return { exchange: batches(together), announces: () => false, late() {}, close() {} };
}

interface Answer {
  readonly status: number;
  /** Undefined where it is not JSON. */
  readonly json: unknown;
}

async function read(response: Response): Promise<Answer> {
  const tooLong = (): ChainUnavailable => malformed(`more than ${LARGEST_ANSWER} bytes`);
  return { status: response.status, json: jsonOf(await boundedText(response, LARGEST_ANSWER, tooLong)) };
}

/** Whether a status says nothing of the request: the same may be answered later, or to others. */
function isPassing(status: number): boolean {
  return [401, 403, 408, 429].includes(status) || status >= 500;
}

function unexpected(status: number): ChainUnavailable {
  if (status < 300) return malformed('its answer is not JSON-RPC');
  const advice = status === 429 || status >= 500 ? '' : '; check CHAIN_RPC_URL';
  return new ChainUnavailable(`The chain's node answered ${status}${advice}.`);
}

/** The address without user and password, which fetch refuses, and the header that says the same. */
function splitCredentials(url: string): { readonly href: string; readonly headers: Record<string, string> } {
  const plain = new URL(url);
  const { username, password } = plain;
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  if (username === '' && password === '') return { href: plain.href, headers };
  plain.username = '';
  plain.password = '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  return { href: plain.href, headers: { ...headers, authorization } };
}
