import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** True if a folder of the PATH has the program. */
export function isOnPath(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, program)));
}

/** Returns a process once it is ready. If that fails, the process is ended. */
export async function endedUnless<P extends ChildProcess>(child: P, ready: Promise<unknown>): Promise<P> {
  try {
    await ready;
    return child;
  } catch (error) {
    await endProcess(child, 'SIGKILL');
    throw error;
  }
}

/** Ends a process, and resolves when it has ended. One that has ended already is not an error. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
