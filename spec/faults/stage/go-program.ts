import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * Compiles a program of Go, a folder of the repository with a `go.mod`. Returns the path of the binary, or undefined if there
 * is no Go. Throws an `Error` with the output of Go if it fails.
 */
export function buildGoProgram(folder: string): string | undefined {
  const binary = join(ROOT, '.cache', basename(folder));
  const { error, status, stderr } = spawnSync('go', ['build', '-buildvcs=false', '-o', binary, '.'], {
    cwd: join(ROOT, folder),
    encoding: 'utf8',
  });
  if (error !== undefined) return undefined;
  if (status !== 0) throw new Error(`go build: ${stderr}`);
  return binary;
}
