import { setMaxListeners } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenReserved } from '../../servers/ports.js';

/** A received request. */
export interface Received {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A stored subscription. */
export interface HeldSubscription {
  /** Id of the broker, also in its notifications. */
  readonly id: string;
  /** Tenant of the broker; '' is its default tenant. */
  readonly tenant: string;
  /** Id of the entity, or a regular expression of ids if `isPattern`. */
  readonly entityId: string;
  readonly isPattern?: boolean;
  readonly entityType: string;
  readonly attributes: readonly string[];
  /** Attributes whose change triggers a notification. */
  readonly watched: readonly string[];
  /** NGSIv2: what triggers a notification. */
  readonly alterationTypes?: readonly string[];
  /** NGSIv2: notifications have the attributes of the update alone. */
  readonly onlyChangedAttrs?: boolean;
  /** NGSIv2: service path of the entities; undefined: every path. */
  readonly servicePath?: string | undefined;
  /** NGSI-LD: notifications have the times of attributes. */
  readonly sysAttrs?: boolean;
  /** NGSI-LD: address of the JSON-LD context of the names. */
  readonly context?: string | undefined;
  readonly callback: string;
  /** Headers of notifications. */
  readonly headers: Readonly<Record<string, string>>;
  readonly description: string;
  /** End of the notifications, ms since the epoch. */
  readonly expiresAt: number;
}

/** What the API of a stand-in knows of a subscription. */
export type Content = Omit<HeldSubscription, 'tenant'>;

/** An entity in a stand-in. */
export interface HeldEntity {
  readonly id: string;
  readonly type: string;
  /** NGSIv2: its service path. */
  readonly path: string;
  /** Attributes by name, as the API has them. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** What a stand-in has of one tenant. */
export interface TenantContent {
  /** By id. */
  readonly subscriptions: Map<string, Content>;
  /** By what tells them apart in the API. */
  readonly entities: Map<string, HeldEntity>;
}

/** A notification that an update causes. */
export interface Caused {
  readonly subscription: Content;
  readonly notification: Notification;
}

/** A notification: its body and the API's headers. */
export interface Notification {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer of a broker. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Delay, ms. */
  readonly afterMs?: number;
  /** Notifications that the request causes. */
  readonly causes?: readonly Caused[];
}

/** A failure of a broker. `done`: after it carried out the request. */
export type Failure = { readonly done?: boolean } & (
  | { readonly how: 'silent' | 'broken' | 'half' | 'endless' }
  | ({ readonly how: 'answer' } & Reply)
);

/** Answer to a notification. */
export interface Notified {
  readonly status: number;
  readonly body: string;
}

/** HTTP server on a free port of the loopback interface that stands in for a context broker. */
export interface BrokerStandIn {
  readonly url: string;
  /** Requests received so far. */
  readonly requests: readonly Received[];
  /** Stored subscriptions, expired ones included, in order of creation. */
  subscriptions(): readonly HeldSubscription[];
  /** Makes the next `times` requests fail, by default all. undefined: no more failures. */
  failWith(failure: Failure | undefined, times?: number): void;
  /** Resolves once `count` requests have been received. */
  received(count: number): Promise<void>;
  /**
   * Sends measurements (attribute → value) to the callback of a subscription, identified by the broker's id or by the
   * policy API's. Rejects if it is unknown or expired.
   */
  notify(subscriptionId: string, measurements: Readonly<Record<string, string | number>>): Promise<Notified>;
  close(): Promise<void>;
}

/** One API of a stand-in. */
export interface Dialect {
  /** Answers a request and updates the content of its tenant. */
  handle(request: Received, tenant: TenantContent): Reply;
  /** Tenant that a request names; '' if it names none. */
  tenantOf(headers: IncomingHttpHeaders): string;
  /** Returns the notification of measurements. */
  notification(
    subscription: HeldSubscription,
    measurements: Readonly<Record<string, string | number>>,
  ): Notification;
  /** True if the broker sends one notification after the other. */
  readonly oneByOne?: boolean;
}

/** Starts a stand-in; `now` is its clock, in ms since the epoch. */
export async function standIn(dialect: Dialect, now: () => number): Promise<BrokerStandIn> {
  const tenants = new Map<string, TenantContent>();
  const contentOf = (tenant: string): TenantContent => {
    const content = tenants.get(tenant) ?? { subscriptions: new Map(), entities: new Map() };
    tenants.set(tenant, content);
    return content;
  };
  const subscriptions = (): HeldSubscription[] =>
    [...tenants].flatMap(([tenant, held]) =>
      [...held.subscriptions.values()].map((one) => ({ ...one, tenant })),
    );
  const requests: Received[] = [];
  const waiting = new Set<() => void>();
  let failure: Failure | undefined;
  let failures = 0;
  const closing = new AbortController();
  // Each request on the way listens.
  setMaxListeners(0, closing.signal);
  let last: Promise<unknown> = Promise.resolve();

  const send = async (to: Content, { body, headers }: Notification): Promise<Notified> => {
    const answered = await fetch(to.callback, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...to.headers, ...headers },
      body: JSON.stringify(body),
      signal: closing.signal,
    });
    return { status: answered.status, body: await answered.text() };
  };

  /** Sends what a request caused, each once: whatever the answer, nothing is sent again. */
  const sendCaused = (caused: readonly Caused[] = []): void => {
    for (const { subscription, notification } of caused) {
      const sendOnce = () => send(subscription, notification).catch(() => undefined);
      if (dialect.oneByOne === true) last = last.then(sendOnce);
      else void sendOnce();
    }
  };

  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const { method = '', url: path = '', headers } = incoming;
      const request = { method, path, headers, body };
      const failing = failures > 0 ? failure : undefined;
      failures -= 1;
      const handled = failing === undefined || failing.done === true;
      const reply = handled ? dialect.handle(request, contentOf(dialect.tenantOf(headers))) : undefined;
      if (failing === undefined) answer(response, reply!);
      else fail(response, failing);
      sendCaused(reply?.causes);
      requests.push(request);
      for (const check of waiting) check();
    });
  });
  const port = await listenReserved(server);

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    subscriptions,
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
      const found = subscriptions().find(
        ({ id }) => id === subscriptionId || id.endsWith(`:${subscriptionId}`),
      );
      if (found === undefined) throw new Error(`no subscription ${subscriptionId}`);
      if (found.expiresAt <= now()) throw new Error(`the subscription ${subscriptionId} has expired`);
      return send(found, dialect.notification(found, measurements));
    },
    async close() {
      closing.abort();
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
