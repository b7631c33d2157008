import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { NotAllowed } from '../../src/config/kinds.js';
import type { Setting } from '../../src/config/setting.js';
import { settings } from '../../src/config/settings.js';

const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
const rows: readonly (readonly [name: string, setting: Setting])[] = Object.entries(settings);

/** Returns the cells of the page's tables by the setting's name. */
function documented(): Map<string, readonly string[]> {
  const cells = page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return new Map(cells.map(([name = '', ...rest]) => [name.replaceAll('`', ''), rest]));
}

describe('docs/settings.md', () => {
  it('has a row for every setting and no other', () => {
    expect([...documented().keys()]).to.have.members(rows.map(([name]) => name));
  });

  it('describes each as the service does', () => {
    for (const [name, setting] of rows) {
      const standing = setting.default === undefined ? setting.unset : `\`${setting.default}\``;
      expect(documented().get(name), name).to.deep.equal([standing, setting.about, setting.kind.allowed]);
    }
  });
});

describe('a setting', () => {
  it('has an allowed default, or a description of its absence', () => {
    for (const [name, setting] of rows) {
      expect((setting.default === undefined) !== (setting.unset === undefined), name).to.equal(true);
      if (setting.default !== undefined) {
        expect(setting.kind.parse(setting.default), name).not.to.be.instanceOf(NotAllowed);
      }
    }
  });
});
