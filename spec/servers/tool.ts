import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../src/system/free-port.js';
import { accepts } from './ports.js';

/** A started program of `shared/tools`, which lies beside the repository on some machines. */
export interface Tool {
  /** Returns a value that the start printed, such as an address. */
  printed(name: string): string;
  /** Stops the processes and removes their folder. */
  stop(): Promise<void>;
}

/** What starts a tool. */
export interface ToolStart {
  /** Folder below `shared/tools`. */
  readonly name: string;
  /** Number of free ports that the start takes as arguments. */
  readonly ports: number;
  /** Setting with the folder of the run. */
  readonly folder: string;
  /** Printed names of processes in the order of their end, each with its signal. */
  readonly processes: Readonly<Record<string, NodeJS.Signals>>;
  /** Files of the machine without which the tool does not start, each with the package that has it. */
  readonly needs?: Readonly<Record<string, string>>;
}

/**
 * Starts a tool on free ports. Returns undefined, after a line on the console, if it or a needed package is not
 * installed; with CI=true throws an `Error` instead.
 */
export async function startTool({
  name,
  ports,
  folder,
  processes,
  needs = {},
}: ToolStart): Promise<Tool | undefined> {
  const script = fileURLToPath(new URL(`../../../../shared/tools/${name}/start`, import.meta.url));
  const lacking = Object.entries(needs).find(([file]) => !existsSync(file));
  const missing = !existsSync(script)
    ? `${script} is not there`
    : lacking && `it needs ${lacking[0]}; apt-get install --no-install-recommends ${lacking[1]}`;
  if (missing !== undefined) {
    if (process.env['CI'] === 'true') throw new Error(`no ${name}: ${missing}`);
    console.log(`Skipping specs: no ${name}: ${missing}`);
    return undefined;
  }
  const run = await mkdtemp(join(tmpdir(), `${name}-`));
  // A start as root runs its database as another user.
  await chmod(run, 0o755);
  const taken = await Promise.all(Array.from({ length: ports }, freePort));
  const env = { ...process.env, [folder]: run };
  // The first start unpacks the program to a folder that all share: two at once would be in each other's way.
  const lock = join(tmpdir(), `mirzam-specs-${name}.lock`);
  const { stdout } = await promisify(execFile)('flock', ['-o', lock, script, ...taken.map(String)], { env });
  const printed = (what: string): string => new RegExp(`^${what}=(.*)$`, 'm').exec(stdout)?.[1] ?? '';
  return {
    printed,
    async stop() {
      for (const [what, signal] of Object.entries(processes)) process.kill(Number(printed(what)), signal);
      for (const port of taken) await untilClosed(port);
      await rm(run, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** Waits for the port to close: the process is not a child of this one. */
async function untilClosed(port: number): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (await accepts(port)) if (Date.now() > deadline) throw new Error(`port ${port} is still open`);
}
