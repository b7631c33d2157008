import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from './fixture.js';

interface Tiers {
  tierOf(file: string): string;
  runsOf(files: readonly string[], all: boolean): { files: string[]; atOnce(cores: number): number }[];
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
      ['spec/openapi/schemathesis.slow.spec.ts', 'slow'],
      ['spec/faults/two-nodes.spec.ts', 'slow'],
      ['dist/spec/faults/any/thing.real.spec.js', 'slow'],
      ['spec/e2e/ledger/large-batch.load.spec.ts', 'load'],
      ['dist/spec/faults/dead-receiver.load.spec.js', 'load'],
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

  it('run specs in a browser and slow ones apart from others, and those that need the whole machine alone', () => {
    const runs = tiers.runsOf(all, true);
    const tiersOf = (files: readonly string[]) => [...new Set(files.map((file) => tiers.tierOf(file)))];
    expect(runs.map(({ files }) => tiersOf(files).toSorted())).to.deep.equal([
      ['embedded'],
      ['real'],
      ['browser'],
      ['slow'],
      ['load'],
    ]);
    const atOnce = (cores: number) => runs.map((run) => run.atOnce(cores));
    expect([2, 8].map(atOnce)).to.deep.equal([
      [8, 2, 2, 2, 1],
      [20, 8, 8, 8, 1],
    ]);
  });
});
