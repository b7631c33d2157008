import { EventEmitter, once } from 'node:events';
import pino from 'pino';
import { createApp, type AppOptions } from '../../src/http/app.js';
import type { EdgeMiddleware } from '../../src/http/context.js';
import { READ, type Route, route } from '../../src/http/router.js';
import { type Listening, type ListenOptions, listen } from '../../src/http/server.js';

/** A listening edge, and its log lines. */
export interface Edge extends Listening {
  readonly logged: Record<string, unknown>[];
}

type Options = Partial<AppOptions> & Partial<ListenOptions> & { readonly level?: string };

/** Makes the function that starts edges, each closed after its spec. */
export function edges(): (routes: readonly (readonly Route[])[], options?: Options) => Promise<Edge> {
  const open: Listening[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((edge) => edge.close(0)));
  });
  return async (tables, options = {}) => {
    const logged: Record<string, unknown>[] = [];
    const write = (line: string): unknown => logged.push(JSON.parse(line) as Record<string, unknown>);
    const app = createApp({
      log: pino({ level: options.level ?? 'debug' }, { write }),
      routes: tables.flat(),
      challenge: () => 'Keystone uri="http://identity.example"',
      admission: { maxInFlight: 1000, exempt: [] },
      observe: () => undefined,
      ...options,
    });
    const server = await listen(app, { host: '127.0.0.1', port: 0, ...options });
    open.push(server);
    return { ...server, logged };
  };
}

/** Makes routes of a table: `'GET /path'` and its handlers. GET has HEAD. */
export function routes(table: Record<string, EdgeMiddleware | EdgeMiddleware[]>): readonly Route[] {
  return Object.entries(table).map(([name, handlers]) => {
    const [method = '', path = ''] = name.split(' ');
    return route(method === 'GET' ? READ : [method], path, ...[handlers].flat());
  });
}

/** Answers 200 with `{}`. */
export const ok: EdgeMiddleware = (ctx) => {
  ctx.body = {};
};

/** Makes a route `GET /held` that reports the arrival of a request, and answers `{"held":true}` after `release`. */
export function held(): { router: readonly Route[]; arrived: Promise<unknown>; release: () => void } {
  const events = new EventEmitter();
  const arrived = once(events, 'arrived');
  const released = once(events, 'released');
  const router = routes({
    'GET /held': async (ctx) => {
      events.emit('arrived');
      await released;
      ctx.body = { held: true };
    },
  });
  return { router, arrived, release: () => events.emit('released') };
}

/** Returns the error in a response of the policy API. */
export async function errorIn(response: Response): Promise<{ message: string; code: number; title: string }> {
  const { error } = (await response.json()) as { error: { message: string; code: number; title: string } };
  return error;
}

/** A handler that reads a body, and the error with which that fails. */
export function failingRead(read: (ctx: Parameters<EdgeMiddleware>[0]) => Promise<unknown>) {
  let failed = (_error: unknown): void => undefined;
  const failure = new Promise((resolve) => (failed = resolve));
  const attempt: EdgeMiddleware = async (ctx) => {
    await read(ctx).catch(failed);
  };
  return { attempt, failure };
}
