import { freePort } from '../../src/system/free-port.js';
import { startRelay } from './relay.js';

/** A context broker to which specs send requests. */
export interface AskedBroker {
  /** Without a trailing slash. */
  readonly url: string;
  /** Sends a request below its address. Returns the status and the parsed body, if any. */
  call(method: string, path: string, body?: object, headers?: Headers): Promise<Answer>;
}

/** An answer of a broker. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A way on which a broker reaches a service. */
export interface Callback {
  /** PORT and PUBLIC_URL of the service. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

type Headers = Readonly<Record<string, string>>;

/**
 * Returns the real broker whose address is in a setting: `ORION_TEST_URL` for NGSIv2, `SCORPIO_TEST_URL` for NGSI-LD. It
 * may have content of others. Returns undefined, after a line on the console, without that setting, also with CI=true.
 */
export function realBroker(setting: 'ORION_TEST_URL' | 'SCORPIO_TEST_URL'): AskedBroker | undefined {
  const url = (process.env[setting] ?? '').replace(/\/+$/, '');
  if (url !== '') return askedBroker(url);
  console.log(`Skipping specs: ${setting} is not set to the address of a broker`);
  return undefined;
}

/** Returns the broker at an address. */
function askedBroker(url: string): AskedBroker {
  return {
    url,
    async call(method, path, body, headers = {}) {
      const sent = body && { body: JSON.stringify(body) };
      const type: Headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const response = await fetch(url + path, { method, headers: { ...type, ...headers }, ...sent });
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    },
  };
}

/** Where a real broker reaches this machine. */
export interface CallbackHost {
  /** `TEST_CALLBACK_HOST`, by default 127.0.0.1. */
  readonly name: string;
  /** Address to listen on. */
  readonly listen: string;
}

/** Returns where a real broker reaches this machine. */
export function callbackHost(): CallbackHost {
  const name = process.env['TEST_CALLBACK_HOST'] ?? '127.0.0.1';
  return { name, listen: name === '127.0.0.1' ? name : '0.0.0.0' };
}

/** Opens a way for a real broker to a service, which listens on the loopback address only. */
export async function openCallback(): Promise<Callback> {
  const { name, listen } = callbackHost();
  const port = await freePort();
  const relay = await startRelay(port, 0, listen);
  return {
    settings: { PORT: String(port), PUBLIC_URL: `http://${name}:${relay.port}` },
    close: () => relay.close(),
  };
}
