import { request } from 'node:http';

/** An answer to a request. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * Sends a request from an address of this machine, as from a client of its own: on Linux all of 127.0.0.0/8 are. With a
 * body it is a POST of JSON.
 */
export function ask(
  url: string,
  {
    from = '127.0.0.1',
    method,
    headers = {},
    body,
  }: {
    readonly from?: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const req = request(url, {
      localAddress: from,
      agent: false,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...type, ...headers },
    });
    req.on('error', reject);
    req.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => (text += chunk));
      res.on('error', reject);
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text }));
    });
    req.end(body);
  });
}

/** Returns the message of an error of the policy API. */
export function messageOf({ body }: Answered): string {
  return (JSON.parse(body) as { error: { message: string } }).error.message;
}
