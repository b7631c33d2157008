import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { settings } from '../../src/config/settings.js';

/** Settings that the image has, and the volume. */
const OF_THE_IMAGE = new Set(['HOST', 'PORT', 'DATA_DIR']);
const FILES = ['compose.yaml', 'deploy/compose.production.yaml'];

/** Returns the names of the variables in the first `environment` of a file. */
function environmentOf(file: string): readonly string[] {
  const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const [, indent = '', block = ''] = /\n( +)environment:\n((?:\1 {2}.*\n)+)/.exec(text) ?? [];
  expect(indent, file).not.to.equal('');
  return [...block.matchAll(/^ +([A-Z_\d]+):/gm)].map(([, name]) => name!);
}

describe('the compose files', () => {
  for (const file of FILES) {
    it(`pass every setting on: ${file}`, () => {
      const passed = environmentOf(file);
      expect(passed).to.have.members(Object.keys(settings).filter((name) => !OF_THE_IMAGE.has(name)));
    });
  }
});
