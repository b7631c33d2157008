import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as a stand-in has received it. */
export interface Received {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A subscription as a stand-in holds it. */
export interface HeldSubscription {
  /** As the broker knows it, and as its notifications name it. */
  readonly id: string;
  readonly entityId: string;
  readonly entityType: string;
  readonly attributes: readonly string[];
  /** What has to change so that a notification is sent. */
  readonly watched: readonly string[];
  readonly callback: string;
  /** Sent along with notifications. */
  readonly headers: Readonly<Record<string, string>>;
  readonly description: string;
  /** Ms since the epoch; none are sent from then on. */
  readonly expiresAt: number;
}

/** What a broker answers. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long it takes, ms. */
  readonly afterMs?: number;
}

/** How a broker fails; `done`: after it has carried out what was asked. */
export type Failure = { readonly done?: boolean } & (
  | { readonly how: 'silent' | 'broken' | 'half' | 'endless' }
  | ({ readonly how: 'answer' } & Reply)
);

/** What came back to a notification. */
export interface Notified {
  readonly status: number;
  readonly body: string;
}

/** A context broker played by an HTTP server on a free port of the loopback interface. */
export interface BrokerStandIn {
  readonly url: string;
  /** Everything received so far. */
  readonly requests: readonly Received[];
  /** What is held now, expired ones included, in order of creation. */
  subscriptions(): readonly HeldSubscription[];
  /** Fails the next `times` requests (by default all from now on) this way; undefined: no more. */
  failWith(failure: Failure | undefined, times?: number): void;
  /** Resolves once `count` requests have been received. */
  received(count: number): Promise<void>;
  /**
   * Sends measurements (attribute → value) to the callback of a subscription, given as the broker knows it or as the
   * policy API shows it. Rejects when it is unknown or expired.
   */
  notify(subscriptionId: string, measurements: Readonly<Record<string, string | number>>): Promise<Notified>;
  close(): Promise<void>;
}

/** What makes a stand-in speak one API. */
export interface Dialect {
  /** Answers a request, and changes what is held accordingly. */
  handle(request: Received, held: Map<string, HeldSubscription>): Reply;
  /** The notification of measurements: its body and the API's own headers. */
  notification(
    subscription: HeldSubscription,
    measurements: Readonly<Record<string, string | number>>,
  ): { readonly body: unknown; readonly headers: Readonly<Record<string, string>> };
}

/** Starts a stand-in; `now` is its clock, in ms since the epoch. */
export async function standIn(dialect: Dialect, now: () => number): Promise<BrokerStandIn> {
  const held = new Map<string, HeldSubscription>();
  const requests: Received[] = [];
  const waiting = new Set<() => void>();
  let failure: Failure | undefined;
  let failures = 0;

  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const { method = '', url: path = '', headers } = incoming;
      const request = { method, path, headers, body };
      const failing = failures > 0 ? failure : undefined;
      failures -= 1;
      const reply =
        failing === undefined || failing.done === true ? dialect.handle(request, held) : undefined;
      if (failing === undefined) answer(response, reply!);
      else fail(response, failing);
      requests.push(request);
      for (const check of waiting) check();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    subscriptions: () => [...held.values()],
    failWith(next, times = Infinity) {
      failure = next;
      failures = times;
    },
    received: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (requests.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    async notify(subscriptionId, measurements) {
      const found = [...held.values()].find(
        ({ id }) => id === subscriptionId || id.endsWith(`:${subscriptionId}`),
      );
      if (found === undefined) throw new Error(`no subscription ${subscriptionId}`);
      if (found.expiresAt <= now()) throw new Error(`the subscription ${subscriptionId} has expired`);
      const { body, headers } = dialect.notification(found, measurements);
      const answered = await fetch(found.callback, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers, ...found.headers },
        body: JSON.stringify(body),
      });
      return { status: answered.status, body: await answered.text() };
    },
    async close() {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(response: ServerResponse, { status, headers, body, afterMs = 0 }: Reply): void {
  const send = () => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
  if (afterMs === 0) send();
  else setTimeout(send, afterMs).unref();
}

function fail(response: ServerResponse, failure: Failure): void {
  if (failure.how === 'answer') answer(response, failure);
  else if (failure.how === 'broken') response.destroy();
  else if (failure.how === 'half') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{');
  } else if (failure.how === 'endless') {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      if (response.writable) response.write(' '.repeat(65_536), more);
    };
    more();
  }
}
