import { expect } from 'chai';
import path from 'node:path';
import { type Fixture, makeFixture, repository } from './fixture.js';

const script = path.join(repository, 'scripts', 'check.js');

describe('rules of the repository', () => {
  let fixture: Fixture;
  const check = (...names: string[]) => fixture.node(script, ...names);

  /** Returns the faults of a tree. */
  async function houseFaults(files: Readonly<Record<string, string>>): Promise<string[]> {
    fixture.write(files);
    const { status, stdout } = await check('house');
    const [first = '', ...faults] = stdout.trimEnd().split('\n');
    expect(first).to.match(faults.length > 0 ? /^house: FAULTS/ : /^house: \d+ files/);
    expect(status).to.equal(faults.length > 0 ? 1 : 0);
    return faults;
  }

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
    const { status, stdout } = await check('house');
    expect(stdout).to.match(
      /^house: 5 files in 4 folders, 4 imports, none upward, longest 4 lines \(\d+\.\d s\)\n$/,
    );
    expect(status).to.equal(0);
  });

  it('fails without source files', async () => {
    expect(await houseFaults({})).to.deep.equal([
      `no source file below ${fixture.folder}: nothing was checked`,
    ]);
  });

  it('refuses files over 250 lines in any folder', async () => {
    const lines = (count: number) => '//\n'.repeat(count);
    expect(
      await houseFaults({
        'src/errors.ts': lines(250),
        'spec/a.spec.ts': lines(251),
        'scripts/b.js': lines(252),
      }),
    ).to.deep.equal([
      'spec/a.spec.ts has 251 lines, 250 are allowed: split it',
      'scripts/b.js has 252 lines, 250 are allowed: split it',
    ]);
  });

  it('refuses folders with more than 20 files, apart from those in folders below', async () => {
    const files = (folder: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${folder}/a${i}.ts`, '']));
    expect(
      await houseFaults({
        ...files('src/policy', 20),
        ...files('src/policy/rules', 20),
        ...files('spec/policy', 21),
      }),
    ).to.deep.equal(['spec/policy has 21 files, 20 are allowed: divide it into folders']);
  });

  const order = [
    ['main', 'service', 'upwards, "main" is above "service"'],
    ['service', 'operator', 'upwards, "service" is above "operator"'],
    ['operator', 'policy', 'upwards, "operator" is above "policy"'],
    ['policy', 'http', 'upwards, "policy" is above "http"'],
    ['ledger', 'http', 'upwards, "ledger" is above "http"'],
    ['http', 'delivery', 'upwards, "http" is above "delivery"'],
    ['delivery', 'actors', 'upwards, "delivery" is above "actors"'],
    ['actors', 'store', 'upwards, "actors" is above "store"'],
    ['store', 'config', 'upwards, "store" is above "config"'],
    ['untrusted', 'system', 'upwards, "untrusted" is above "system"'],
  ] as const;
  for (const [above, below, why] of order) {
    it(`lets ${above} import ${below}, not the other way round`, async () => {
      const isFile = (room: string) => ['main', 'service'].includes(room);
      const file = (room: string) => (['policy', 'ledger'].includes(room) ? 'routes' : 'a');
      const place = (room: string) => (isFile(room) ? room : `${room}/${file(room)}`);
      const link = (from: string, to: string) => {
        const start = isFile(from) ? './' : '../';
        return { [`src/${place(from)}.ts`]: `import type { A } from '${start}${place(to)}.js';\n` };
      };
      const leaf = (room: string) => ({ [`src/${place(room)}.ts`]: 'export interface A {}\n' });
      expect(await houseFaults({ ...link(above, below), ...leaf(below) })).to.deep.equal([]);
      const [fault, ...more] = await houseFaults({ ...link(below, above), ...leaf(above) });
      expect(fault).to.match(new RegExp(`^src/${place(below)}.ts imports .*: ${why}$`));
      expect(more).to.deep.equal([]);
    });
  }

  it('lets only routes use the edge', async () => {
    const faults = await houseFaults({
      'src/http/a.ts': 'export interface A {}\n',
      'src/policy/http/a.ts': "import type { A } from '../../http/a.js';\n",
      'src/policy/rules/rule.ts': "import type { A } from '../../http/a.js';\n",
      'src/ledger/verify-routes.ts': "import type { A } from '../http/a.js';\n",
      'src/ledger/nonroutes.ts': "import type { A } from '../http/a.js';\n",
      'src/embedded/wallet/routes.ts': "import type { A } from '../../http/a.js';\n",
    });
    const why = 'only routes (routes.ts, *-routes.ts, a folder http) may use the edge';
    expect(faults).to.have.members([
      `src/policy/rules/rule.ts imports ../../http/a.js: ${why}`,
      `src/ledger/nonroutes.ts imports ../http/a.js: ${why}`,
    ]);
  });

  it('sees imports in every form, and none in comments, strings or templates', async () => {
    const faults = await houseFaults({
      'src/main.ts': 'export const a = 1;\n',
      'src/http/a.ts': [
        "// import { a } from '../main.js';",
        "/*\nimport { a } from '../main.js';\n*/",
        "const text = `\nimport { a } from '../main.js';\n`;",
        "const quoted = 'say `'; import.meta.url;",
        'const nested = "await import(\'../main.js\')";',
      ].join('\n'),
      'src/http/b.ts': "import {\n  a,\n} from '../main.js';\n",
      'src/http/c.ts': "import '../main.js';\n",
      'src/http/d.ts': "export { a } from '../main.js';\n",
      'src/http/e.ts': "const load = () => import('../main.js');\n",
      'src/http/f.ts': "type A = typeof import('../main.js');\n",
      'src/http/g.ts': 'import { a } from "../main.js";\n',
    });
    expect(faults).to.deep.equal(
      ['b', 'c', 'd', 'e', 'f', 'g'].map(
        (name) => `src/http/${name}.ts imports ../main.js: upwards, "main" is above "http"`,
      ),
    );
  });

  it('lets neighbours pass only the types of a port.ts', async () => {
    const faults = await houseFaults({
      'src/identity/port.ts': 'export interface A {}\nexport class B {}\n',
      'src/identity/a.ts': 'export interface A {}\n',
      'src/broker/good.ts': "import type { A } from '../identity/port.js';\n",
      'src/broker/value.ts': "import { B } from '../identity/port.js';\n",
      'src/broker/other.ts': "import type { A } from '../identity/a.js';\n",
    });
    const why = '"broker" and "identity" are neighbours: only types of a port.ts may pass between them';
    expect(faults).to.have.members([
      `src/broker/value.ts imports ../identity/port.js: ${why}`,
      `src/broker/other.ts imports ../identity/a.js: ${why}`,
    ]);
  });

  it('keeps src free of everything outside, and knows every room', async () => {
    expect(
      await houseFaults({
        'bench/load.ts': 'export {};\n',
        'src/http/a.ts': "import '../../bench/load.js';\nimport './lost.js';\n",
        'src/cellar/b.ts': 'export {};\n',
      }),
    ).to.have.members([
      'src/http/a.ts imports ../../bench/load.js: what is in src imports only from src',
      'src/http/a.ts imports ./lost.js: there is no such file',
      'src/cellar/b.ts: "cellar" has no place in the house yet: add it to scripts/house.js',
    ]);
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

  it('refuses circles of folders inside a folder of src', async () => {
    const link = (to: string) => `import type { A } from '${to}';\n`;
    const faults = await houseFaults({
      'src/policy/policy.ts': link('./http/a.js'),
      'src/policy/http/a.ts': link('../rules/a.js'),
      'src/policy/rules/a.ts': link('../facts/a.js'),
      'src/policy/facts/a.ts': link('../rules/b.js'),
      'src/policy/rules/b.ts': 'export interface A {}\n',
    });
    const circle = (from: string, to: string) =>
      `src/policy/${from}/a.ts closes a circle of folders: src/policy/${to} depends on src/policy/${from}`;
    expect(faults).to.have.members([circle('rules', 'facts'), circle('facts', 'rules')]);
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
