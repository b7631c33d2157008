import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { STORE_FORMAT } from '../../src/store/format.js';

const textOf = (file: string): Promise<string> => readFile(file, 'utf8');

describe('version', () => {
  let version: string;
  before(async () => {
    ({ version } = JSON.parse(await textOf('package.json')) as { version: string });
  });

  it('is that of package.json in the lock, the changelog, and the names of the package', async () => {
    const lock = JSON.parse(await textOf('package-lock.json')) as {
      readonly version: string;
      readonly packages: Readonly<Record<string, { readonly version: string }>>;
    };
    expect([lock.version, lock.packages['']!.version]).to.deep.equal([version, version]);
    expect(/^## (\S+?),/m.exec(await textOf('CHANGELOG.md'))?.[1]).to.equal(version);
    for (const file of ['README.md', 'docs/releasing.md']) {
      const named = [...(await textOf(file)).matchAll(/mirzam-(\d[\w.-]*?)\.(?:tgz|cdx)/g)].map(
        ([, it]) => it,
      );
      expect(new Set(named), file).to.deep.equal(new Set([version]));
    }
  });

  it('has notes for operators, and the formats of its stores', async () => {
    const notes = await textOf('docs/upgrading.md');
    expect(notes).to.include(`\n### ${version}\n`);
    expect(notes).to.include(`| ${version} | ${STORE_FORMAT.lmdb} | ${STORE_FORMAT.mongo} |\n`);
  });
});
