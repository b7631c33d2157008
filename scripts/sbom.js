/**
 * Prints the bill of materials of the package: the packages of package-lock.json that the service runs with, each with its version,
 * licence and hash. `node scripts/sbom.js spdx` prints it as SPDX, otherwise it is CycloneDX. Installs them in a folder
 * of its own: `npm sbom --omit=dev` in this one leaves out a package that packages of development need too.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const format = process.argv[2] === 'spdx' ? 'spdx' : 'cyclonedx';
const folder = mkdtempSync(path.join(tmpdir(), 'mirzam-sbom-'));

/** Runs npm in the folder. Throws if it fails. */
function npm(stdout, ...args) {
  const { status, error } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', stdout, 'inherit'] });
  if (status !== 0) throw error ?? new Error(`npm ${args.join(' ')} failed`);
}

try {
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(path.join(root, name), path.join(folder, name));
  npm(
    'ignore',
    'ci',
    '--omit=dev',
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--silent',
  );
  npm('ignore', 'pkg', 'delete', 'devDependencies');
  npm('inherit', 'sbom', `--sbom-format=${format}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
