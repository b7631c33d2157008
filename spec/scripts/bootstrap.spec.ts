import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { existsSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { type Fixture, makeFixture, repository } from './fixture.js';

const compiler = path.join(repository, 'node_modules', 'typescript');

describe('scripts/bootstrap.js', () => {
  let fixture: Fixture;
  /** With a finished build. */
  let template: Fixture;
  const at = (name: string) => path.join(fixture.folder, name);
  const bootstrap = () => fixture.node('scripts/bootstrap.js');

  const packages = (version: string) => ({
    'node_modules/typescript': { version },
    'node_modules/other-platform': { version: '1.0.0', optional: true },
  });
  const lock = (content: object) =>
    JSON.stringify({ name: 'fixture', lockfileVersion: 3, packages: content });

  /** Prepares an installation with the real compiler. */
  function installed() {
    const { 'node_modules/typescript': typescript } = packages('1.0.0');
    fixture.write({
      'package-lock.json': lock(packages('1.0.0')),
      'node_modules/.package-lock.json': lock({ 'node_modules/typescript': typescript }),
    });
    symlinkSync(compiler, at('node_modules/typescript'));
  }

  async function build() {
    installed();
    expect(await bootstrap()).to.include({ status: 0, stderr: '' });
  }

  /** Makes the fixture a copy of the template, with its times to the nanosecond. */
  function built() {
    const { status } = spawnSync('cp', ['-a', `${template.folder}/.`, fixture.folder]);
    expect(status).to.equal(0);
  }

  function prepare() {
    fixture = makeFixture();
    fixture.copy('scripts/bootstrap.js');
    fixture.write({
      'package.json': JSON.stringify({ name: 'fixture', type: 'module', engines: { node: '>=20.19.0' } }),
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          module: 'nodenext',
          lib: ['es5'],
          skipLibCheck: true,
          strict: true,
          rootDir: '.',
          outDir: 'dist',
          types: [],
        },
        include: ['src', 'spec'],
      }),
      'src/main.ts': 'export const answer: number = 42;\n',
      'spec/main.spec.ts': 'export {};\n',
      'scripts/build-web.js':
        "import { mkdirSync, writeFileSync } from 'node:fs';\n" +
        "mkdirSync('dist/web', { recursive: true });\n" +
        "writeFileSync('dist/web/index.html', 'the page');\n",
      'scripts/build-verify-page.js': '',
      'scripts/licenses.js': '',
      'scripts/receiver-templates.js': '',
      'scripts/build-docs.js': '',
      'README.md': '# Fixture\n',
      'CHANGELOG.md': '# Changelog\n',
      'src/openapi/pages/frame.css': '',
    });
  }

  before(async () => {
    prepare();
    template = fixture;
    await build();
  });

  after(() => template.remove());

  beforeEach(prepare);

  afterEach(() => fixture.remove());

  it('installs the packages of the lock file and compiles after a clone', async () => {
    const resolved = path.relative(fixture.folder, compiler);
    const devDependencies = { typescript: `file:${resolved}` };
    fixture.write({
      'package.json': JSON.stringify({ type: 'module', engines: { node: '>=20.19.0' }, devDependencies }),
      'package-lock.json': lock({
        '': { devDependencies },
        [resolved]: { version: '7.0.2', dev: true },
        'node_modules/typescript': { resolved, link: true },
      }),
    });
    expect(await bootstrap()).to.deep.include({
      status: 0,
      stdout: [
        'mirzam: dependencies are missing: installing (npm ci), this takes a minute',
        'mirzam: no finished build: compiling',
        '',
      ].join('\n'),
    });
    expect(readFileSync(at('dist/src/main.js'), 'utf8')).to.contain('answer = 42');
    expect(await bootstrap()).to.deep.equal({ status: 0, stdout: '', stderr: '' });
  });

  it('runs before `npm pack`: the package of a clone that was never built has the build', function () {
    installed();
    const { files, scripts } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8')) as {
      readonly files: readonly string[];
      readonly scripts: Readonly<Record<string, string>>;
    };
    const engines = { node: '>=20.19.0' };
    const head = { name: 'fixture', version: '1.0.0', type: 'module', engines };
    fixture.write({
      'package.json': JSON.stringify({ ...head, files, scripts }),
      'scripts/build-types.js':
        "import { mkdirSync, writeFileSync } from 'node:fs';\n" +
        "mkdirSync('dist/types');\n" +
        "writeFileSync('dist/types/client.d.ts', '');\n",
      'dist/src/main.js.map': '{}',
      'docs/guide.md': '# Guide\n',
    });
    const { status, stderr } = spawnSync('npm', ['pack', '--dry-run', '--offline'], {
      cwd: fixture.folder,
      encoding: 'utf8',
    });
    expect(status, stderr).to.equal(0);
    for (const file of ['dist/src/main.js', 'dist/types/client.d.ts', 'dist/web/index.html'])
      expect(stderr).to.include(` ${file}\n`);
    for (const absent of ['dist/spec', '.map', 'docs/guide.md']) expect(stderr).not.to.include(absent);
  });

  it('does and prints nothing if all is up to date', async () => {
    built();
    fixture.write({ 'dist/src/main.js': 'untouched' });
    expect(await bootstrap()).to.deep.equal({ status: 0, stdout: '', stderr: '' });
    expect(readFileSync(at('dist/src/main.js'), 'utf8')).to.equal('untouched');
  });

  it('compiles again after a change, even with an old modification time', async () => {
    built();
    fixture.write({ 'src/main.ts': 'export const answer: number = 43;\n' });
    utimesSync(at('src/main.ts'), new Date(0), new Date(0));
    expect(await bootstrap()).to.include({ status: 0, stdout: 'mirzam: sources have changed: compiling\n' });
    expect(readFileSync(at('dist/src/main.js'), 'utf8')).to.contain('answer = 43');
  });

  it('builds again after a change of a stylesheet of the documents', async () => {
    built();
    fixture.write({ 'src/openapi/pages/frame.css': 'header {}' });
    expect(await bootstrap()).to.include({ status: 0, stdout: 'mirzam: sources have changed: compiling\n' });
  });

  it('compiles everything if the build was deleted', async () => {
    built();
    rmSync(at('dist/src'), { recursive: true });
    fixture.write({ 'spec/main.spec.ts': 'export const changed = true;\n' });
    expect(await bootstrap()).to.include({ status: 0, stdout: 'mirzam: sources have changed: compiling\n' });
    expect(readFileSync(at('dist/src/main.js'), 'utf8')).to.contain('answer = 42');
  });

  it('removes the output of a deleted source, and nothing else', async () => {
    fixture.write({ 'spec/old/gone.spec.ts': 'export {};\n' });
    await build();
    fixture.write({ 'dist/web/page.js': 'of another build' });
    expect(existsSync(at('dist/spec/old/gone.spec.js'))).to.equal(true);
    rmSync(at('spec/old'), { recursive: true });
    expect(await bootstrap()).to.include({ status: 0, stdout: 'mirzam: sources have changed: compiling\n' });
    expect(existsSync(at('dist/spec/old'))).to.equal(false);
    expect(existsSync(at('dist/spec/main.spec.js'))).to.equal(true);
    expect(existsSync(at('dist/web/page.js'))).to.equal(true);
  });

  it('exits with the status of a failed build, whose output does not count as a build', async () => {
    built();
    fixture.write({ 'src/wrong.ts': 'export const wrong: number = "text";\n' });
    for (const [attempt, reason] of ['sources have changed', 'no finished build'].entries()) {
      const { status, stdout } = await bootstrap();
      expect(status, `attempt ${attempt}`).to.be.greaterThan(0);
      expect(stdout).to.match(new RegExp(`^mirzam: ${reason}: compiling\n.*wrong.ts.*TS2322`));
    }
    rmSync(at('src/wrong.ts'));
    expect(await bootstrap()).to.include({ status: 0, stdout: 'mirzam: no finished build: compiling\n' });
    expect(existsSync(at('dist/src/wrong.js'))).to.equal(false);
  });

  for (const [what, wanted, reason] of [
    ['has another version', packages('1.0.1'), 'node_modules/typescript is not as locked'],
    [
      'has a package more',
      { ...packages('1.0.0'), 'node_modules/new': { version: '1.0.0' } },
      'node_modules/new is not as locked',
    ],
    ['has a package less', {}, 'node_modules/typescript is not in the lock file'],
  ] as const) {
    it(`installs again if the lock file ${what}, and exits with the status of npm`, async () => {
      built();
      // npm refuses a lock file that does not match package.json before any request.
      fixture.write({
        'package.json': JSON.stringify({ engines: { node: '>=20.19.0' }, dependencies: { absent: '1.0.0' } }),
        'package-lock.json': lock({ '': {}, ...wanted }),
      });
      const { status, stdout, stderr } = await bootstrap();
      expect(status).to.be.greaterThan(0);
      expect(stdout).to.equal(`mirzam: ${reason}: installing (npm ci), this takes a minute\n`);
      expect(stderr).to.match(/npm (error|ERR!)/);
    });
  }

  it('accepts a build without the compiler', async () => {
    built();
    rmSync(at('node_modules/typescript'));
    rmSync(at('dist/.stamp'));
    fixture.write({ 'src/main.ts': 'export const answer: number = 43;\n' });
    expect(await bootstrap()).to.deep.equal({ status: 0, stdout: '', stderr: '' });
    expect(readFileSync(at('dist/src/main.js'), 'utf8')).to.contain('answer = 42');
  });

  for (const needed of ['99.0.0', `${process.versions.node.split('.')[0]}.999.0`]) {
    it(`refuses a Node older than ${needed} and names the needed version`, async () => {
      fixture.write({ 'package.json': JSON.stringify({ engines: { node: `>=${needed}` } }) });
      expect(await bootstrap()).to.deep.equal({
        status: 1,
        stdout: '',
        stderr: `mirzam: Node ${needed} or newer is needed, this is ${process.versions.node}: install it from https://nodejs.org\n`,
      });
    });
  }

  it('accepts a newer Node of any minor version', async () => {
    installed();
    fixture.write({ 'package.json': JSON.stringify({ type: 'module', engines: { node: '>=18.99.99' } }) });
    expect(await bootstrap()).to.include({ status: 0 });
  });
});
