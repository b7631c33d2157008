import { randomUUID } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import type { Server } from 'node:net';
import { join, relative } from 'node:path';
import { StartError } from '../../errors.js';

const LOCK_NAME = /^lock-[0-9a-f]{8}\.sock$/;

/** Longest path of a socket that every system takes, bytes. */
const PATH_LIMIT = 100;

/** How long a process that has the folder open may take to say its id, ms. */
const ANSWER_MS = 1_000;

/**
 * Takes a folder for this process alone, until `release` or until the process is gone: then, and only then, the
 * kernel stops listening on its socket, whatever killed it, and what is left in the folder is known to be stale.
 * Sockets are reached through the file system, hence also from another container. Throws a `StartError` when another
 * process, or another place in this one, has the folder. Each puts up its own socket before it looks for others',
 * so that of two at the same moment never both succeed.
 */
export async function lockFolder(folder: string): Promise<{ release(): Promise<void> }> {
  const own = `lock-${randomUUID().slice(0, 8)}.sock`;
  const server = await listen(socketPath(folder, own));
  try {
    for (const name of await readdir(folder)) {
      if (name !== own && LOCK_NAME.test(name)) await refuseLiving(folder, name);
    }
    // One that looked between our socket's making and its listening took it for stale; others would not see us.
    if (!(await readdir(folder)).includes(own)) throw inUse(folder, 'another process that starts just now');
  } catch (error) {
    await close(server);
    throw error;
  }
  return { release: () => close(server) };
}

async function refuseLiving(folder: string, name: string): Promise<void> {
  const holder = await holderOf(socketPath(folder, name));
  if (holder === undefined) {
    await rm(join(folder, name), { force: true });
    return;
  }
  throw inUse(folder, holder);
}

function inUse(folder: string, holder: string): StartError {
  return new StartError(
    `The data folder ${folder} is in use by ${holder}: stop it, or choose another folder with DATA_DIR`,
  );
}

/** The process that listens on a socket, in words; undefined when nobody does. */
function holderOf(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = createConnection(path)
      .setEncoding('utf8')
      .setTimeout(ANSWER_MS, () => {
        resolve('a process that does not answer');
        socket.destroy();
      })
      .on('data', (text: string) => {
        answer += text;
      })
      .on('end', () => resolve(`process ${answer}`))
      .on('error', (error: NodeJS.ErrnoException) => {
        const gone = error.code === 'ECONNREFUSED' || error.code === 'ENOENT';
        resolve(gone ? undefined : `another process (${error.code ?? error.message})`);
      });
  });
}

function listen(path: string): Promise<Server> {
  const server = createServer((socket) =>
    socket.on('error', () => undefined).end(String(process.pid)),
  ).unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(path, () => {
      // Nobody else can reach it in the folder; whoever looks at its mode sees that.
      chmodSync(path, 0o600);
      resolve(server);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

/** Sockets take short paths only: seen from here, a folder's is mostly shorter than from the root. */
function socketPath(folder: string, name: string): string {
  const [absolute, fromHere] = [join(folder, name), relative(process.cwd(), join(folder, name))];
  const path = fromHere.length < absolute.length ? fromHere : absolute;
  if (Buffer.byteLength(path) <= PATH_LIMIT) return path;
  throw new StartError(
    `The path of the data folder ${folder} (DATA_DIR) is too long: ${PATH_LIMIT - name.length - 1} bytes are allowed`,
  );
}
