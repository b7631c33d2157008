import { spawnSync } from 'node:child_process';

/** Room for the data of one process that a spec can end and give. */
export interface SmallDisk {
  /** True if the folder is a disk of its own. */
  readonly isMounted: boolean;
  /** Limits the room: to so many bytes for a file system, or for each file of the process. */
  limit(bytes: number, pid: number): void;
  /** Gives the process room again. */
  grow(pid: number): void;
  close(): void;
}

function succeeds(command: string, ...args: string[]): boolean {
  return spawnSync(command, args).status === 0;
}

/**
 * Makes a folder a disk of its own, in memory, if this user may mount one; without the right, the length of the process's
 * files is limited instead. Returns undefined where neither is possible.
 */
export function smallDisk(folder: string): SmallDisk | undefined {
  const run = (command: string, ...args: string[]): void => {
    const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  };
  if (succeeds('mount', '-t', 'tmpfs', '-o', 'size=256m,mode=0700', 'tmpfs', folder)) {
    const resize = (bytes: number): void => run('mount', '-o', `remount,size=${bytes}`, folder);
    return {
      isMounted: true,
      limit: resize,
      grow: () => resize(256 * 1024 * 1024),
      close: () => run('umount', '-l', folder),
    };
  }
  if (!succeeds('prlimit', '--version')) return undefined;
  return {
    isMounted: false,
    limit: (bytes, pid) => run('prlimit', '--pid', String(pid), `--fsize=${bytes}:`),
    grow: (pid) => run('prlimit', '--pid', String(pid), '--fsize=unlimited:'),
    close: () => undefined,
  };
}
