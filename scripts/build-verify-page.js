/**
 * Builds the page /verify into deploy/verify.html: one file with its script, style and icon, which loads nothing. Its policy
 * allows these alone, by their hashes.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { licensesOf } from './licenses.js';

const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Builds the page. `root`: the root of the repository. */
export async function buildVerifyPage(root) {
  const read = (file) => readFileSync(path.join(root, file), 'utf8');
  const built = async (options) => {
    const { outputFiles, metafile } = await build({
      absWorkingDir: root,
      bundle: true,
      minify: true,
      target: 'es2022',
      write: false,
      metafile: true,
      logLevel: 'warning',
      ...options,
    });
    return { text: outputFiles[0].text.trim(), inputs: Object.keys(metafile.inputs) };
  };
  const script = await built({ entryPoints: ['web/src/verify/page.ts'], format: 'iife' });
  const contents = ['tokens', '../verify/verify'].map((name) => `@import './${name}.css';`).join('\n');
  const style = await built({
    stdin: { contents, loader: 'css', resolveDir: path.join(root, 'web/src/styles') },
  });
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script.text)}`,
    `style-src ${hashOf(style.text)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  const parts = {
    'content="POLICY"': `content="${policy}"`,
    'href="ICON"': `href="data:image/svg+xml,${encodeURIComponent(read('web/icon.svg'))}"`,
    '<style></style>': `<style>${style.text}</style>`,
    '<script></script>': `<script>${script.text}</script>`,
    // Two hyphens could end the comment.
    LICENSES: licensesOf(root, script.inputs).replaceAll(/-(?=-)/g, '- '),
  };
  const page = Object.entries(parts).reduce(
    (text, [place, part]) => text.replace(place, () => part),
    read('web/verify.html'),
  );
  writeFileSync(path.join(root, 'deploy', 'verify.html'), page);
}
