import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Network, clientAddresses } from './client-address.js';
import { Client, type Limits, Place } from './place.js';
import { Parties, Party, Pool } from './shares.js';

/** How many requests are let in. */
export interface AdmissionOptions {
  /** Requests worked on at the same time. */
  readonly maxInFlight: number;
  /** Requests that wait for the chain at the same time; as many as `maxInFlight` when left out. */
  readonly maxWaiting?: number;
  /** Bytes of all bodies that are being received at the same time, after inflating; default 256 MiB. */
  readonly bodyBytes?: number;
  /** Proxies whose X-Forwarded-For is believed; none when left out. */
  readonly trustedProxies?: readonly Network[];
  /** Paths that are always served and never counted: who watches the service must still reach it. */
  readonly exempt: readonly string[];
}

/** Lets a request in: its place, whose work is to be ended by the caller. Throws `Refusal('unavailable')`. */
export type Admit = (req: IncomingMessage, res: ServerResponse, path: string) => Place;

const BODY_BYTES = 256 * 1024 ** 2;

/** Makes the admission of a service. */
export function admission(options: AdmissionOptions): Admit {
  const { maxInFlight, maxWaiting = maxInFlight, bodyBytes = BODY_BYTES } = options;
  const { trustedProxies = [], exempt } = options;
  const addressOf = clientAddresses(trustedProxies);
  const limits: Limits = {
    clients: new Parties((address) => new Client(address)),
    tenants: new Parties((id) => new Party(id)),
    working: new Pool('working', maxInFlight, 'requests at the same time'),
    waiting: new Pool('waiting', maxWaiting, 'requests that wait for the chain'),
    bodies: { most: bodyBytes, held: 0 },
  };

  const admitted = (client: Client, res: ServerResponse, path: string): Place => {
    const place = new Place(client, limits, exempt.includes(path));
    res.once('close', () => place.end());
    return place;
  };

  if (trustedProxies.length > 0) {
    // One connection of a proxy has requests of many clients.
    return (req, res, path) => {
      const client = limits.clients.use(addressOf(req));
      try {
        return admitted(client, res, path);
      } finally {
        limits.clients.drop(client);
      }
    };
  }

  const ofSockets = new WeakMap<Socket, Client>();
  const clientOf = (req: IncomingMessage): Client => {
    const { socket } = req;
    const client = limits.clients.use(addressOf(req));
    ofSockets.set(socket, client);
    socket.once('close', () => limits.clients.drop(client));
    return client;
  };
  return (req, res, path) => admitted(ofSockets.get(req.socket) ?? clientOf(req), res, path);
}
