/**
 * Builds the console's page into dist/console: `index.html`, and in `assets` its scripts, stylesheet and icon with the hash
 * of their content in their names, so that browsers may keep them for ever.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const target = path.join(root, 'dist', 'console');
const ASSETS = '/console/assets';

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'console/src/main.tsx',
    'early-theme': 'console/src/early-theme.ts',
    icon: 'console/icon.svg',
  },
  bundle: true,
  minify: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.svg': 'copy' },
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

const source = readFileSync(path.join(root, 'console', 'index.html'), 'utf8');
mkdirSync(target, { recursive: true });
rmSync(path.join(target, 'assets'), { recursive: true, force: true });
renameSync(path.join(target, 'assets.new'), path.join(target, 'assets'));
writeFileSync(
  path.join(target, 'index.html'),
  withBuiltNames(source.replace('  </head>', `${preloads()}  </head>`)),
);
