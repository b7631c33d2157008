import { once } from 'node:events';
import { type Socket, connect } from 'node:net';

/** A response as received. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection on which a spec writes raw bytes. */
export interface Wire {
  readonly socket: Socket;
  write(bytes: string | Buffer): void;
  /** Resolves to the next complete response, which has a Content-Length or no body. */
  response(): Promise<RawResponse>;
  /** Resolves once the server has closed the connection. */
  closed(): Promise<void>;
}

/** Opens connections, and destroys them after each spec. */
export function wires(): (port: number) => Promise<Wire> {
  const open: Socket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });
  return async (port) => {
    const socket = connect(port, '127.0.0.1');
    open.push(socket);
    // Without it, a second write would wait for the acknowledgement of the first.
    socket.setNoDelay();
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    // A reset ends the connection too.
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return {
      socket,
      write: (bytes) => socket.write(bytes),
      async response() {
        for (;;) {
          const found = responseIn(received);
          if (found !== undefined) {
            received = received.slice(found.length);
            return found.response;
          }
          if (socket.closed)
            throw new Error(`the connection ended with ${JSON.stringify(received)} received`);
          await news(socket);
        }
      },
      async closed() {
        while (!socket.closed) await news(socket);
      },
    };
  };
}

function news(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('data', done).off('close', done);
      resolve();
    };
    socket.on('data', done).on('close', done);
  });
}

function responseIn(text: string): { response: RawResponse; length: number } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const length = end + 4 + Number(headers['content-length'] ?? 0);
  if (text.length < length) return undefined;
  return {
    response: { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4, length) },
    length,
  };
}
