/** An answer of the service, its body parsed where it is JSON. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Specs look into answers of every shape.
  readonly body: Record<string, never> & {
    readonly error?: { message: string; code: number; title: string };
  };
}

/** Calls a service as its clients do. */
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

/** One request, JSON in and out; a body that is a string or bytes is sent as it is. */
export async function request(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson && text !== '' ? JSON.parse(text) : {}) as ApiAnswer['body'],
  };
}
