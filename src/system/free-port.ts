import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports that a system gives neither to outgoing connections nor to programs that ask for any port: those are from 32,768 on
 * Linux, and from 49,152 on macOS and Windows.
 */
const LOWEST = 28_000;
const HIGHEST = 32_767;

/**
 * Returns a port of the loopback address with no listener. A program that ends can listen there again: no other program gets
 * the port by chance.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
