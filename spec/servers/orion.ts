import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../src/system/free-port.js';

/** A real FIWARE Orion (NGSIv2) for one spec. */
export interface Orion {
  /** Without a trailing slash. */
  readonly url: string;
  /** Sends a request below its address. Returns the status and the parsed body, if any. */
  call(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }>;
  stop(): Promise<void>;
}

const START_SCRIPT = fileURLToPath(new URL('../../../../shared/tools/orion/start', import.meta.url));

/**
 * Starts Orion on a free port, which takes about two seconds. Returns undefined, after a line on the console, if it is not
 * installed; with CI=true throws an `Error` instead.
 */
export async function startOrion(): Promise<Orion | undefined> {
  if (!existsSync(START_SCRIPT)) {
    const missing = `no Orion: ${START_SCRIPT} is not there`;
    if (process.env['CI'] === 'true') throw new Error(missing);
    console.log(`Skipping specs: ${missing}`);
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'orion-'));
  const ports = [await freePort(), await freePort()].map(String);
  const { stdout } = await promisify(execFile)(START_SCRIPT, ports, {
    env: { ...process.env, ORION_RUN: folder },
  });
  const printed = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(stdout)?.[1] ?? '';
  const url = printed('ORION_URL');
  return {
    url,
    async call(method, path, body) {
      const sent = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      const response = await fetch(url + path, { method, ...sent });
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    },
    async stop() {
      for (const name of ['ORION_PID', 'ORION_DB_PID']) process.kill(Number(printed(name)), 'SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}
