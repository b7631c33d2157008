import { spawn, spawnSync } from 'node:child_process';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { accepts, reservedPort } from './ports.js';
import { endedUnless, endProcess, isOnPath } from './programs.js';

/** The programs of Prometheus (Debian package `prometheus`). */
export interface PrometheusTools {
  /** Runs promtool; returns its exit code and its output. */
  promtool(args: readonly string[]): { readonly status: number | null; readonly output: string };
  /** Starts a Prometheus with a configuration and an empty data folder. */
  start(config: string, data: string): Promise<Prometheus>;
}

/** A running Prometheus. */
export interface Prometheus {
  readonly url: string;
  /** Returns `data` of an answer of its API. */
  ask(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** Longest output of promtool, bytes. */
const LONGEST_OUTPUT = 64 * 1024 ** 2;

/**
 * Finds the programs. Returns undefined, after a line on the console, if they are not installed; with CI=true throws an
 * `Error` instead.
 */
function prometheusTools(): PrometheusTools | undefined {
  if (isOnPath('promtool') && isOnPath('prometheus')) return { promtool, start };
  const missing = 'no promtool and prometheus: apt-get install prometheus';
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.log(`Skipping specs: ${missing}`);
  return undefined;
}

/** Adds a hook to a `describe`: its specs are skipped without the programs. Returns a function that returns them. */
export function specPrometheus(): () => PrometheusTools {
  let tools: PrometheusTools | undefined;
  before(function () {
    tools = prometheusTools();
    if (tools === undefined) this.skip();
  });
  return () => tools!;
}

function promtool(args: readonly string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, {
    encoding: 'utf8',
    maxBuffer: LONGEST_OUTPUT,
  });
  return { status, output: stdout + stderr };
}

async function start(config: string, data: string): Promise<Prometheus> {
  const port = await reservedPort();
  const listen = `127.0.0.1:${port}`;
  const args = [`--config.file=${config}`, `--storage.tsdb.path=${data}`, `--web.listen-address=${listen}`];
  const child = spawn('prometheus', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const url = `http://${listen}`;
  const isReady = async (): Promise<true | undefined> => {
    if (child.exitCode !== null) throw new Error(`prometheus ended: ${log}`);
    if (!(await accepts(port))) return undefined;
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
    return answer?.ok === true ? true : undefined;
  };
  await endedUnless(
    child,
    eventually(isReady, SOON_MS, () => `prometheus is not ready: ${log}`),
  );
  return {
    url,
    async ask(path) {
      const answer = await fetch(`${url}/api/v1/${path}`);
      return ((await answer.json()) as { readonly data: unknown }).data;
    },
    stop: () => endProcess(child),
  };
}
