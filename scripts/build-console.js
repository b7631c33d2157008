/**
 * Builds the console's page into dist/console: `index.html`, and in `assets` its script and stylesheet with the hash of
 * their content in their names, so that browsers may keep them for ever.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const target = path.join(root, 'dist', 'console');

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { main: 'console/src/main.tsx' },
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  splitting: true,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outdir: path.join(target, 'assets.new'),
  write: true,
  metafile: true,
  logLevel: 'warning',
});

const page = Object.keys(metafile.outputs).reduce(
  (html, output) => {
    const [, name, end] = /([^/]+)-[A-Z0-9]+\.(js|css)$/.exec(output);
    return html.replace(`/console/assets/${name}.${end}`, `/console/assets/${path.basename(output)}`);
  },
  readFileSync(path.join(root, 'console', 'index.html'), 'utf8'),
);

mkdirSync(target, { recursive: true });
rmSync(path.join(target, 'assets'), { recursive: true, force: true });
renameSync(path.join(target, 'assets.new'), path.join(target, 'assets'));
writeFileSync(path.join(target, 'index.html'), page);
