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
  /** Characters of all long answers that are being sent at the same time; default 256 Mi. */
  readonly answerCharacters?: number;
  /** Proxies whose X-Forwarded-For is believed; none when left out. */
  readonly trustedProxies?: readonly Network[];
  /** Paths that are always served and never counted: who watches the service must still reach it. */
  readonly exempt: readonly string[];
}

/** Lets a request in: its place, whose work is to be ended by the caller. Throws `Refusal('unavailable')`. */
export type Admit = (req: IncomingMessage, res: ServerResponse, path: string) => Place;

const BODY_BYTES = 256 * 1024 ** 2;
const ANSWER_CHARACTERS = 256 * 1024 ** 2;

/** Makes the admission of a service. */
export function admission(options: AdmissionOptions): Admit {
  const { maxInFlight, maxWaiting = maxInFlight, bodyBytes = BODY_BYTES } = options;
  const { answerCharacters = ANSWER_CHARACTERS } = options;
  const { trustedProxies = [], exempt } = options;
  const addressOf = clientAddresses(trustedProxies);
  const limits: Limits = {
    clients: new Parties((address) => new Client(address)),
    tenants: new Parties((id) => new Party(id)),
    working: new Pool('working', maxInFlight, 'requests at the same time'),
    waiting: new Pool('waiting', maxWaiting, 'requests that wait for the chain'),
    bodies: { most: bodyBytes, held: 0 },
    answers: { most: answerCharacters, held: 0 },
  };

  const onceSent = answersSent();
  const admitted = (client: Client, res: ServerResponse, path: string): Place => {
    const place = new Place(client, limits, exempt.includes(path));
    onceSent(res, () => place.end());
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

/** Makes the function that has `done` called once, when an answer has been sent or can be sent no more. */
function answersSent(): (res: ServerResponse, done: () => void) => void {
  const behind = new WeakMap<Socket, Set<() => void>>();
  const behindOn = (socket: Socket): Set<() => void> => {
    const known = behind.get(socket);
    if (known !== undefined) return known;
    const made = new Set<() => void>();
    behind.set(socket, made);
    socket.once('close', () => {
      for (const done of made) done();
    });
    return made;
  };
  return (res, done) => {
    if (res.socket !== null) return void res.once('close', done);
    // It comes behind another answer on its connection. Where the connection ends before its turn, it is never closed.
    const others = behindOn(res.req.socket);
    others.add(done);
    res.once('close', () => others.delete(done) && done());
  };
}
