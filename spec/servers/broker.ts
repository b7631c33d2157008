import { askedBroker, type AskedBroker, type Callback } from '../e2e/brokers/asked-broker.js';
import { reservedPort } from './ports.js';
import { startRelay } from './relay.js';

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
  const port = await reservedPort();
  const relay = await startRelay(port, undefined, listen);
  return {
    settings: { PORT: String(port), PUBLIC_URL: `http://${name}:${relay.port}` },
    close: () => relay.close(),
  };
}
