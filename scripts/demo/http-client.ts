/** Sends a request. Returns the answer's JSON, undefined if it is empty. Rejects with `Refused` unless the status is 2xx. */
export type HttpClient = <T>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<T>;

/** The service refused a request. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Creates a client of the service at an address. */
export function httpClient(url: string): HttpClient {
  return async <T>(method: string, path: string, body?: unknown, headers = {}): Promise<T> => {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.text();
    if (!response.ok) throw new Refused(response.status, `${method} ${path}: ${response.status} ${answer}`);
    return (answer === '' ? undefined : JSON.parse(answer)) as T;
  };
}
