/** A context broker to which specs send requests: a real one or a stand-in. */
export interface AskedBroker {
  /** Without a trailing slash. */
  readonly url: string;
  /** Sends a request below its address. Returns the status and the parsed body, if any. */
  call(method: string, path: string, body?: object, headers?: Headers): Promise<Answer>;
}

/** An answer of a broker. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A way on which a broker reaches a service. */
export interface Callback {
  /** PORT and PUBLIC_URL of the service. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** A broker of a behaviour, real or a stand-in. */
export interface AskedCase {
  readonly broker: () => AskedBroker;
  /** Opens its way to a service. Default: it reaches the service's own address. */
  readonly openCallback?: () => Promise<Callback>;
}

type Headers = Readonly<Record<string, string>>;

/** Returns the broker at an address. */
export function askedBroker(url: string): AskedBroker {
  return {
    url,
    async call(method, path, body, headers = {}) {
      const sent = body && { body: JSON.stringify(body) };
      const type: Headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const response = await fetch(url + path, {
        method,
        headers: { accept: 'application/json', ...type, ...headers },
        ...sent,
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    },
  };
}
