import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the licences of the packages of built files, each with its copyright notice, which the licences want in every copy.
 * `inputs`: the files, relative to `root`. Throws for a package without the text of its licence.
 */
export function licensesOf(root, inputs) {
  const folders = inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  const texts = [...new Set(folders)]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((folder) => {
      const at = path.join(root, folder);
      const { name, version, license } = JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8'));
      const file = readdirSync(at).find((one) => /^licen[cs]e/i.test(one));
      if (file === undefined) throw new Error(`${name} has no text of its licence (${license})`);
      return `${name} ${version}\n\n${readFileSync(path.join(at, file), 'utf8').trim()}\n`;
    });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
