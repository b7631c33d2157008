import { randomUUID } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { join, relative } from 'node:path';
import { StartError } from '../../errors.js';

const LOCK_NAME = /^lock-[0-9a-f]{8}\.sock$/;

/** Longest path of a socket that every system takes, bytes. */
const PATH_LIMIT = 100;

/** Maximum time for the process that has the folder open to send its id, ms. */
const ANSWER_MS = 1_000;

/**
 * Locks a folder for this process until `release`, or until the process ends. The lock is a listening socket in the
 * folder: the kernel closes it with the process, whatever ends it, and a socket that does not answer is stale. Processes
 * in other containers see it, too. Rejects with a `StartError` if another process, or another part of this one, has the
 * folder. Each opens its own socket before it searches others: of two at the same moment at most one succeeds.
 */
export async function lockFolder(folder: string): Promise<{ release(): Promise<void> }> {
  const own = `lock-${randomUUID().slice(0, 8)}.sock`;
  const server = await listen(socketPath(folder, own));
  try {
    for (const name of await readdir(folder)) {
      if (name !== own && LOCK_NAME.test(name)) await refuseLiving(folder, name);
    }
    // Another process that searched before our socket listened has taken it for stale and removed it.
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

/** Resolves with the process that listens on a socket, in words; undefined if none does. */
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
      // The folder is private already; the mode says the same to those who list it.
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

/** Returns the shorter of the absolute and the relative path: systems limit the paths of sockets. */
function socketPath(folder: string, name: string): string {
  const [absolute, fromHere] = [join(folder, name), relative(process.cwd(), join(folder, name))];
  const path = fromHere.length < absolute.length ? fromHere : absolute;
  if (Buffer.byteLength(path) <= PATH_LIMIT) return path;
  throw new StartError(
    `The path of the data folder ${folder} (DATA_DIR) is too long: ${PATH_LIMIT - name.length - 1} bytes are allowed`,
  );
}
