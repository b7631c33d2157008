import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Network, clientAddresses } from './client-address.js';
import { Client, type Limits, Permit } from './permit.js';
import { Parties, Party, Pool } from './shares.js';
import { TenantRate } from './tenant-rate.js';

/** The limits of admission. */
export interface AdmissionOptions {
  /** Maximum number of requests being worked on. */
  readonly maxInFlight: number;
  /** Maximum number of requests that wait for the chain; default `maxInFlight`. */
  readonly maxWaiting?: number;
  /** Maximum size of all bodies being received, bytes after inflating; default 256 MiB. */
  readonly bodyBytes?: number;
  /** Maximum size of all long answers being sent, characters; default 256 Mi. */
  readonly answerCharacters?: number;
  /** Maximum requests of a tenant per second; default and 0: any number. */
  readonly tenantRate?: number;
  /** Proxies whose X-Forwarded-For is trusted; default none. */
  readonly trustedProxies?: readonly Network[];
  /** Paths that are always served and never counted, so that monitoring works under overload. */
  readonly exempt: readonly string[];
}

/** Admits a request. Returns its permit; the caller ends the work. Throws `Refusal('unavailable')`. */
export type Admit = (req: IncomingMessage, res: ServerResponse, path: string) => Permit;

const BODY_BYTES = 256 * 1024 ** 2;
const ANSWER_CHARACTERS = 256 * 1024 ** 2;

/** Makes the admission of a service. */
export function admission(options: AdmissionOptions): Admit {
  const { maxInFlight, maxWaiting = maxInFlight, bodyBytes = BODY_BYTES } = options;
  const { answerCharacters = ANSWER_CHARACTERS } = options;
  const { trustedProxies = [], exempt, tenantRate = 0 } = options;
  const addressOf = clientAddresses(trustedProxies);
  const limits: Limits = {
    clients: new Parties((address) => new Client(address)),
    tenants: new Parties((id) => new Party(id)),
    working: new Pool('working', maxInFlight, 'requests at the same time'),
    waiting: new Pool('waiting', maxWaiting, 'requests that wait for the chain'),
    rate: tenantRate === 0 ? undefined : new TenantRate(tenantRate),
    bodies: { most: bodyBytes, held: 0 },
    answers: { most: answerCharacters, held: 0 },
  };

  const onceSent = answersSent();
  const admitted = (client: Client, res: ServerResponse, path: string): Permit => {
    const permit = new Permit(client, limits, exempt.includes(path));
    onceSent(res, () => permit.end());
    return permit;
  };

  if (trustedProxies.length > 0) {
    // A proxy's connection carries requests of many clients.
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

/** Returns the function that calls `done` once, after an answer is sent or can no longer be sent. */
function answersSent(): (res: ServerResponse, done: () => void) => void {
  const queued = new WeakMap<Socket, Set<() => void>>();
  const queuedOn = (socket: Socket): Set<() => void> => {
    const known = queued.get(socket);
    if (known !== undefined) return known;
    const made = new Set<() => void>();
    queued.set(socket, made);
    socket.once('close', () => {
      for (const done of made) done();
    });
    return made;
  };
  return (res, done) => {
    if (res.socket !== null) return void res.once('close', done);
    // Another answer comes first on this connection. If the connection ends before this answer's turn, `res` has no 'close'.
    const others = queuedOn(res.req.socket);
    others.add(done);
    res.once('close', () => others.delete(done) && done());
  };
}
