import { expect } from 'chai';
import { type Fixture, makeFixture } from './fixture.js';
import { checkHouse, houseFaultsOf } from './house-faults.js';

describe('rules of the repository', () => {
  let fixture: Fixture;
  const houseFaults = (files: Readonly<Record<string, string>>) => houseFaultsOf(fixture, files);

  beforeEach(() => {
    fixture = makeFixture();
  });

  afterEach(() => fixture.remove());

  it('reports the number of files and imports', async () => {
    fixture.write({
      'src/main.ts': "import { start } from './service.js';\nimport 'node:fs';\n\nstart();\n",
      'src/service.ts': "import { a } from './policy/a.js';\nexport * from './store/port.js';\n",
      'src/policy/a.ts': 'export const a = 1;\n',
      'src/store/port.ts': 'export interface Store {}\n',
      'spec/policy/a.spec.ts': "import { a } from '../../src/policy/a.js';\n",
    });
    const { status, stdout } = await checkHouse(fixture);
    expect(stdout).to.match(
      /^house: 5 files in 4 folders, 4 imports, none upward, longest 4 lines \(\d+\.\d s\)\n$/,
    );
    expect(status).to.equal(0);
  });

  it('fails without source files', async () => {
    const { status, stdout } = await checkHouse(fixture);
    expect(stdout).to.match(/^house: FAULTS \(\d+\.\d s\)\n/);
    expect(stdout.trimEnd().split('\n').slice(1)).to.deep.equal([
      `no source file below ${fixture.folder}: nothing was checked`,
    ]);
    expect(status).to.equal(1);
  });

  it('refuses files over 400 lines in any folder', async () => {
    const lines = (count: number) => '//\n'.repeat(count);
    expect(
      await houseFaults({
        'src/errors.ts': lines(400),
        'spec/a.spec.ts': lines(401),
        'scripts/b.js': lines(402),
        'web/src/c.css': lines(403),
      }),
    ).to.deep.equal([
      'web/src/c.css has 403 lines, 400 are allowed: split it',
      'spec/a.spec.ts has 401 lines, 400 are allowed: split it',
      'scripts/b.js has 402 lines, 400 are allowed: split it',
    ]);
  });

  it('refuses folders with more than 30 files, apart from those in folders below', async () => {
    const files = (folder: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${folder}/a${i}.ts`, '']));
    expect(
      await houseFaults({
        ...files('src/policy', 30),
        ...files('src/policy/rules', 30),
        ...files('spec/policy', 31),
      }),
    ).to.deep.equal(['spec/policy has 31 files, 30 are allowed: divide it into folders']);
  });

  it('lets only config read the environment in src', async () => {
    const why = 'reads the environment: only config does, everything else is given what it needs';
    expect(
      await houseFaults({
        'src/config/a.ts': 'export const a = process.env;\n',
        'scripts/a.js': 'export const a = process.env;\n',
        'src/http/a.ts': '// process.env is for config\nexport const a = 1;\n',
        'src/http/b.ts': 'export const a = process.env.PORT;\n',
        'src/http/c.ts': "export const a = process['env'];\n",
        'src/http/d.ts': "import { argv, env } from 'node:process';\n",
      }),
    ).to.deep.equal(['b', 'c', 'd'].map((name) => `src/http/${name}.ts ${why}`));
  });

  it('lets machines change their contexts by decisions alone', async () => {
    const why = 'a machine has `setup`, and `decides` of src/actors';
    expect(
      await houseFaults({
        'src/actors/decides.ts': "import { assign } from 'xstate';\n",
        'src/policy/a.ts': "import { setup } from 'xstate';\nimport type { assign } from 'xstate';\n",
        'src/policy/b.ts': "import { assign, setup } from 'xstate';\n",
        'spec/policy/c.spec.ts': "import { assign } from 'xstate';\n",
      }),
    ).to.deep.equal([`src/policy/b.ts imports assign of xstate: ${why}`]);
  });

  it('lets no spec of npm test start a server that npm does not install', async () => {
    const start = "import { startMongo } from '../servers/mongodb.js';\n";
    expect(
      await houseFaults({
        'spec/servers/mongodb.ts': 'export const startMongo = 1;\n',
        'spec/store/home.ts': start,
        'spec/store/a.spec.ts': start,
        'spec/store/b.spec.ts': "import './home.js';\n",
        'spec/store/c.spec.ts': "import type { MongoServer } from '../servers/mongodb.js';\n",
        'spec/store/a.real.spec.ts': start,
        'spec/store/a.load.spec.ts': start,
        'spec/store/a.slow.spec.ts': start,
        'spec/faults/a.spec.ts': start,
      }),
    ).to.deep.equal([
      'spec/store/a.spec.ts uses spec/servers/mongodb.ts: call it spec/store/a.real.spec.ts',
      'spec/store/b.spec.ts uses spec/servers/mongodb.ts: call it spec/store/b.real.spec.ts',
    ]);
  });

  it('refuses names that do not say what is in a file', async () => {
    expect(
      await houseFaults({ 'src/http/index.ts': '', 'src/http/Body.ts': '', 'spec/http/utils.spec.ts': '' }),
    ).to.have.members([
      'src/http/index.ts: the name "index" does not say what is in it',
      'src/http/Body.ts: file names are kebab-case',
      'spec/http/utils.spec.ts: the name "utils" does not say what is in it',
    ]);
  });
});
