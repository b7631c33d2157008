import { expect } from 'chai';
import path from 'node:path';
import { type Fixture, makeFixture, repository } from './fixture.js';

const script = path.join(repository, 'scripts', 'check.js');

describe('scripts/check.js', () => {
  let fixture: Fixture;
  const check = (...names: string[]) => fixture.node(script, ...names);

  beforeEach(() => {
    fixture = makeFixture();
  });

  afterEach(() => fixture.remove());

  it('reports type errors', async () => {
    fixture.write({
      'tsconfig.json': '{"include":["src"]}',
      'src/a.ts': 'export const a: number = "text";\n',
    });
    const { status, stdout } = await check('types');
    expect(stdout).to.match(/^types: FAULTS.*\nsrc\/a\.ts\(1,14\): error TS2322/);
    expect(stdout).not.to.contain(fixture.folder);
    expect(status).to.equal(1);
  });

  it('reports the linter’s faults, including circles of imports', async () => {
    fixture.copy('.oxlintrc.json');
    fixture.write({
      'src/a.ts': "import { b } from './b.js';\nexport const a = (): number => b();\n",
      'src/b.ts': "import { a } from './a.js';\nexport const b = (): number => a();\n",
    });
    const { status, stdout } = await check('lint');
    expect(stdout)
      .to.match(/^lint: FAULTS/)
      .and.to.match(/no-cycle/);
    expect(status).to.equal(1);
  });

  it('reports unformatted files', async () => {
    fixture.copy('.oxfmtrc.json');
    fixture.write({ 'src/a.ts': 'export const a="1"' });
    const { status, stdout } = await check('format');
    expect(stdout).to.match(/^format: FAULTS[\s\S]*src\/a\.ts/);
    expect(status).to.equal(1);
  });

  it('reports unused code', async () => {
    fixture.copy('knip.json');
    fixture.write({ 'package.json': '{"name":"fixture","type":"module"}', 'src/lonely.ts': 'export {};\n' });
    const { status, stdout } = await check('unused');
    expect(stdout).to.match(/^unused: FAULTS[\s\S]*src\/lonely\.ts/);
    expect(status).to.equal(1);
  });

  it('runs only the named checks, and fails if one of them fails', async () => {
    fixture.copy('.oxfmtrc.json');
    fixture.write({ 'src/errors.ts': "export const a = '1';\n" });
    const good = await check('house', 'format');
    expect(
      good.stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).to.have.members(['format', 'house']);
    expect(good.status).to.equal(0);
    fixture.write({ 'src/errors.ts': 'export const a="1"' });
    expect((await check('house', 'format')).status).to.equal(1);
  });

  it('lists the checks if an unknown one is named', async () => {
    expect(await check('house', 'spelling')).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: 'there is no check "spelling": types, lint, format, unused, house\n',
    });
  });
});
