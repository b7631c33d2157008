import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** What the next release writes into the added members. */
export const LATER = 'by the next release';

/** A copy of this build, changed as the next release could be. */
export interface NextRelease {
  /** The file of its service. */
  readonly main: string;
  remove(): Promise<void>;
}

/**
 * Copies this build and changes it: the kind of servers has the next version and one more member, the kind of deliveries has the
 * next version, and a tenant has one more member, with the version as it is.
 */
export async function nextRelease(): Promise<NextRelease> {
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-next-'));
  await mkdir(join(folder, 'dist'));
  await linkAll(ROOT, folder, ['dist', '.git', 'spec', 'src']);
  await linkAll(join(ROOT, 'dist'), join(folder, 'dist'), ['src', 'spec']);
  await cp(join(ROOT, 'dist/src'), join(folder, 'dist/src'), { recursive: true });
  const policy = join(folder, 'dist/src/policy');
  await change(join(policy, 'tenant/tenant-machine.js'), [
    ['context: {\n        names: [],', `context: {\n        later: '${LATER}',\n        names: [],`],
  ]);
  await change(join(policy, 'server/server-kind.js'), [
    ['SERVER_VERSION = FORMS_VERSION;', 'SERVER_VERSION = FORMS_VERSION + 1;'],
    [
      'export function serverKind(options) {',
      `export function serverKind(options) {
    const kind = presentKind(options);
    const { machine } = kind;
    const { context } = machine.config;
    const config = { ...machine.config, context: (given) => ({ ...context(given), later: '${LATER}' }) };
    return {
        ...kind,
        copy: (one) => ({ ...kind.copy(one), later: one.later }),
        leastVersion: SERVER_VERSION,
        machine: Object.create(machine, { config: { value: config } }),
        migrate: (old) => ({ state: old.state, context: { ...old.context, later: '${LATER}' } }),
    };
}
function presentKind(options) {`,
    ],
  ]);
  await change(join(folder, 'dist/src/delivery/delivery-kind.js'), [
    [
      'version: FORMS_VERSION,\n        leastVersion: 1,',
      'version: FORMS_VERSION + 1, leastVersion: FORMS_VERSION + 1, migrate: ({ state, context }) => ({ state, context }),',
    ],
  ]);
  return {
    main: join(folder, 'dist/src/main.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function linkAll(from: string, to: string, except: readonly string[]): Promise<void> {
  const names = (await readdir(from)).filter((name) => !except.includes(name));
  await Promise.all(names.map((name) => symlink(join(from, name), join(to, name))));
}

/** Replaces texts of a file, each of which it has once. */
async function change(file: string, texts: readonly (readonly [from: string, to: string])[]): Promise<void> {
  let text = await readFile(file, 'utf8');
  for (const [from, to] of texts) {
    if (text.split(from).length !== 2) throw new Error(`${file} does not have once: ${from}`);
    text = text.replace(from, () => to);
  }
  await writeFile(file, text);
}
