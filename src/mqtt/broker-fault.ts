import { reasonOf, secretsIn } from '../untrusted/reason.js';

/** The end of a connection by the broker, with a reason code of MQTT 5. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected';

  constructor(readonly code: number | undefined) {
    super('it ended the connection');
  }
}

/** A message could not be taken now, for a reason of this service. */
export class TakingFailed extends Error {
  override readonly name = 'TakingFailed';
}

/** The broker does not let this client subscribe to a topic filter. */
export class SubscriptionRefused extends Error {
  override readonly name = 'SubscriptionRefused';

  constructor(
    readonly filter: string,
    cause: unknown,
  ) {
    super('it refuses the subscription', { cause });
  }
}

/** Reason codes of MQTT 5, and return codes of MQTT 3.1.1 from brokers that speak no other version. */
const CODES = {
  version: new Set<unknown>([1, 132]),
  clientId: new Set<unknown>([2, 133]),
  credentials: new Set<unknown>([4, 5, 134, 135]),
  takenOver: 142,
  tooLarge: 149,
};

/** Whose connection it was. */
export interface Peer {
  /** May hold credentials. */
  readonly url: string;
  readonly clientId: string;
}

/** Returns in one sentence why there is no connection, without secrets. For operators: it names the address. */
export function faultOf(error: unknown, { url, clientId }: Peer): string {
  const { host, username } = new URL(url);
  const reason = reasonOf(error, secretsIn(url));
  if (error instanceof TakingFailed) return `messages of ${host} wait there: ${reason}`;
  if (error instanceof SubscriptionRefused) {
    return `${host} does not allow to subscribe to ${error.filter} (${reason})`;
  }
  const { code } = error as { readonly code?: unknown };
  if (CODES.credentials.has(code)) {
    return username === ''
      ? `${host} lets nobody in without user and password (${reason}): set them in MQTT_URL`
      : `${host} refuses the user or the password of MQTT_URL (${reason})`;
  }
  if (CODES.version.has(code)) return `${host} does not speak MQTT 5 (${reason})`;
  if (CODES.clientId.has(code)) return `${host} refuses the client id ${clientId} (${reason})`;
  if (code === CODES.takenOver) {
    return `${host}: another client uses the client id ${clientId}; each node needs its own MQTT_CLIENT_ID`;
  }
  if (code === CODES.tooLarge) return `${host} sends larger messages than asked for (${reason})`;
  if (typeof code === 'number') return `${host} ended the connection: ${reason}, reason code ${code}`;
  return `${host} does not answer: ${reason}`;
}
