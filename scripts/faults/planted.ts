import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A change of one compiled file that takes a promise away. */
interface Change {
  /** Path below `dist/src`. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: RegExp;
  readonly to: string;
}

/** Faults that the program must find. */
export const PLANTED = {
  // A commit does not compare the revision. The start's probe of the database would notice it, so its documents are left out.
  'no-fence': {
    file: 'store/mongo/document.js',
    from: /rev: expected, /,
    to: "...(id.startsWith('probe/') && { rev: expected }), ",
  },
  // An answer does not wait for the commit.
  'early-ack': {
    file: 'actors/committer.js',
    from: /commit: next, settle }/,
    to: "commit: next, settle: (setImmediate(() => settle('won')), () => undefined) }",
  },
  // Nobody takes over what an ended node left.
  'no-sweep': { file: 'actors/sweep.js', from: /const due = await [^;]+;/, to: 'const due = [];' },
  // An account forgets that it has used every seventh nonce.
  'nonce-twice': {
    file: 'ledger/account/account-machine.js',
    from: /\bnext \+= 1;/,
    to: 'next += nonce % 7 === 6 ? 0 : 1;',
  },
  // A message does not wait for the one before it.
  'no-order': {
    file: 'delivery/order.js',
    from: /const view = actors\.peek\(address\);/,
    to: 'const view = actors.peek(address); return false;',
  },
} as const satisfies Record<string, Change>;
export type Planted = keyof typeof PLANTED;

/**
 * Makes a copy of the compiled service with a fault in it, below `.cache`. Returns the file that starts it, and the folder to
 * remove afterwards. Throws an `Error` if the place of the fault is not found.
 */
export function plant(name: Planted): { readonly main: string; readonly folder: string } {
  const { file, from, to }: Change = PLANTED[name];
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'planted-'));
  cpSync(join(ROOT, 'dist', 'src'), join(folder, 'dist', 'src'), { recursive: true });
  for (const shared of [
    'package.json',
    'node_modules',
    'contracts',
    'docs',
    'examples',
    'dist/web',
    'dist/docs',
  ])
    symlinkSync(join(ROOT, shared), join(folder, shared));
  const path = join(folder, 'dist', 'src', file);
  const text = readFileSync(path, 'utf8');
  const places = text.split(new RegExp(from, 'g')).length - 1;
  if (places !== 1)
    throw new Error(`${name} has ${places} places in dist/src/${file}, not one: adapt planted.ts`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  return { main: join(folder, 'dist', 'src', 'main.js'), folder };
}
