import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { skipWithout } from './deploy-tools.js';
import { reservedPort } from './ports.js';
import { isOnPath } from './programs.js';

const FILE = fileURLToPath(new URL('../../../deploy/haproxy/haproxy.cfg', import.meta.url));
/** In a line of the log: `… 1/1/0/0/+1 0/0 "GET …`. */
const RETRIED = / \d+\/\d+\/\d+\/\d+\/(\+\d+|[1-9]\d*) \d+\/\d+ "/g;
/** A line of the log: `… mirzam nodes/mirzam-1 0/0/0/1/1 200 …`. */
const SERVED = / nodes\/(\S+) [-\d+/]+ \d{3} /;

/** HAProxy with the configuration of the repository. */
export interface Haproxy {
  readonly url: string;
  /** Replaces the nodes, as a changed file and a reload of the service do. Resolves once it is done. */
  reload(nodes: Nodes): Promise<void>;
  /** What the health checks have found. A node that was not checked yet counts as up. */
  state(node: string): 'UP' | 'DOWN';
  /** Resolves once the health checks have found that. */
  until(node: string, state: 'UP' | 'DOWN'): Promise<void>;
  /** Names of the nodes in the order of the answers in the log. */
  served(): readonly string[];
  /** Numbers of retries of the requests that were not sent to their first node; `+` if another one got them. */
  retries(): readonly string[];
  stop(): Promise<void>;
}

/** Addresses of nodes (`host:port`) by name, a letter. */
export type Nodes = Readonly<Record<string, string>>;

/**
 * Adds a hook to a `describe`: its specs are skipped, visibly, without HAProxy; with CI=true they fail. Returns the function that
 * starts it with the file of the repository; `changes` replace texts of the file. The specs stop what they start.
 */
export function specHaproxy(): (
  nodes: Nodes,
  changes?: Readonly<Record<string, string>>,
) => Promise<Haproxy> {
  const running: Haproxy[] = [];
  before(function () {
    if (!isOnPath('haproxy')) skipWithout(this, 'no haproxy: apt-get install haproxy');
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
  });
  return async (nodes, changes = {}) => {
    const haproxy = await start(await reservedPort(), nodes, changes);
    running.push(haproxy);
    return haproxy;
  };
}

async function start(
  port: number,
  nodes: Nodes,
  changes: Readonly<Record<string, string>>,
): Promise<Haproxy> {
  const folder = await mkdtemp(join(tmpdir(), 'haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const configure = (some: Nodes): Promise<void> =>
    writeFile(file, configuration(some, { port, folder, changes }));
  await configure(nodes);
  const child = spawn('haproxy', ['-W', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  let log = '';
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const said = (what: string, times: number): Promise<true> =>
    eventually(
      () => {
        if (child.exitCode !== null) throw new Error(`haproxy ended: ${output}${log}`);
        return output.split(what).length > times ? true : undefined;
      },
      SOON_MS,
      () => `haproxy does not say “${what}” ${times} times: ${output}${log}`,
    );
  const state = (node: string): 'UP' | 'DOWN' => {
    const last = (word: string): number => output.lastIndexOf(`Server nodes/${node} is ${word}`);
    return last('DOWN') > last('UP') ? 'DOWN' : 'UP';
  };
  let loads = 1;
  await said('Loading success', loads);
  return {
    url: `http://127.0.0.1:${port}`,
    async reload(some) {
      await configure(some);
      child.kill('SIGUSR2');
      loads += 1;
      await said('Loading success', loads);
    },
    state,
    async until(node, wanted) {
      await eventually(
        () => (state(node) === wanted ? true : undefined),
        SOON_MS,
        () => `${node} is not ${wanted}: ${output}`,
      );
    },
    served: () => log.split('\n').flatMap((line) => SERVED.exec(line)?.[1] ?? []),
    retries: () => [...log.matchAll(RETRIED)].map(([, retries]) => retries!),
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the file of the repository with the addresses of this run, and without what only root may do. */
function configuration(
  nodes: Nodes,
  at: { readonly port: number; readonly folder: string; readonly changes: Readonly<Record<string, string>> },
): string {
  const servers = Object.entries(nodes).map(
    ([name, address]) => `    server ${name} ${address} id ${name.charCodeAt(0)}`,
  );
  const replaced: readonly (readonly [string | RegExp, string])[] = [
    [/^ {4}(?:user|group|chroot) .*\n/gm, ''],
    ['/run/haproxy/admin.sock', join(at.folder, 'admin.sock')],
    ['bind :80', `bind 127.0.0.1:${at.port}`],
    [/(?:^ {4}server .*\n?)+/m, `${servers.join('\n')}\n`],
    ...Object.entries(at.changes),
  ];
  let text = readFileSync(FILE, 'utf8');
  for (const [from, to] of replaced) {
    if (text.search(from) === -1) throw new Error(`${FILE} has no ${String(from)}`);
    text = text.replace(from, to);
  }
  return text;
}
