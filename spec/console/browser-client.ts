import { expect } from 'chai';
import { type ApiAnswer, request } from '../e2e/api-client.js';
import type { SessionView } from '../../src/console/shapes.js';

/** A browser with a session: the cookie, and the value for X-CSRF-Token. */
export interface BrowserClient {
  readonly cookie: string;
  /** The whole Set-Cookie. */
  readonly setCookie: string;
  readonly csrf: string;
  readonly view: SessionView;
  /** Sends a request as the console's page does: with the cookie, and with X-CSRF-Token for changes. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
}

/** Sends a login. */
export function logIn(url: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> {
  return request(`${url}/console/api/session`, 'POST', body, headers);
}

/** Logs in. Fails unless that succeeds. */
export async function browserClient(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<BrowserClient> {
  const answer = await logIn(url, body, headers);
  expect(answer.status, answer.text).to.equal(200);
  const view = answer.body as unknown as SessionView;
  const setCookie = answer.headers.get('set-cookie') ?? '';
  const [cookie = ''] = setCookie.split(';');
  const csrf = view.csrf ?? '';
  return {
    cookie,
    setCookie,
    csrf,
    view,
    call: (method, path, sent, more = {}) =>
      request(url + path, method, sent, {
        cookie,
        ...(['GET', 'HEAD'].includes(method) ? {} : { 'x-csrf-token': csrf }),
        ...more,
      }),
  };
}

/** The body that logs the demo tenant in. */
export const DEMO = { tenantName: 'demo', username: 'demo', password: 'demo' };

/** Returns the answer of GET /console/api/session. */
export async function viewed(url: string, headers: Record<string, string> = {}): Promise<SessionView> {
  const answer = await request(`${url}/console/api/session`, 'GET', undefined, headers);
  expect(answer.status, answer.text).to.equal(200);
  expect(answer.headers.get('cache-control')).to.equal('no-store');
  return answer.body as unknown as SessionView;
}
