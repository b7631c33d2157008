import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** How long its end may take, ms, and how often it is looked for. */
const END_MS = 1_000;
const LOOK_MS = 10;

/** Notes which process is the chain's node of this folder. */
export function noteChainProcess(folder: string, pid: number): void {
  writeFileSync(pidFile(folder), String(pid), { mode: 0o600 });
}

/**
 * Ends the chain's node that was noted in this folder, if it still runs: it can only have outlived its keeper when that
 * was killed together with the service.
 */
export async function endStaleChainProcess(folder: string): Promise<void> {
  const file = pidFile(folder);
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (!Number.isInteger(pid) || pid <= 1 || !commandOf(pid).includes(folder)) return;
  const deadline = performance.now() + END_MS;
  while (send(pid, 'SIGKILL') && performance.now() < deadline) await pause(LOOK_MS);
}

/** Whether there was a process to send it to. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function pidFile(folder: string): string {
  return join(folder, 'node.pid');
}

/** The command line of a process; empty where there is none, or a process of this number is another's. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
}
