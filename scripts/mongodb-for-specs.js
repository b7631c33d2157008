/**
 * Installs a MongoDB-compatible server for the specs: the PyPI package secantusdb, in a virtual environment below .cache.
 * Needs Python 3.10 or newer with its venv module, and a PyPI mirror. Does nothing if it is installed. For specs only: it
 * is not part of the product.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const wanted = 'secantusdb==0.7.0b3';
const folder = path.join(
  path.dirname(path.dirname(fileURLToPath(import.meta.url))),
  '.cache',
  'mongodb-venv',
);
const server = path.join(folder, 'bin', 'secantusd-py');

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status === 0) return;
  process.stderr.write(
    `mirzam: ${error?.message ?? `${command} ${args.join(' ')} ended with ${status}`}; the specs on MongoDB also ` +
      'take a server of yours, by its connection string in MONGODB_TEST_URL\n',
  );
  rmSync(folder, { recursive: true, force: true });
  process.exit(1);
}

if (existsSync(server)) {
  process.stdout.write(`mirzam: ${server} is there\n`);
} else {
  run('python3', '-m', 'venv', folder);
  run(path.join(folder, 'bin', 'pip'), 'install', '--quiet', '--disable-pip-version-check', wanted);
  process.stdout.write(`mirzam: ${server} is installed\n`);
}
