import { expect } from 'chai';
import { type Fixture, makeFixture } from './fixture.js';
import { houseFaultsOf } from './house-faults.js';

describe('rules of imports', () => {
  let fixture: Fixture;
  const houseFaults = (files: Readonly<Record<string, string>>) => houseFaultsOf(fixture, files);

  beforeEach(() => {
    fixture = makeFixture();
  });

  afterEach(() => fixture.remove());

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

  it('lets the page of the console, and shapes, have types of shapes alone from src', async () => {
    const faults = await houseFaults({
      'src/policy/shapes.ts': "export type A = 'a';\nexport const a = 1;\n",
      'src/policy/rule.ts': 'export interface B {}\n',
      'src/console/shapes.ts':
        "import type { A } from '../policy/shapes.js';\nimport type { B } from '../policy/rule.js';\n",
      'src/console/views/a.ts':
        "import type { B } from '../../policy/rule.js';\nimport { a } from '../../policy/shapes.js';\n",
      'web/src/link.ts': 'export const link = 1;\n',
      'web/src/good.ts':
        "import type { A } from '../../src/policy/shapes.js';\nimport { link } from './link.js';\n",
      'web/src/value.ts': "import { a } from '../../src/policy/shapes.js';\n",
      'web/src/type.ts': "import type { B } from '../../src/policy/rule.js';\n",
      'web/src/other.ts': "import '../../bench/load.js';\n",
      'web/src/templates.ts': "import '../../docs/receivers.md';\n",
      'web/src/document.ts': "import '../../docs/glossary.md';\n",
      'bench/load.ts': 'export {};\n',
      'docs/receivers.md': '# Receivers\n',
      'docs/glossary.md': '# Glossary\n',
    });
    const why = 'the page may import only types of a shapes.ts, and the pageFiles of scripts/house.js';
    expect(faults).to.have.members([
      'src/console/shapes.ts imports ../policy/rule.js: a shapes.ts may import only types of other shapes.ts',
      `web/src/value.ts imports ../../src/policy/shapes.js: ${why}`,
      `web/src/type.ts imports ../../src/policy/rule.js: ${why}`,
      `web/src/other.ts imports ../../bench/load.js: ${why}`,
      `web/src/document.ts imports ../../docs/glossary.md: ${why}`,
    ]);
  });

  it('lets the page of the console run what reads CSV, and that import nothing else', async () => {
    const faults = await houseFaults({
      'src/policy/rules/metrics.ts': "import { isoTime } from '../../untrusted/iso-time.js';\n",
      'src/policy/backtest/csv-facts.ts': "import { compiled } from '../rules/compiled.js';\n",
      'src/policy/rules/compiled.ts': 'export const compiled = 1;\n',
      'src/untrusted/iso-time.ts': 'export const isoTime = 1;\n',
      'web/src/good.ts': "import '../../src/policy/rules/metrics.js';\n",
    });
    expect(faults).to.deep.equal([
      'src/policy/backtest/csv-facts.ts imports ../rules/compiled.js: the page may import only types of a shapes.ts, and the pageFiles of scripts/house.js',
    ]);
  });

  it('lets service alone import the console, and rooms above it the types of its shapes', async () => {
    const faults = await houseFaults({
      'src/console/shapes.ts': 'export interface A {}\n',
      'src/console/demo.ts': 'export const demo = 1;\n',
      'src/service/console.ts': "import { demo } from '../console/demo.js';\n",
      'src/service.ts': "import { demo } from './console/demo.js';\n",
      'src/openapi/a.ts': "import type { A } from '../console/shapes.js';\n",
      'src/openapi/b.ts': "import { demo } from '../console/demo.js';\n",
      'spec/console/demo.spec.ts': "import { demo } from '../../src/console/demo.js';\n",
    });
    expect(faults).to.deep.equal([
      'src/openapi/b.ts imports ../console/demo.js: only service may import the console, others types of its shapes.ts',
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

  const link = (to: string) => `import type { A } from '${to}';\n`;

  it('refuses circles of files of src, of types too', async () => {
    const faults = await houseFaults({
      'src/policy/a.ts': link('./b.js'),
      'src/policy/b.ts': link('./c.js'),
      'src/policy/c.ts': link('./b.js'),
    });
    const circle = (from: string, to: string) =>
      `src/policy/${from}.ts closes a circle of files: src/policy/${to}.ts depends on it`;
    expect(faults).to.have.members([circle('b', 'c'), circle('c', 'b')]);
  });

  it('refuses circles of folders inside a folder of src', async () => {
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
});
