import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the clone. */
export const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

/** The package in an otherwise empty folder, as `npm install` of its tarball leaves it. */
export interface InstalledPackage {
  /** The folder in which it was installed. */
  readonly folder: string;
  /** An empty folder, outside of the first. */
  readonly elsewhere: string;
  /** Paths of the files in the tarball. */
  readonly files: readonly string[];
  /** The environment of its processes: PATH and an empty HOME. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts the service by `npx mirzam`. Resolves once it is ready. */
  serve(): Promise<ServingPackage>;
  /** Ends the services and removes the folders. */
  remove(): Promise<void>;
}

/** A service that was started by `npx mirzam`. */
export interface ServingPackage {
  readonly url: string;
  /** Its output so far. */
  output(): string;
}

/**
 * Packs the repository and installs the tarball, from npm's cache where possible. Returns why that is impossible if npm
 * reaches no registry.
 */
export async function installPackage(port: number): Promise<InstalledPackage | string> {
  const root = await mkdtemp(join(tmpdir(), 'mirzam-package-'));
  const [folder, elsewhere, home] = ['app', 'elsewhere', 'home'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  await Promise.all([folder, elsewhere, home].map((path) => mkdir(path)));
  const children: ChildProcess[] = [];
  const remove = async (): Promise<void> => {
    for (const child of children) killGroup(child);
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  };
  const { PATH = '' } = process.env;
  const environment = { PATH, HOME: home };
  try {
    const packed = await npm(['pack', '--json', '--pack-destination', root], REPOSITORY, process.env);
    const [{ filename, files }] = JSON.parse(packed.slice(packed.indexOf('[\n'))) as [
      { filename: string; files: readonly { path: string }[] },
    ];
    const cache = (await npm(['config', 'get', 'cache'], REPOSITORY, process.env)).trim();
    const registry = (await npm(['config', 'get', 'registry'], REPOSITORY, process.env)).trim();
    const settings = { ...environment, npm_config_cache: cache, npm_config_registry: registry };
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock'];
    await npm(['install', ...options, join(root, filename)], folder, settings);
    return {
      folder,
      elsewhere,
      files: files.map(({ path }) => path),
      environment,
      serve: () => serve(folder, { ...environment, PORT: String(port) }, children),
      remove,
    };
  } catch (error) {
    await remove();
    const reason = /\b(?:ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH)\b/.exec(
      String(error),
    );
    if (reason === null) throw error;
    return `npm reaches no registry (${reason[0]})`;
  }
}

/** What a process has left. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a process to its end, with `input` on its standard input. This process goes on meanwhile: its connections would time
 * out.
 */
export async function ended(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  input = '',
): Promise<Ended> {
  const child = spawn(command, args, options);
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: child.exitCode, stdout, stderr };
}

async function npm(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { status, stdout, stderr } = await ended('npm', args, { cwd, env });
  if (status === 0) return stdout;
  throw new Error(`npm ${args.join(' ')} failed: ${stderr}`);
}

function serve(
  cwd: string,
  env: Readonly<Record<string, string>>,
  children: ChildProcess[],
): Promise<ServingPackage> {
  const child = spawn('npx', ['mirzam'], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let output = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const url = /"url":"([^"]+)","msg":"Mirzam \S+ is ready"/.exec(output)?.[1];
        if (url !== undefined) resolve({ url, output: () => output });
      });
    }
    child.once('exit', () => reject(new Error(`the service ended: ${output}`))).once('error', reject);
  });
}

/** Kills a process and those that it has started. */
function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** Returns the names in a folder. */
export const namesIn = (folder: string): Promise<string[]> => readdir(folder);
