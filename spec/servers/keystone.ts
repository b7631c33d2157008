import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { accepts, reservedPort } from './ports.js';
import { isOnPath } from './programs.js';
import { SOON_MS } from '../faults/stage/eventually.js';

/** A real OpenStack Keystone with the Identity API v3, and its first user. */
export interface Keystone {
  /** Address of the API, including `/v3`. */
  readonly url: string;
  readonly admin: { readonly tenant: string; readonly user: string; readonly password: string };
  stop(): Promise<void>;
}

const START_SCRIPT = fileURLToPath(new URL('../../../../shared/tools/keystone/start', import.meta.url));

/**
 * Starts Keystone on a free port, which takes about ten seconds. Returns undefined, after a line on the console, if it is
 * not installed; with CI=true throws an `Error` instead.
 */
export async function startKeystone(): Promise<Keystone | undefined> {
  const missing = missingPart();
  if (missing !== undefined) {
    if (process.env['CI'] === 'true') throw new Error(missing);
    console.log(`Skipping the specs on a real Keystone: ${missing}`);
    return undefined;
  }
  return startAt(await reservedPort());
}

async function startAt(port: number): Promise<Keystone> {
  const run = await mkdtemp(join(tmpdir(), 'keystone-'));
  const { stdout } = await promisify(execFile)(START_SCRIPT, [String(port)], {
    env: { ...process.env, KEYSTONE_RUN: run },
  });
  const pid = Number(/^KEYSTONE_PID=(\d+)$/m.exec(stdout)?.[1]);
  if (!Number.isInteger(pid)) throw new Error(`${START_SCRIPT} printed no KEYSTONE_PID`);
  if (!(await accepts(port))) throw new Error(`Keystone does not listen on port ${port}`);
  const url = `http://127.0.0.1:${port}/v3`;
  return {
    url,
    admin: { tenant: 'admin', user: 'admin', password: 'secret' },
    async stop() {
      process.kill(pid, 'SIGTERM');
      await untilGone(url);
      await rm(run, { recursive: true });
    },
  };
}

function missingPart(): string | undefined {
  if (!existsSync(START_SCRIPT)) return `${START_SCRIPT} is not there.`;
  if (isOnPath('keystone-manage')) return undefined;
  return 'keystone-manage is not on the PATH; apt-get install --no-install-recommends keystone';
}

/** Waits for the port to close: the process is not a child of this one. */
async function untilGone(url: string): Promise<void> {
  const deadline = Date.now() + SOON_MS;
  while (Date.now() < deadline) {
    try {
      await fetch(url, { signal: AbortSignal.timeout(1_000) });
    } catch {
      return;
    }
  }
  throw new Error(`Keystone still answers at ${url}`);
}
