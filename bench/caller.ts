/** Calls an operation with a token; resolves with the body of a 2xx, and throws an `Error` for any other answer. */
export type Caller = (method: string, path: string, body: unknown) => Promise<Record<string, unknown>>;

/** Returns a caller for the tenant and user of that name, whose password is its name. */
export async function callerOf(url: string, name: string): Promise<Caller> {
  const token = await tokenOf(url, name);
  return async (method, path, body) => {
    const headers = { 'content-type': 'application/json', 'x-auth-token': token };
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
}

/** Resolves with a token of the tenant and user of that name, whose password is its name. */
export async function tokenOf(url: string, name: string): Promise<string> {
  const response = await fetch(`${url}/identity/v2.0/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      auth: { tenantName: name, passwordCredentials: { username: name, password: name } },
    }),
  });
  const answer = (await response.json()) as { access: { token: { id: string } } };
  return answer.access.token.id;
}
