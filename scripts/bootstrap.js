/**
 * Prepares `npm start`, `npm test` and the like after `git clone`: checks Node's version, installs the packages of
 * package-lock.json, compiles changed sources. Prints one line for each step it takes. Plain JavaScript with built-in
 * modules only, since it runs before the installation.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => path.join(root, ...parts);
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const say = (line) => process.stdout.write(`mirzam: ${line}\n`);

const sourceFolders = ['src', 'spec', 'bench', 'scripts'];
const pageFolder = 'web';
/** Sources of the pages below /docs, besides those in the folders of sources and of the page. */
const documentFiles = ['README.md', 'CHANGELOG.md', 'scripts/build-docs.js'];
const stamp = at('dist', '.stamp');
/** What the compiler remembers of its last run: it then takes a tenth of the time. */
const buildInfo = path.join('dist', '.tsbuildinfo');
const hiddenLock = at('node_modules', '.package-lock.json');
/** Each checker of the compiler reads the types of the libraries itself: two take a tenth less CPU time than the default, four. */
const CHECKERS = ['--checkers', '2'];
/** The compiler is a Go program. With fewer collections of garbage it takes a quarter less CPU time, in the same memory. */
const GOGC = '400';
const compilerVersion = 'node_modules/typescript/package.json';
const compiler = at('node_modules', 'typescript', 'bin', 'tsc');

/** Returns why this Node cannot run the service, or undefined. */
function nodeFault() {
  const wanted = readJson(at('package.json')).engines.node.replace(/^\D+/, '');
  const numbers = (version) => version.split('.').map(Number);
  const [have, need] = [numbers(process.versions.node), numbers(wanted)];
  const different = need.findIndex((number, index) => number !== have[index]);
  if (different === -1 || have[different] > need[different]) return undefined;
  return `Node ${wanted} or newer is needed, this is ${process.versions.node}: install it from https://nodejs.org`;
}

/** Returns true for an installation without the compiler but with a finished build, such as a container image. */
function isProductionInstall() {
  return existsSync(hiddenLock) && !existsSync(compiler) && existsSync(at('dist', 'src', 'main.js'));
}

/**
 * Returns why the dependencies have to be installed, or undefined. Compares npm's record of its last installation with the
 * lock file, package by package: after a checkout modification times are meaningless.
 */
function installReason() {
  if (!existsSync(hiddenLock)) return 'dependencies are missing';
  const [wanted, present] = [readJson(at('package-lock.json')).packages, readJson(hiddenLock).packages];
  const installed = (name) => name.startsWith('node_modules/');
  for (const [name, entry] of Object.entries(wanted).filter(([name]) => installed(name))) {
    const found = present[name];
    // npm omits optional packages of other platforms.
    if (found === undefined ? !entry.optional : isOther(found, entry)) return `${name} is not as locked`;
  }
  const surplus = Object.keys(present).find((name) => installed(name) && wanted[name] === undefined);
  return surplus && `${surplus} is not in the lock file`;
}

function isOther(found, entry) {
  return ['version', 'resolved', 'integrity', 'link'].some((field) => found[field] !== entry[field]);
}

/** Returns the files below a folder, as paths relative to the root. */
function filesBelow(folder) {
  if (!existsSync(at(folder))) return [];
  return readdirSync(at(folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(name) : [name];
  });
}

/** Returns a value that changes with every change of the sources, the locked packages or the compiler's version. */
function fingerprint() {
  const hash = createHash('sha256');
  const sources = sourceFolders.flatMap(filesBelow).filter((name) => /\.(tsx?|json|css)$/.test(name));
  const page = [
    ...filesBelow(pageFolder),
    ...['build-web', 'build-verify-page', 'licenses', 'receiver-templates'].map(
      (name) => `scripts/${name}.js`,
    ),
  ];
  const documents = [...filesBelow('docs').filter((name) => name.endsWith('.md')), ...documentFiles];
  for (const name of [
    ...sources,
    ...page,
    ...documents,
    'tsconfig.json',
    'package-lock.json',
    compilerVersion,
  ]) {
    const { mtimeMs, size } = statSync(at(name));
    hash.update(`${name} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

/** Runs a program with its output. Exits with the program's status if it fails. */
function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (error) say(`${command} could not be started: ${error.message}`);
  if (status !== 0) process.exit(status || 1);
}

function install() {
  const npm = process.env.npm_execpath;
  // NODE_ENV=production would omit the compiler.
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  // Prints npm's errors only, without its summary of packages and funds.
  const stdio = ['ignore', 'ignore', 'inherit'];
  // `npm pack --dry-run` would make the installation a dry run too.
  const { npm_config_dry_run: _, ...env } = process.env;
  if (npm && path.basename(npm) === 'npm-cli.js') run(process.execPath, [npm, ...args], { stdio, env });
  else run('npm', args, { stdio, env, shell: process.platform === 'win32' });
}

/** Removes the output of deleted sources, so that no deleted spec runs. */
function removeOrphans() {
  for (const name of sourceFolders.flatMap((folder) => filesBelow(path.posix.join('dist', folder)))) {
    const source = name.slice('dist/'.length).replace(/\.(?:d\.ts|js(?:\.map)?)$/, '');
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
  // A failed build also writes files. Without the stamp they do not count as a build.
  rmSync(stamp, { force: true });
  // The compiler writes changed files only, so it must not know of a build that somebody deleted.
  if (!existsSync(at('dist', 'src', 'main.js'))) rmSync(at(buildInfo), { force: true });
  const args = ['-p', '.', '--incremental', '--tsBuildInfoFile', buildInfo, ...CHECKERS];
  run(process.execPath, [compiler, ...args], { env: { GOGC, ...process.env } });
  run(process.execPath, [at('scripts', 'build-web.js')]);
  run(process.execPath, [at('scripts', 'build-docs.js')]);
  removeOrphans();
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
