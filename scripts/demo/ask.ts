/** Asks the service: gives the JSON of its answer, undefined where that is empty. Rejects where it is no 2xx. */
export type Ask = <T>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<T>;

/** A service refused what it was asked. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Asks the service at this address. */
export function asking(url: string): Ask {
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
