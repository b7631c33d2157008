import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { settings } from '../../src/config/settings.js';
import { SETTINGS_OF_THE_IMAGE } from './settings-of-the-image.js';

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly image: string; readonly environment: Readonly<Record<string, string>> }>
  >;
}

describe('the compose files', () => {
  for (const file of ['compose.yaml', 'deploy/compose.production.yaml']) {
    it(`pass every setting on: ${file}`, () => {
      const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
      const { services } = parse(text, { merge: true }) as Compose;
      const nodes = Object.values(services).filter(({ image }) => image === 'mirzam');
      expect(nodes).to.not.be.empty;
      for (const { environment } of nodes) {
        const passed = Object.keys(settings).filter((name) => !SETTINGS_OF_THE_IMAGE.has(name));
        expect(Object.keys(environment)).to.have.members(passed);
      }
    });
  }
});
