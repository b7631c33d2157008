import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Time limit of the kill, ms, and the interval between two checks. */
const KILL_MS = 1_000;
const CHECK_MS = 10;

/** Records the process id of the folder's node. */
export function recordChainProcess(folder: string, pid: number): void {
  writeFileSync(pidFile(folder), String(pid), { mode: 0o600 });
}

/** Kills the recorded node of a folder if it still runs. It outlives its keeper if keeper and service are killed together. */
export async function killStaleChainProcess(folder: string): Promise<void> {
  const file = pidFile(folder);
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (!Number.isInteger(pid) || pid <= 1 || !commandOf(pid).includes(folder)) return;
  const deadline = performance.now() + KILL_MS;
  while (send(pid, 'SIGKILL') && performance.now() < deadline) await pause(CHECK_MS);
}

/** Returns false if the process does not exist. */
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

/** Returns the command line of a process. Empty if the process does not exist or belongs to another user. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
}
