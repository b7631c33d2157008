import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { bareHost } from '../system/bare-host.js';
import { Disconnected, type Peer } from './broker-fault.js';

const KEEPALIVE_S = 30;
/** Maximum wait for the answer of a broker, ms. */
export const ANSWER_MS = 10_000;

/** Begins to connect. It does not try again. */
export function clientOf({ url, clientId }: Peer, options: IClientOptions): MqttClient {
  const parsed = new URL(url);
  const { protocol, port, username, password } = parsed;
  return connect({
    ...options,
    protocol: protocol === 'mqtts:' ? 'mqtts' : 'mqtt',
    host: bareHost(parsed),
    ...(port === '' ? {} : { port: Number(port) }),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    clientId,
    protocolVersion: 5,
    keepalive: KEEPALIVE_S,
    connectTimeout: ANSWER_MS,
    reconnectPeriod: 0,
    resubscribe: false,
    // With the variable DEBUG the package would log the password.
    log: () => undefined,
  });
}

/** Resolves with the reason once the connection of a client has ended, or could not be made. */
export function endOf(client: MqttClient): Promise<unknown> {
  return new Promise((resolve) => {
    let reason: unknown;
    client.on('error', (error) => {
      reason ??= error;
    });
    client.on('disconnect', ({ reasonCode }) => {
      reason ??= new Disconnected(reasonCode);
      client.end(true);
    });
    client.on('close', () => resolve(reason ?? new Disconnected(undefined)));
  });
}

/** Resolves once a client is connected. Rejects with the reason if the broker does not let it in, or does not answer. */
export async function opened(client: MqttClient, ended: Promise<unknown>): Promise<void> {
  const connected = new Promise<'connected'>((resolve) => client.once('connect', () => resolve('connected')));
  const first = await Promise.race([connected, ended]);
  if (first !== 'connected') throw first;
}
