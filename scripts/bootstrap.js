/**
 * Makes `npm start`, `npm test` and the like work right after `git clone`: checks Node's version, installs what
 * package-lock.json asks for, compiles what has changed. Says one line for each thing it does, nothing when there is
 * nothing to do. Plain JavaScript with built-in modules only, since it runs before anything is there.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => path.join(root, ...parts);
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const say = (line) => process.stdout.write(`mirzam: ${line}\n`);

const sourceFolders = ['src', 'spec', 'bench', 'scripts'];
const stamp = at('dist', '.stamp');
const hiddenLock = at('node_modules', '.package-lock.json');
const compiler = at('node_modules', 'typescript', 'bin', 'tsc');

/** Why this Node cannot run the service, or undefined. */
function nodeFault() {
  const wanted = readJson(at('package.json')).engines.node.replace(/^\D+/, '');
  const numbers = (version) => version.split('.').map(Number);
  const [have, need] = [numbers(process.versions.node), numbers(wanted)];
  const different = need.findIndex((number, index) => number !== have[index]);
  if (different === -1 || have[different] > need[different]) return undefined;
  return `Node ${wanted} or newer is needed, this is ${process.versions.node}: install it from https://nodejs.org`;
}

/** True where somebody installed without the compiler and brought a finished build along, as a container image does. */
function isProductionInstall() {
  return existsSync(hiddenLock) && !existsSync(compiler) && existsSync(at('dist', 'src', 'main.js'));
}

/**
 * Why the dependencies have to be installed, or undefined. Compares what npm noted of its last installation with the
 * lock file, package by package: times of change say nothing after a checkout.
 */
function installReason() {
  if (!existsSync(hiddenLock)) return 'dependencies are missing';
  const [wanted, present] = [readJson(at('package-lock.json')).packages, readJson(hiddenLock).packages];
  const installed = (name) => name.startsWith('node_modules/');
  for (const [name, entry] of Object.entries(wanted).filter(([name]) => installed(name))) {
    const found = present[name];
    // npm leaves out optional packages that are made for other platforms.
    if (found === undefined ? !entry.optional : isOther(found, entry)) return `${name} is not as locked`;
  }
  const surplus = Object.keys(present).find((name) => installed(name) && wanted[name] === undefined);
  return surplus && `${surplus} is not in the lock file`;
}

function isOther(found, entry) {
  return ['version', 'resolved', 'integrity', 'link'].some((field) => found[field] !== entry[field]);
}

/** Files below a folder, as paths relative to the root. */
function filesBelow(folder) {
  if (!existsSync(at(folder))) return [];
  return readdirSync(at(folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(name) : [name];
  });
}

/** One value that changes whenever a source comes, goes or is written, or the compiler is another. */
function fingerprint() {
  const hash = createHash('sha256');
  const sources = sourceFolders.flatMap(filesBelow).filter((name) => /\.(tsx?|json)$/.test(name));
  for (const name of [...sources, 'tsconfig.json', 'node_modules/typescript/package.json']) {
    const { mtimeMs, size } = statSync(at(name));
    hash.update(`${name} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

/** Runs a program with its output shown; ends this process with the program's status when it fails. */
function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (error) say(`${command} could not be started: ${error.message}`);
  if (status !== 0) process.exit(status || 1);
}

function install() {
  const npm = process.env.npm_execpath;
  // The compiler is needed even where NODE_ENV=production would leave it out.
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  // Its summary of packages and funds says nothing to whoever wants to start the service; its errors do.
  const stdio = ['ignore', 'ignore', 'inherit'];
  if (npm && path.basename(npm) === 'npm-cli.js') run(process.execPath, [npm, ...args], { stdio });
  else run('npm', args, { stdio, shell: process.platform === 'win32' });
}

/** Removes what was compiled from sources that are gone, so that no deleted spec still runs. */
function removeOrphans() {
  for (const name of sourceFolders.flatMap((folder) => filesBelow(path.posix.join('dist', folder)))) {
    const source = name.slice('dist/'.length).replace(/\.js(\.map)?$/, '');
    if (
      source.endsWith('.json')
        ? existsSync(at(source))
        : ['.ts', '.tsx'].some((end) => existsSync(at(source + end)))
    )
      continue;
    rmSync(at(name));
    removeEmptyFolders(path.dirname(at(name)));
  }
}

function removeEmptyFolders(folder) {
  if (folder === at('dist') || readdirSync(folder).length > 0) return;
  rmdirSync(folder);
  removeEmptyFolders(path.dirname(folder));
}

function build(now) {
  // A build that fails still writes files; without the stamp nobody takes them for good ones.
  rmSync(stamp, { force: true });
  run(process.execPath, [compiler, '-p', '.']);
  removeOrphans();
  // npx remembers a folder for good, and does so itself the first time only.
  chmodSync(at('dist', 'src', 'main.js'), 0o755);
  writeFileSync(stamp, now);
}

function main() {
  const fault = nodeFault();
  if (fault !== undefined) {
    process.stderr.write(`mirzam: ${fault}\n`);
    process.exit(1);
  }
  if (isProductionInstall()) return;
  const reason = installReason();
  if (reason !== undefined) {
    say(`${reason}: installing (npm ci), this takes a minute`);
    install();
  }
  const now = fingerprint();
  const last = existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
  if (last === now) return;
  say(`${last === undefined ? 'no finished build' : 'sources have changed'}: compiling`);
  build(now);
}

main();
