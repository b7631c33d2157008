import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** An answer of the service. A JSON body is parsed. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // `any`: specs read answers of every shape.
  readonly body: Record<string, never> & {
    readonly error?: { message: string; code: number; title: string };
  };
}

/** Calls a service over HTTP. */
export interface ApiClient {
  readonly token: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
}

/** A client with a token of one tenant (policy §5, rule 2). */
export async function apiClient(
  url: string,
  tenant = 'demo',
  user = 'demo',
  password = 'demo',
): Promise<ApiClient> {
  const auth = { tenantName: tenant, passwordCredentials: { username: user, password } };
  const response = await fetch(`${url}/identity/v2.0/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth }),
  });
  const { access } = (await response.json()) as { access: { token: { id: string } } };
  const token = access.token.id;
  return {
    token,
    call: (method, path, body, headers = {}) =>
      request(url + path, method, body, { 'x-auth-token': token, ...headers }),
  };
}

/** Sends one request. A body that is a string or bytes is sent unchanged, also with GET; any other as JSON. */
export async function request(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const sent = {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
  };
  const response = await (method === 'GET' && body !== undefined ? withBody(url, sent) : fetch(url, sent));
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson && text !== '' ? JSON.parse(text) : {}) as ApiAnswer['body'],
  };
}

/** Sends what `fetch` refuses to send. */
async function withBody(
  url: string,
  { body, ...options }: { method: string; headers: Record<string, string>; body?: string | Uint8Array },
): Promise<Response> {
  const sent = httpRequest(url, options);
  sent.setHeader('content-length', Buffer.byteLength(body!));
  sent.end(body);
  const [received] = (await once(sent, 'response')) as [IncomingMessage];
  const headers = Object.entries(received.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return new Response(await buffer(received), { status: received.statusCode!, headers });
}
