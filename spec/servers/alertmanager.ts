import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { skipWithout } from './deploy-tools.js';
import { accepts, reservedPort } from './ports.js';
import { endedUnless, endProcess, isOnPath } from './programs.js';

const PROGRAM = 'prometheus-alertmanager';

/** An alert as Alertmanager's API shows it. */
export interface FoundAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL: string;
}

/** Alertmanager (Debian package `prometheus-alertmanager`), in which alerts are lost with the process. */
export interface Alertmanager {
  readonly url: string;
  /** Returns the alerts that fire; undefined if it does not run. */
  alerts(): Promise<readonly FoundAlert[] | undefined>;
  /** Kills it. */
  kill(): Promise<void>;
  /** Starts it again at the same address, without its alerts. */
  start(): Promise<void>;
}

/**
 * Adds hooks to a `describe`: its specs are skipped, visibly, without Alertmanager; with CI=true they fail. Returns the function
 * that starts one. The specs stop what they start.
 */
export function specAlertmanager(): (config?: string) => Promise<Alertmanager> {
  const closing: (() => Promise<unknown>)[] = [];
  before(function () {
    if (!isOnPath(PROGRAM)) skipWithout(this, `no ${PROGRAM}: apt-get install ${PROGRAM}`);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  return async (config = 'route: {receiver: nobody}\nreceivers: [{name: nobody}]\n') => {
    const folder = await mkdtemp(join(tmpdir(), 'alertmanager-'));
    closing.push(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'alertmanager.yml');
    await writeFile(file, config);
    let child: ChildProcess | undefined;
    const kill = async (): Promise<void> => {
      const running = child;
      child = undefined;
      if (running !== undefined) await endProcess(running, 'SIGKILL');
    };
    closing.push(kill);
    const port = await reservedPort();
    const url = `http://127.0.0.1:${port}`;
    const start = async (): Promise<void> => {
      await kill();
      const data = await mkdtemp(join(folder, 'data-'));
      child = await run(file, data, port);
    };
    await start();
    return {
      url,
      kill,
      start,
      async alerts() {
        const answer = await fetch(`${url}/api/v2/alerts`).catch(() => undefined);
        return answer?.ok === true ? ((await answer.json()) as readonly FoundAlert[]) : undefined;
      },
    };
  };
}

/** Starts it, and waits until it is ready. */
async function run(config: string, data: string, port: number): Promise<ChildProcess> {
  const listen = `127.0.0.1:${port}`;
  const args = [`--config.file=${config}`, `--storage.path=${data}`, `--web.listen-address=${listen}`];
  const child = spawn(PROGRAM, [...args, '--cluster.listen-address='], { stdio: 'ignore' });
  const isReady = async (): Promise<true | undefined> => {
    if (child.exitCode !== null) throw new Error(`${PROGRAM} ended`);
    if (!(await accepts(port))) return undefined;
    return (await fetch(`http://${listen}/-/ready`).catch(() => undefined))?.ok || undefined;
  };
  return endedUnless(
    child,
    eventually(isReady, SOON_MS, () => `${PROGRAM} is not ready`),
  );
}
