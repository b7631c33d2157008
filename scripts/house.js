/**
 * Rules of the repository that no linter knows: length and name of a file, number of files in a folder, allowed imports
 * between folders and into the console's page, circles of folders and of files, access to the environment, imports of
 * XState, and specs that start a real server.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { tierOf } from './tiers.js';

const longest = 400;
/** Maximum number of files directly in a folder. */
const maxFiles = 30;
const folders = ['src', 'web', 'spec', 'bench', 'scripts'];

/** Folders and files of src, in layers from the top. Imports point downwards only. */
const floors = [
  ['main'],
  ['command'],
  ['library'],
  ['service'],
  ['openapi'],
  ['console'],
  ['operator'],
  ['policy', 'ledger', 'embedded'],
  ['http'],
  ['delivery'],
  ['audit'],
  ['actors'],
  ['store', 'identity', 'broker', 'mqtt', 'chain', 'wallets'],
  ['config', 'untrusted'],
  ['errors', 'system', 'tracing'],
];
const rankOf = new Map(floors.flatMap((rooms, rank) => rooms.map((room) => [room, rank])));

/** Files of spec/servers that start a program which npm does not install: all but these. */
const realServer = /^spec\/servers\/(?!(?:chain|shared-chain|ports(?:\.spec)?|relay)\.ts$)/;

const vagueNames = new Set(['index', 'utils', 'util', 'helpers', 'helper', 'common', 'manager', 'misc']);
const environment =
  /\bprocess\s*(?:\?\.|\.|\[\s*['"])\s*env\b|\benv\b[^;'"]*\bfrom\s*['"](?:node:)?process['"]/;

/** Checks the tree below `root`. Returns the number of files and imports, and each fault as a line with file and remedy. */
export function inspectHouse(root) {
  const files = folders.flatMap((folder) => read(root, folder));
  const faults = files.flatMap((file) => [...shapeFaults(file), ...importFaults(file), ...idiomFaults(file)]);
  faults.push(...folderFaults(files), ...circleFaults(files), ...tierFaults(files));
  if (files.length === 0) faults.push(`no source file below ${root}: nothing was checked`);
  return {
    files: files.length,
    folders: new Set(files.map(({ name }) => path.posix.dirname(name))).size,
    imports: files.flatMap((file) => file.imports).length,
    longest: Math.max(0, ...files.map((file) => file.lines)),
    faults,
  };
}

/** Returns the source files below a folder, each with its length and its imports inside the repository. */
function read(root, folder) {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return read(root, name);
    if (!/\.(?:[cm]?[jt]sx?|css)$/.test(name)) return [];
    const text = readFileSync(path.join(root, name), 'utf8');
    const code = blank(text);
    return [
      { name, code, lines: text.replace(/\n$/, '').split('\n').length, imports: importsOf(root, name, code) },
    ];
  });
}

/** Removes comments, and strings that do not name a module or a member. */
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

/** Returns the imported file, relative to the root. undefined if it does not exist. */
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

/** A machine outside the runtime changes its context by decisions only: the runtime evaluates these without XState. */
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

/** Returns the folder of src, or the file directly in src, of a file. undefined outside src. */
function roomOf(name) {
  return name.startsWith('src/') ? name.split('/')[1].split('.')[0] : undefined;
}

function importFaults({ name, imports }) {
  return imports.flatMap((entry) => {
    const why =
      entry.to === undefined
        ? 'there is no such file'
        : (forbidden(name, entry) ?? edgeFault(name, entry) ?? pageFault(name, entry));
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

/** Files with the types of answers. The console's page is built with them, so they depend on nothing. */
const shapesFile = /\/shapes\.ts$/;

/** Files of src that run in the console's page too. They import only one another. */
const pageFiles =
  /^src\/(?:errors|ledger\/content\/(?:faults|i-json)|ledger\/proof-file\/[^/]+|policy\/backtest\/csv-facts|policy\/quiet\/patterns|policy\/rules\/(?:condition|metrics)|system\/iso|untrusted\/(?:iso-time|json|json-fault|json-source|text))\.ts$/;

function pageFault(name, { to, typesOnly }) {
  if (typesOnly && shapesFile.test(to)) return undefined;
  if (shapesFile.test(name)) return 'a shapes.ts may import only types of other shapes.ts';
  if (pageFiles.test(name) || (name.startsWith('web/') && !/^(?:web\/|docs\/receivers\.md$)/.test(to))) {
    return pageFiles.test(to)
      ? undefined
      : 'the page may import only types of a shapes.ts, and the pageFiles of scripts/house.js';
  }
  const room = roomOf(name) ?? 'service';
  if (roomOf(to) !== 'console' || room === 'console' || room === 'service') return undefined;
  return 'only service may import the console, others types of its shapes.ts';
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

function folderFaults(files) {
  const counts = new Map();
  for (const { name } of files) {
    const folder = path.posix.dirname(name);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > maxFiles)
    .map(
      ([folder, count]) => `${folder} has ${count} files, ${maxFiles} are allowed: divide it into folders`,
    );
}

/** Returns the imports, of types too, that close a circle of files of src, or of folders inside one folder of src. */
function circleFaults(files) {
  const fileLinks = files.flatMap(({ name, imports }) =>
    name.startsWith('src/') ? imports.map(({ to = '' }) => ({ by: name, from: name, to })) : [],
  );
  const folderLinks = files.flatMap(({ name, imports }) => imports.flatMap((entry) => linkOf(name, entry)));
  return [
    ...closing(fileLinks).map(({ by, to }) => `${by} closes a circle of files: ${to} depends on it`),
    ...closing(folderLinks).map(
      ({ by, from, to }) => `${by} closes a circle of folders: ${to} depends on ${from}`,
    ),
  ];
}

/** Returns the links that close a circle. */
function closing(links) {
  const next = new Map();
  for (const { from, to } of links) next.set(from, (next.get(from) ?? new Set()).add(to));
  const reaches = (from, to, seen = new Set()) =>
    [...(next.get(from) ?? [])].some((one) => {
      if (one === to) return true;
      if (seen.has(one)) return false;
      seen.add(one);
      return reaches(one, to, seen);
    });
  return links.filter(({ from, to }) => reaches(to, from));
}

function linkOf(name, { to: target = '' }) {
  const [from, to] = [subfolderOf(name), subfolderOf(target)];
  if (from === undefined || to === undefined || from === to) return [];
  const folder = path.posix.dirname(from);
  if (folder !== path.posix.dirname(to)) return [];
  return [{ from, to, by: name }];
}

/** Returns the folder of a file below a folder of src; undefined if it is in none. */
function subfolderOf(name) {
  return /^src\/[^/]+\/[^/]+(?=\/)/.exec(name)?.[0];
}

/** Returns the faults of specs of `npm test` that start, directly or not, a server that npm does not install. */
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
