import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { accepts, reservedPort } from './ports.js';
import { isOnPath } from './programs.js';
import { SOON_MS } from '../faults/stage/eventually.js';

/** A MongoDB-compatible server for one spec. */
export interface MongoServer {
  /** Connection string of an unused database. */
  database(): string;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
  /** Kills the process. Resolves once it has ended. undefined for a server of MONGODB_TEST_URL. */
  readonly kill: (() => Promise<void>) | undefined;
  /** Starts the server again after `kill`, with the same data and port. */
  readonly restart: (() => Promise<void>) | undefined;
}

const inRepository = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const TOOL = inRepository('../shared/tools/mongodb/start');
const FROM_PYPI = inRepository('.cache/mongodb-venv/bin/secantusd-py');

/** A command that starts a server, with its arguments for a port and a data folder. */
interface Launcher {
  readonly command: string;
  args(port: number, folder: string): readonly string[];
}

/**
 * Starts a MongoDB-compatible server on a free port, or uses that of MONGODB_TEST_URL. With `failPoints` the server
 * supports `configureFailPoint`. Returns undefined, after a line on the console, if there is none; with CI=true throws an
 * `Error` instead.
 */
export async function startMongo(
  wanted: { readonly failPoints?: boolean } = {},
): Promise<MongoServer | undefined> {
  const { failPoints = false } = wanted;
  const given = process.env['MONGODB_TEST_URL'];
  if (given !== undefined && given !== '' && !failPoints) return foreign(given);
  const launcher = failPoints ? fromPypi(['--enable-test-commands']) : (tool() ?? mongod() ?? fromPypi([]));
  if (launcher !== undefined) return start(launcher);
  const missing = `no MongoDB-compatible server${failPoints ? ' with fail points' : ''}: run node scripts/mongodb-for-specs.js`;
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.log(`Skipping specs: ${missing}`);
  return undefined;
}

/**
 * Starts the server of `startMongo` before the specs of a `describe`, and stops it after them. Without a server they are skipped.
 * Returns what they use; called in the body of the `describe`.
 */
export function mongoOfSuite(...wanted: Parameters<typeof startMongo>): Pick<MongoServer, 'database'> {
  let server: MongoServer | undefined;
  before(async function () {
    server = await startMongo(...wanted);
    if (server === undefined) this.skip();
  });
  after(() => server?.stop());
  return { database: () => server!.database() };
}

function tool(): Launcher | undefined {
  return existsSync(TOOL) ? { command: TOOL, args: (port, folder) => [String(port), folder] } : undefined;
}

function mongod(): Launcher | undefined {
  if (!isOnPath('mongod')) return undefined;
  return {
    command: 'mongod',
    args: (port, folder) => ['--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', folder],
  };
}

function fromPypi(more: readonly string[]): Launcher | undefined {
  if (!existsSync(FROM_PYPI)) return undefined;
  return {
    command: FROM_PYPI,
    args: (port, folder) => ['--port', String(port), '--storage-path', folder, '--sync-on-commit', ...more],
  };
}

async function start(launcher: Launcher): Promise<MongoServer> {
  const root = await mkdtemp(join(tmpdir(), 'mongodb-'));
  const port = await reservedPort();
  let pid = await launch(launcher, port, join(root, 'data'));
  const kill = async (): Promise<void> => {
    process.kill(pid, 'SIGKILL');
    await until(async () => !(await accepts(port)), `${launcher.command} still listens after SIGKILL`);
  };
  return {
    database: () => databaseOf(`mongodb://127.0.0.1:${port}/?directConnection=true`),
    kill,
    async restart() {
      pid = await launch(launcher, port, join(root, 'data'));
    },
    async stop() {
      if (await accepts(port)) await kill();
      await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** Starts a server and waits until it listens. Returns its process id, which the tool prints. */
async function launch(launcher: Launcher, port: number, folder: string): Promise<number> {
  const { command } = launcher;
  await mkdir(folder, { recursive: true });
  const child = spawn(command, launcher.args(port, folder), { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const pidOf = (): number | undefined => {
    if (command !== TOOL) return child.pid;
    const printed = /^MONGODB_PID=(\d+)$/m.exec(output)?.[1];
    return printed === undefined ? undefined : Number(printed);
  };
  const ready = async (): Promise<boolean> => {
    const pid = pidOf();
    // The tool ends once the server runs.
    if (child.exitCode !== null && (command !== TOOL || pid === undefined))
      throw new Error(`${command} ended`);
    return pid !== undefined && accepts(port);
  };
  await until(ready, `${command} does not listen on port ${port}`);
  child.stdout.destroy();
  child.unref();
  return pidOf()!;
}

function foreign(url: string): MongoServer {
  return {
    database: () => databaseOf(url),
    kill: undefined,
    restart: undefined,
    stop: async () => undefined,
  };
}

/** Returns the connection string with an unused database. */
function databaseOf(url: string): string {
  const [, hosts, options = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url) ?? [];
  if (hosts === undefined) throw new Error('MONGODB_TEST_URL is no MongoDB connection string');
  return `${hosts}/spec-${randomUUID().slice(0, 8)}${options}`;
}

async function until(holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  const deadline = Date.now() + SOON_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(otherwise);
    await pause(20);
  }
}
