import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { type Setting, settings } from '../../src/config/settings.js';

interface Schema {
  readonly properties: Readonly<
    Record<'settings' | 'secrets', { readonly properties: object; readonly additionalProperties: boolean }>
  >;
}

const CHART = new URL('../../../deploy/helm/mirzam/', import.meta.url);
const rows: readonly (readonly [name: string, setting: Setting])[] = Object.entries(settings);

describe('the values of the Helm chart', () => {
  const { properties } = JSON.parse(readFileSync(new URL('values.schema.json', CHART), 'utf8')) as Schema;

  it('allow every setting and no other, and secret ones in `secrets` alone', () => {
    for (const [part, secret] of [
      ['settings', undefined],
      ['secrets', true],
    ] as const) {
      const names = rows.filter(([, setting]) => setting.secret === secret).map(([name]) => name);
      expect(Object.keys(properties[part].properties), part).to.have.members(names);
      expect(properties[part].additionalProperties).to.equal(false);
    }
  });

  it('have the version of the service', () => {
    const read = (file: URL): string => readFileSync(file, 'utf8');
    const { version } = JSON.parse(read(new URL('../../../package.json', CHART))) as { version: string };
    expect(read(new URL('Chart.yaml', CHART))).to.include(`\nversion: ${version}\nappVersion: ${version}\n`);
  });
});
