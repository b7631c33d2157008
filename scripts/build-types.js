/**
 * Makes the declarations of the package in dist/types: those of src/library and of what they refer to, the types of the
 * operations in /openapi.json (`openapi.d.ts`), and the client of these (`client.d.ts`). Needs the compiled service.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const target = path.join(root, 'dist', 'types');

/** The default of WINDOW_MAX, which descriptions name. */
const LARGEST_WINDOW = 100;

const CLIENT = `import type { Client } from 'openapi-fetch';
import type { MirzamClientOptions } from './library/client.js';
import type { paths } from './openapi.js';

export type { MirzamClientOptions };
export type { components, operations, paths } from './openapi.js';

/**
 * Makes a client of the operations in /openapi.json, by openapi-fetch: \`client.GET('/v1.0/{tenantId}', {…})\` resolves with
 * \`data\` or \`error\`, and \`response\`.
 */
export declare function mirzamClient(options: MirzamClientOptions): Client<paths>;
`;

/** Writes the declarations of src/library, and of every file that they import. */
function declare() {
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.types.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Returns the types of all operations, whatever the settings of a service leave out. */
async function operationTypes() {
  // The generator writes through the compiler's JavaScript API, which TypeScript 7 does not have.
  const loader =
    "export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context)";
  register(`data:text/javascript,${encodeURIComponent(loader)}`);
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const compiled = (file) => import(path.join(root, 'dist', 'src', 'openapi', file));
  const [{ openApiDocument }, { apiParts }] = await Promise.all([
    compiled('document.js'),
    compiled('parts.js'),
  ]);
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return astToString(await openapiTS(openApiDocument(apiParts(LARGEST_WINDOW), version, () => true)));
}

/** Removes the declarations that the entries do not refer to, directly or not. */
function prune(entries) {
  const used = new Set();
  const visit = (file) => {
    if (used.has(file)) return;
    used.add(file);
    const text = readFileSync(path.join(target, file), 'utf8');
    for (const [, name] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g))
      visit(path.posix.join(path.posix.dirname(file), `${name}.d.ts`));
  };
  for (const entry of entries) visit(entry);
  for (const name of readdirSync(target, { recursive: true })) {
    if (name.endsWith('.d.ts') && !used.has(name)) rmSync(path.join(target, name));
  }
}

rmSync(target, { recursive: true, force: true });
declare();
writeFileSync(path.join(target, 'openapi.d.ts'), await operationTypes());
writeFileSync(path.join(target, 'client.d.ts'), CLIENT);
prune(['client.d.ts', 'library/proof.d.ts', 'library/rules.d.ts']);
