/**
 * Builds the console's page into dist/web: `index.html`, in `assets` its scripts, stylesheet and icon with the hash of
 * their content in their names, so that browsers may keep them for ever, and in `licenses.txt` the licences of the packages
 * that are part of the scripts. Beside each file stand its compressed variants, `.br` and `.gz`, where they are shorter. Also
 * builds the page /verify.
 */
import { readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { buildVerifyPage } from './build-verify-page.js';
import { licensesOf } from './licenses.js';
import { receiverTemplates } from './receiver-templates.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const target = path.join(root, 'dist', 'web');
const ASSETS = '/console/assets';

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'web/src/main.tsx',
    'early-theme': 'web/src/early-theme.ts',
    icon: 'web/icon.svg',
  },
  bundle: true,
  minify: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.svg': 'copy' },
  plugins: [receiverTemplates],
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outdir: path.join(target, 'assets.new'),
  write: true,
  metafile: true,
  logLevel: 'warning',
});

const outputs = Object.entries(metafile.outputs);
const addressOf = (output) => `${ASSETS}/${path.basename(output)}`;

/** Returns the page with the built names of the files that it names. */
function withBuiltNames(html) {
  return outputs.reduce((text, [output]) => {
    const [, name, end] = /([^/]+)-[A-Z0-9]+(\.[a-z]+)$/.exec(output);
    return text.replace(`"${ASSETS}/${name}${end}"`, `"${addressOf(output)}"`);
  }, html);
}

/** Returns links that load, at once, what the first script imports. */
function preloads() {
  const [, main] = outputs.find(([output]) => /\/main-[A-Z0-9]+\.js$/.test(output));
  return main.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path: output }) => `    <link rel="modulepreload" href="${addressOf(output)}" />\n`)
    .join('');
}

const source = readFileSync(path.join(root, 'web', 'index.html'), 'utf8');
// Nothing of an older build stays: a compressed variant of an older page would name files that are gone.
for (const name of readdirSync(target)) {
  if (name !== 'assets.new') rmSync(path.join(target, name), { recursive: true });
}
renameSync(path.join(target, 'assets.new'), path.join(target, 'assets'));
const inputs = outputs.flatMap(([, { inputs: files }]) => Object.keys(files));
writeFileSync(
  path.join(target, 'licenses.txt'),
  `The scripts of the console contain these packages.\n\n${licensesOf(root, inputs)}`,
);
const page = withBuiltNames(source.replace('  </head>', `${preloads()}  </head>`));
writeFileSync(path.join(target, 'index.html'), page);

for (const name of readdirSync(target, { recursive: true })) {
  const file = path.join(target, name);
  if (!statSync(file).isFile()) continue;
  const bytes = readFileSync(file);
  for (const [end, compressed] of [
    ['.br', brotliCompressSync(bytes)],
    ['.gz', gzipSync(bytes)],
  ]) {
    if (compressed.length < bytes.length) writeFileSync(file + end, compressed);
  }
}

await buildVerifyPage(root);
