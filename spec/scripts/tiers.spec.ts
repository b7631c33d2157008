import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from './fixture.js';

interface Tiers {
  tierOf(file: string): string;
  runsOf(files: readonly string[], all: boolean): { files: string[]; perCore: number | undefined }[];
}

describe('tiers of the specs', () => {
  let tiers: Tiers;
  before(async () => {
    tiers = (await import(pathToFileURL(path.join(repository, 'scripts', 'tiers.js')).href)) as Tiers;
  });
  const all = readdirSync(path.join(repository, 'spec'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => path.join('spec', name));

  it('follow from the names', () => {
    for (const [file, tier] of [
      ['spec/http/shed.spec.ts', 'embedded'],
      ['dist/spec/http/shed.spec.js', 'embedded'],
      ['spec/main.spec.ts', 'embedded'],
      ['spec/store/mongo/mongo.real.spec.ts', 'real'],
      ['dist/spec/store/mongo/mongo.real.spec.js', 'real'],
      ['spec/console/server.browser.spec.ts', 'browser'],
      ['spec/e2e/ledger/large-batch.load.spec.ts', 'alone'],
      ['spec/faults/two-nodes.spec.ts', 'alone'],
      ['dist/spec/faults/any/thing.real.spec.js', 'alone'],
      ['spec/policy/faults.spec.ts', 'embedded'],
    ] as const) {
      expect(tiers.tierOf(file), file).to.equal(tier);
    }
  });

  it('contain every file: npm run test:all runs each once', () => {
    const run = tiers.runsOf(all, true).flatMap(({ files }) => files);
    expect(run.toSorted()).to.deep.equal(all.toSorted());
  });

  it('npm test runs each file that needs only the repository, once', () => {
    const [run, ...others] = tiers.runsOf(all, false);
    expect(others).to.deep.equal([]);
    const embedded = all.filter((file) => tiers.tierOf(file) === 'embedded');
    expect(run!.files.toSorted()).to.deep.equal(embedded.toSorted());
    expect(embedded.length).to.be.within(1, all.length - 1);
  });

  it('run specs in a browser apart from others, and specs that need the whole machine alone', () => {
    const [together, browsers, alone, ...others] = tiers.runsOf(all, true);
    expect(others).to.deep.equal([]);
    expect(together!.perCore).to.equal(1);
    expect(browsers!.perCore).to.be.below(together!.perCore!);
    expect(browsers!.files.every((file) => tiers.tierOf(file) === 'browser')).to.equal(true);
    expect(browsers!.files).not.to.deep.equal([]);
    expect(alone!.perCore).to.equal(undefined);
    expect(alone!.files.every((file) => tiers.tierOf(file) === 'alone')).to.equal(true);
  });
});
