import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { NotAllowed } from '../../src/config/kinds.js';
import { type Setting, settings } from '../../src/config/settings.js';

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

  it('has the default and the allowed values of each as the service does, and says what it does', () => {
    for (const [name, setting] of rows) {
      const [standing = '', about, allowed] = documented().get(name)!;
      if (setting.default === undefined) expect(standing, name).to.not.equal('');
      else expect(standing, name).to.equal(`\`${setting.default}\``);
      expect(about, name).to.not.equal('');
      expect(allowed, name).to.equal(setting.kind.allowed);
    }
  });
});

describe('a setting', () => {
  it('has a default that is allowed, or none', () => {
    for (const [name, setting] of rows) {
      if (setting.default !== undefined) {
        expect(setting.kind.parse(setting.default), name).not.to.be.instanceOf(NotAllowed);
      }
    }
  });
});
