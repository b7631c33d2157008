import { once } from 'node:events';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';

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

/** Keeps connections. Node's client takes a third of the processor time of `fetch`, for tens of thousands of requests. */
const agent = new Agent({ keepAlive: true });

/** Sends one request. A body that is a string or bytes is sent unchanged, also with GET; any other as JSON. */
export async function request(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
  const framing =
    bytes === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(bytes)) };
  const sent = httpRequest(url, { method, agent, headers: { accept: '*/*', ...framing, ...headers } });
  sent.end(bytes);
  const [received] = (await once(sent, 'response')) as [IncomingMessage];
  // A service that refuses a body may answer, and close, while it is sent.
  sent.on('error', () => undefined);
  const answered = new Headers();
  for (let i = 0; i < received.rawHeaders.length; i += 2)
    answered.append(received.rawHeaders[i]!, received.rawHeaders[i + 1]!);
  const content = await text(received);
  const isJson = /[/+]json\b/.test(answered.get('content-type') ?? '');
  return {
    status: received.statusCode!,
    headers: answered,
    text: content,
    body: (isJson && content !== '' ? JSON.parse(content) : {}) as ApiAnswer['body'],
  };
}
