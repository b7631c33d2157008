import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/system/free-port.js';
import { eventually } from '../faults/stage/eventually.js';
import { skipWithout } from './deploy-tools.js';
import { endProcess, isOnPath } from './programs.js';

const PROGRAM = 'prometheus-alertmanager';
const START_MS = 20_000;

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
    const listen = `127.0.0.1:${await freePort()}`;
    const url = `http://${listen}`;
    let stop: (() => Promise<void>) | undefined;
    const kill = async (): Promise<void> => {
      const running = stop;
      stop = undefined;
      await running?.();
    };
    const start = async (): Promise<void> => {
      const data = await mkdtemp(join(folder, 'data-'));
      stop = await run([
        `--config.file=${file}`,
        `--storage.path=${data}`,
        `--web.listen-address=${listen}`,
        '--cluster.listen-address=',
      ]);
      await eventually(
        async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok || undefined,
        START_MS,
        () => `${PROGRAM} is not ready`,
      );
    };
    closing.push(kill);
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

async function run(args: readonly string[]): Promise<() => Promise<void>> {
  const child = spawn(PROGRAM, args, { stdio: 'ignore' });
  await once(child, 'spawn');
  return () => endProcess(child, 'SIGKILL');
}
