import { readdir, readFile, readlink } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { freePort } from '../../src/system/free-port.js';

/** How often another program may take the free port first. */
const PORTS_LOST = 3;

/**
 * Starts a program at a free port, and at another one if that fails: another program may take the port before it listens. `start`
 * rejects if the program does not listen. Resolves with what `start` returns.
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let lost = 0; ; lost += 1) {
    const port = await freePort();
    try {
      return await start(port);
    } catch (error) {
      if (lost === PORTS_LOST) throw error;
    }
  }
}

/**
 * Returns true if a process, or one that it has started, listens on a port: an answer at the port could be that of another
 * program. Where the system does not say which process listens, any listener on the loopback address counts.
 */
export async function listens(pid: number, port: number): Promise<boolean> {
  const sockets = await listenersOn(port);
  if (sockets === undefined) return accepts(port);
  return sockets.size > 0 && holdsOneOf(pid, sockets);
}

/** The files with the sockets of this machine; Linux has them. */
const SOCKETS = ['/proc/net/tcp', '/proc/net/tcp6'];
const LISTEN = '0A';

/** Returns the sockets that listen on a port, as the links in /proc/PID/fd name them; undefined where the system does not say it. */
async function listenersOn(port: number): Promise<ReadonlySet<string> | undefined> {
  const tables = await Promise.all(SOCKETS.map((file) => readFile(file, 'utf8').catch(() => undefined)));
  if (tables[0] === undefined) return undefined;
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = new Set<string>();
  for (const line of tables.join('\n').split('\n')) {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    if (state === LISTEN && local.endsWith(suffix)) sockets.add(`socket:[${inode}]`);
  }
  return sockets;
}

async function holdsOneOf(pid: number, sockets: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}`;
  const files = await readdir(`${folder}/fd`).catch(() => []);
  for (const file of files) {
    const target = await readlink(`${folder}/fd/${file}`).catch(() => '');
    if (sockets.has(target)) return true;
  }
  const children = await readFile(`${folder}/task/${pid}/children`, 'utf8').catch(() => '');
  for (const child of children.split(' ').filter((one) => one !== ''))
    if (await holdsOneOf(Number(child), sockets)) return true;
  return false;
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
