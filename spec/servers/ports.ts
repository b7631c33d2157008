import { once } from 'node:events';
import { createConnection, createServer, type Server } from 'node:net';

/**
 * Ports for specs. Systems give higher ones, from 32,768 on Linux and 49,152 on macOS, to outgoing connections and to programs
 * that ask for any port. They are in blocks. A process that needs ports takes a block: it listens on the first port of it until
 * its end, so that the processes of specs that run at once have different ports.
 */
const FIRST_PORT = 12_000;
const BLOCK_SIZE = 200;
const BLOCKS = 75;

let block: Promise<number> | undefined;
let given = 0;

/**
 * Returns a port with no listener, which no other program gets by chance: it can be listened on later, again after a close, or
 * never. A process has 199 ports: the next call after so many returns the first one again, unless something listens on it.
 */
export async function reservedPort(): Promise<number> {
  const first = await (block ??= takeBlock());
  for (let tries = 1; tries < BLOCK_SIZE; tries += 1) {
    given = (given % (BLOCK_SIZE - 1)) + 1;
    const port = first + given;
    if (await isFree(port)) return port;
  }
  throw new Error(`all ports from ${first + 1} to ${first + BLOCK_SIZE - 1} are in use`);
}

/**
 * Makes a server of a spec listen, on a reserved port unless one is given. Resolves with the port: after a close another server
 * can listen there again, or connections are refused.
 */
export async function listenReserved(server: Server, port?: number, host = '127.0.0.1'): Promise<number> {
  const own = port ?? (await reservedPort());
  server.listen(own, host);
  await once(server, 'listening');
  return own;
}

/** Returns the first port of a block that no other process has. */
async function takeBlock(): Promise<number> {
  const start = Math.floor(Math.random() * BLOCKS);
  for (let next = 0; next < BLOCKS; next += 1) {
    const port = FIRST_PORT + ((start + next) % BLOCKS) * BLOCK_SIZE;
    const guard = createServer((socket) => socket.destroy());
    if (!(await canListen(guard, port, '127.0.0.1'))) continue;
    guard.unref();
    return port;
  }
  throw new Error(`other processes have all ports from ${FIRST_PORT} to ${FIRST_PORT + BLOCKS * BLOCK_SIZE}`);
}

/** Returns true if a server can listen on a port, of the loopback address and of all addresses. */
async function isFree(port: number): Promise<boolean> {
  // macOS lets a program listen on all addresses while another one listens on one of them.
  for (const host of ['127.0.0.1', undefined]) {
    const server = createServer();
    if (!(await canListen(server, port, host))) return false;
    server.close();
    await once(server, 'close');
  }
  return true;
}

/** Makes a server listen. Resolves with false if it cannot. */
async function canListen(server: Server, port: number, host?: string): Promise<boolean> {
  server.listen(port, host);
  return once(server, 'listening').then(
    () => true,
    () => false,
  );
}

/** Returns true if a port of the loopback address accepts connections. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port })
      .once('connect', () => {
        socket.destroy();
        resolve(true);
      })
      .once('error', () => resolve(false));
  });
}
