import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { skipWithout } from './deploy-tools.js';
import { accepts, reservedPort } from './ports.js';

const PAGE = fileURLToPath(new URL('../../../docs/scaling.md', import.meta.url));
/** Folders that nginx makes at its start. */
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
/** NGINX names another binary. */
const BINARY = process.env['NGINX'] ?? 'nginx';

/** nginx with the configuration that docs/scaling.md shows. */
export interface Nginx {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Adds a hook to a `describe`: its specs are skipped, visibly, without nginx; with CI=true they fail. Returns the function that
 * starts it in front of nodes (`host:port`).
 */
export function specNginx(): (nodes: readonly string[]) => Promise<Nginx> {
  before(function () {
    if (spawnSync(BINARY, ['-v']).status !== 0)
      skipWithout(this, `no ${BINARY}: apt-get install nginx-light`);
  });
  return start;
}

async function start(nodes: readonly string[]): Promise<Nginx> {
  const port = await reservedPort();
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration(nodes, port, folder));
  const child = spawn(BINARY, ['-c', file, '-p', folder, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`nginx ended: ${output}`);
        if (!(await accepts(port))) return undefined;
        return fetch(url).catch(() => undefined);
      },
      SOON_MS,
      () => `nginx does not answer: ${output}`,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

/** Returns what the page shows, with the addresses of this run, and the folders of a user without rights. */
function configuration(nodes: readonly string[], port: number, folder: string): string {
  const shown = /```nginx\n(.*?)```/s.exec(readFileSync(PAGE, 'utf8'))?.[1];
  if (shown === undefined) throw new Error(`${PAGE} has no block of nginx`);
  const own = shown
    .replace(/(?:^ {2}server \S+;\n)+/m, nodes.map((node) => `  server ${node};\n`).join(''))
    .replace('listen 80;', `listen 127.0.0.1:${port};`);
  const folders = TEMPORARY.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n');
  return `daemon off;\npid ${join(folder, 'pid')};\nevents {}\nhttp {\naccess_log off;\n${folders}\n${own}}\n`;
}
