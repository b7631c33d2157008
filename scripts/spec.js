/**
 * Compiles what changed and runs the given specs: `npm run spec -- spec/http/router.spec.ts`. Takes source files, folders,
 * and options of mocha such as `--grep`. With `--watch` it does so again after each change. `npm run spec` compiles first
 * (bootstrap.js).
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const buildInfo = path.join('dist', '.tsbuildinfo');

/** Returns the compiled specs of an argument: a source file, a folder of the sources, or an option, which stays. */
function compiled(argument) {
  const source = path.relative(root, path.resolve(argument));
  if (source.endsWith('.ts')) return [path.join('dist', source.replace(/\.ts$/, '.js'))];
  if (!existsSync(path.join(root, source)) || !statSync(path.join(root, source)).isDirectory())
    return [argument];
  return readdirSync(path.join(root, source), { recursive: true })
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => path.join('dist', source, name.replace(/\.ts$/, '.js')))
    .toSorted();
}

/** Starts mocha. Resolves with its exit code. */
function run(args, started = () => {}) {
  const child = spawn(process.execPath, [mocha, ...args], { cwd: root, stdio: 'inherit' });
  started(child);
  return new Promise((resolve) => {
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** Runs the specs after each compilation without errors. A change ends a run that is under way. */
function watch(args) {
  let running;
  const tsc = spawn(
    process.execPath,
    [
      compiler,
      '-p',
      '.',
      '--watch',
      '--preserveWatchOutput',
      '--incremental',
      '--tsBuildInfoFile',
      buildInfo,
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  tsc.stdout.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text);
    if (!text.includes('Found 0 errors')) return;
    running?.kill();
    void run(args, (child) => {
      running = child;
    });
  });
}

const words = process.argv.slice(2);
const args = words.filter((word) => word !== '--watch').flatMap(compiled);
if (!args.some((one) => one.endsWith('.spec.js'))) {
  process.stderr.write('Usage: npm run spec -- [--watch] [options of mocha] FILE.spec.ts|FOLDER…\n');
  process.exitCode = 2;
} else if (words.includes('--watch')) watch(args);
else process.exitCode = await run(args);
