/**
 * The rules of the house, which no linter knows: how long a file may get, what it may be called, which folder may
 * import which, who may read the environment, and which specs may start a real server. Circles of imports are the linter's (import/no-cycle).
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { tierOf } from './tiers.js';

const longest = 250;
const folders = ['src', 'spec', 'bench', 'scripts'];

/** Folders and files of src, from the top of the house to its foundation. Imports point downwards only. */
const floors = [
  ['main'],
  ['service', 'start-failure', 'verify-command'],
  ['operator'],
  ['policy', 'ledger', 'embedded'],
  ['http'],
  ['delivery'],
  ['actors'],
  ['store', 'identity', 'broker', 'chain', 'wallets'],
  ['config', 'untrusted'],
  ['errors', 'system'],
];
const rankOf = new Map(floors.flatMap((rooms, rank) => rooms.map((room) => [room, rank])));

/** What of spec/servers starts a program that npm does not install: all but these. */
const realServer = /^spec\/servers\/(?!(?:chain|shared-chain|ports|relay)\.ts$)/;

const vagueNames = new Set(['index', 'utils', 'util', 'helpers', 'helper', 'common', 'manager', 'misc']);
const environment =
  /\bprocess\s*(?:\?\.|\.|\[\s*['"])\s*env\b|\benv\b[^;'"]*\bfrom\s*['"](?:node:)?process['"]/;

/**
 * Checks the tree below `root`. Gives how much was looked at, and every fault as one line that names the file and
 * what to do.
 */
export function inspectHouse(root) {
  const files = folders.flatMap((folder) => read(root, folder));
  const faults = files.flatMap((file) => [...shapeFaults(file), ...importFaults(file), ...idiomFaults(file)]);
  faults.push(...tierFaults(files));
  if (files.length === 0) faults.push(`no source file below ${root}: nothing was checked`);
  return {
    files: files.length,
    imports: files.flatMap((file) => file.imports).length,
    longest: Math.max(0, ...files.map((file) => file.lines)),
    faults,
  };
}

/** The source files below a folder, each with its length and its imports inside the repository. */
function read(root, folder) {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return read(root, name);
    if (!/\.[cm]?[jt]sx?$/.test(name)) return [];
    const text = readFileSync(path.join(root, name), 'utf8');
    const code = blank(text);
    return [
      { name, code, lines: text.replace(/\n$/, '').split('\n').length, imports: importsOf(root, name, code) },
    ];
  });
}

/** The text without comments and without strings, but for those that name a module or a member: they may stay. */
function blank(text) {
  return text.replace(
    /(?<quoted>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|`(?:\\[\s\S]|[^`\\])*`/g,
    (match, quoted, offset) => {
      const before = text.slice(Math.max(0, offset - 40), offset);
      return quoted && /(?:\b(?:from|import)\s*\(?|\[)\s*$/.test(before) ? match : "''";
    },
  );
}

const importForms = [
  /^[ \t]*(?:import|export)\b(?<types>[ \t]+type\b)?[^'"`;]*?\bfrom\s*['"](?<target>[^'"\n]+)['"]/gm,
  /^[ \t]*import\s*['"](?<target>[^'"\n]+)['"]/gm,
  /\bimport\s*\(\s*['"](?<target>[^'"\n]+)['"]/g,
];

function importsOf(root, name, code) {
  return importForms
    .flatMap((form) => [...code.matchAll(form)])
    .map((match) => match.groups)
    .filter(({ target }) => target.startsWith('.'))
    .map(({ target, types }) => ({
      to: resolve(root, name, target),
      target,
      typesOnly: types !== undefined,
    }));
}

/** The imported file, relative to the root; undefined when there is none. */
function resolve(root, from, target) {
  const plain = path.posix.join(path.posix.dirname(from), target);
  const sources = [plain.replace(/\.js$/, '.ts'), plain.replace(/\.js$/, '.tsx'), plain];
  return sources.find((source) => existsSync(path.join(root, source)));
}

function shapeFaults({ name, code, lines }) {
  const faults = [];
  const [stem] = path.posix.basename(name).split('.');
  if (lines > longest) faults.push(`${name} has ${lines} lines, ${longest} are allowed: split it`);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem)) faults.push(`${name}: file names are kebab-case`);
  if (vagueNames.has(stem)) faults.push(`${name}: the name "${stem}" does not say what is in it`);
  const room = roomOf(name);
  if (room === undefined) return faults;
  if (!rankOf.has(room))
    faults.push(`${name}: "${room}" has no place in the house yet: add it to scripts/house.js`);
  if (room !== 'config' && environment.test(code)) {
    faults.push(`${name} reads the environment: only config does, everything else is given what it needs`);
  }
  return faults;
}

const fromXState = /^[ \t]*import[ \t]*\{(?<names>[^}]*)\}[ \t]*from[ \t]*['"]xstate['"]/gm;

/** A machine outside the runtime changes its context by decisions alone: the runtime takes these without XState. */
function idiomFaults({ name, code }) {
  const room = roomOf(name);
  if (room === undefined || room === 'actors') return [];
  return [...code.matchAll(fromXState)]
    .flatMap(({ groups }) => groups.names.split(','))
    .map((imported) => imported.trim())
    .filter((imported) => imported !== '' && imported !== 'setup' && !imported.startsWith('type '))
    .map(
      (imported) =>
        `${name} imports ${imported} of xstate: a machine has \`setup\`, and \`decides\` of src/actors`,
    );
}

/** The folder of src, or the file beside them, that a file is in; undefined outside src. */
function roomOf(name) {
  return name.startsWith('src/') ? name.split('/')[1].split('.')[0] : undefined;
}

function importFaults({ name, imports }) {
  return imports.flatMap((entry) => {
    const why =
      entry.to === undefined ? 'there is no such file' : (forbidden(name, entry) ?? edgeFault(name, entry));
    return why === undefined ? [] : [`${name} imports ${entry.target}: ${why}`];
  });
}

/** The rooms whose rules know nothing of HTTP: only their routes use the edge. */
const roomsWithRoutes = new Set(['policy', 'ledger', 'embedded']);
const routesFile = /(?:\/http\/[^/]+|[/-]routes)\.ts$/;

function edgeFault(name, { to }) {
  if (roomOf(to) !== 'http' || !roomsWithRoutes.has(roomOf(name)) || routesFile.test(name)) return undefined;
  return 'only routes (routes.ts, *-routes.ts, a folder http) may use the edge';
}

function forbidden(name, { to, typesOnly }) {
  const [from, into] = [roomOf(name), roomOf(to)];
  if (from === undefined || from === into) return undefined;
  if (into === undefined) return 'what is in src imports only from src';
  const [rank, target] = [rankOf.get(from), rankOf.get(into)];
  if (rank === undefined || target === undefined || rank < target) return undefined;
  if (rank > target) return `upwards, "${into}" is above "${from}"`;
  if (typesOnly && path.posix.basename(to) === 'port.ts') return undefined;
  return `"${from}" and "${into}" are neighbours: only types of a port.ts may pass between them`;
}

/** The specs of `npm test` that start, by whatever way, a server that npm does not install. */
function tierFaults(files) {
  const importsBy = new Map(files.map(({ name, imports }) => [name, imports]));
  const serverBelow = (name, seen = new Set()) => {
    if (realServer.test(name)) return name;
    seen.add(name);
    const next = (importsBy.get(name) ?? []).filter(({ to, typesOnly }) => !typesOnly && !seen.has(to));
    return next.map(({ to }) => serverBelow(to, seen)).find(Boolean);
  };
  return files
    .filter(({ name }) => name.endsWith('.spec.ts') && tierOf(name) === 'embedded')
    .flatMap(({ name }) => {
      const server = serverBelow(name);
      return server ? [`${name} uses ${server}: call it ${name.replace('.spec.ts', '.real.spec.ts')}`] : [];
    });
}
