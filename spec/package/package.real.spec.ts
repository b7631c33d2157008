import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { OpenApiDocument } from '../../src/openapi/open-api.js';
import { reservedPort } from '../servers/ports.js';
import {
  ended,
  type InstalledPackage,
  installPackage,
  namesIn,
  REPOSITORY,
  type ServingPackage,
} from './installed-package.js';
import { readmeScript } from './readme-story.js';

const COMPILER = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');

/** A program of another repository, which uses all that the package offers to programs. */
const CONSUMER = `
import { mirzamClient, type components } from 'mirzam/client';
import { batchRoot, contentHash, verifyRecord, type RecordVerdict } from 'mirzam/proof';
import { readMeasurements, tryRule, type BacktestAnswer } from 'mirzam/rules';

const facts = readMeasurements('time,load\\n2026-11-21 10:00,90\\n', { time: 'time', metrics: { cpu: 'load' } });
const rule = { name: 'a', condition: { cpu: { value: 85, operand: 'greater' } }, action: { actionName: 'notify-scale', operation: 'scaleUp' } };
const answer: BacktestAnswer = tryRule({ rule, facts, windowsize: 1 });

const hash = contentHash({ id: 'urn:a:b', type: 'T' });
const root: string = batchRoot(hash, []);
const verify: (claim: unknown, options: { rpc: string }) => Promise<RecordVerdict> = verifyRecord;

const client = mirzamClient({ url: process.argv[2]!, token: process.argv[3]! });
const { data, error } = await client.GET('/v1.0/{tenantId}', { params: { path: { tenantId: 'demo' } } });
const windowsize: number | undefined = data?.windowsize;
// @ts-expect-error: there is no such path.
void client.GET('/v1.0/{tenantId}/nothing');
export type Server = components['schemas'];
console.log(JSON.stringify({ firings: answer.firings, hash, root, verify: typeof verify, windowsize, error }));
`;

describe('package', () => {
  let installed: InstalledPackage;
  let service: ServingPackage;

  before(async function () {
    const made = await installPackage(await reservedPort());
    if (typeof made === 'string') {
      if (process.env['CI'] === 'true') throw new Error(made);
      this.skip();
    }
    installed = made;
    service = await installed.serve();
  });
  after(() => installed?.remove());

  const run = (command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    ended(command, args, { cwd: installed.elsewhere, env: { ...installed.environment, ...env } });
  const program = (): string => join(installed.folder, 'node_modules', '.bin', 'mirzam');
  const tokenOf = async (url: string): Promise<string> => {
    const answer = await fetch(`${url}/identity/v2.0/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"auth":{"tenantName":"demo","passwordCredentials":{"username":"demo","password":"demo"}}}',
    });
    const text = await answer.text();
    // The service has few processors while other specs run, and refuses what comes late.
    if (answer.status === 503) return tokenOf(url);
    expect(answer.status, text).to.equal(200);
    return (JSON.parse(text) as { access: { token: { id: string } } }).access.token.id;
  };

  it('has neither specs, nor sources, nor maps without them, and each document once', async () => {
    const { files } = installed;
    for (const file of ['bin/mirzam.js', 'dist/src/main.js', 'dist/web/index.html', 'README.md', 'LICENSE'])
      expect(files).to.include(file);
    for (const file of ['deploy/verify.html', 'examples/verify_proof.py', 'examples/proofs/index.json'])
      expect(files).to.include(file);
    expect(files.filter((file) => /\.map$|^spec|^dist\/spec|(?<!\.d)\.tsx?$/.test(file))).to.deep.equal([]);
    const pages = JSON.parse(
      await readFile(join(installed.folder, 'node_modules', 'mirzam', 'dist', 'docs', 'pages.json'), 'utf8'),
    ) as readonly { readonly file: string }[];
    // npm puts the README into every package.
    expect(pages.map(({ file }) => file).filter((file) => files.includes(file))).to.deep.equal(['README.md']);
    expect(
      files.filter((file) => file.endsWith('.d.ts')).every((file) => file.startsWith('dist/types/')),
    ).to.equal(true);
  });

  it('serves with an empty HOME, writes nothing there, and shows console and documents', async () => {
    // The cache of npx itself.
    expect(await namesIn(installed.environment['HOME']!)).to.deep.equal(['.npm']);
    for (const path of [
      '/console',
      '/docs',
      '/docs/readme',
      '/docs/commands',
      '/docs/images/overview-light.png',
      '/verify',
    ]) {
      const answer = await fetch(service.url + path);
      expect(answer.status, path).to.equal(200);
      await answer.body?.cancel();
    }
  });

  it('has the flags of V8 in any folder, and ends with the exit code of the command', async () => {
    const show = 'data:text/javascript,console.error(process.execArgv.join())';
    const { status, stdout, stderr } = await run(program(), ['--version'], {
      NODE_OPTIONS: `--import=${show}`,
    });
    expect(status).to.equal(0);
    expect(stdout).to.match(/^\d+\.\d+\.\d+\n$/);
    expect(stderr).to.equal('--max-semi-space-size=128,--heap-growing-percent=100\n');
    expect((await run(program(), ['no-such-command'])).status).to.equal(2);
  });

  it('runs the README’s five minutes with rules', async () => {
    const port = String(await reservedPort());
    const script = await readmeScript(
      join(installed.folder, 'node_modules', 'mirzam'),
      'Five minutes with curl: rules',
      new Map([
        ['http://localhost:8080', service.url],
        ['localhost:9000', `localhost:${port}`],
        ['listen(9000)', `listen(${port})`],
      ]),
    );
    const { stdout, stderr } = await shell(`${script}\nkill %1`);
    for (const words of [
      '{"id":5,"title":"1 fact taken, 1 firing"}',
      '{"action":"notifyEmail","serverId":"web-1",',
      'the mean of cpu is 92.8, greater than 85.',
      '"subject":',
      'whsec_',
    ])
      expect(stdout, stderr).to.include(words);
  });

  it('runs the README’s five minutes with the ledger', async () => {
    const log = service.output();
    const [token, chain] = [/X-Vault-Token (\S+?)"/, /development chain: (\S+?),/].map(
      (form) => form.exec(log)?.[1],
    );
    const script = await readmeScript(
      join(installed.folder, 'node_modules', 'mirzam'),
      'Five minutes with curl: the ledger',
      new Map([
        ['http://localhost:8080', service.url],
        ['/tmp/', `${installed.elsewhere}/`],
        ['read -r WALLET_TOKEN', `WALLET_TOKEN=${token}`],
        ['read -r CHAIN', `CHAIN=${chain}`],
      ]),
    );
    const { stdout, stderr } = await shell(script);
    expect(stdout, stderr)
      .to.match(/^VERIFIED/m)
      .and.to.match(/^NOT VERIFIED/m);
    expect(stdout).to.include('"verified": true');
  });

  it('offers a typed client, rules and proofs to programs, and nothing else', async () => {
    const [source, output] = ['consumer.mts', 'consumer.mjs'].map((name) => join(installed.folder, name));
    await writeFile(source!, CONSUMER);
    const types = join(REPOSITORY, 'node_modules', '@types');
    const options = ['--strict', '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2023'];
    const compiled = await run(process.execPath, [
      COMPILER,
      ...options,
      '--types',
      'node',
      '--typeRoots',
      types,
      source!,
    ]);
    expect(compiled.stdout).to.equal('');
    const ran = await run(process.execPath, [output!, service.url, await tokenOf(service.url)]);
    expect(ran.stderr).to.equal('');
    expect(JSON.parse(ran.stdout)).to.include({ firings: 1, verify: 'function', windowsize: 5 });
    for (const name of ['mirzam', 'mirzam/config', 'mirzam/dist/src/service.js']) {
      await writeFile(output!, `await import('${name}');`);
      expect((await run(process.execPath, [output!])).stderr, name).to.include(
        'ERR_PACKAGE_PATH_NOT_EXPORTED',
      );
    }
  });

  it('has the types of every operation in /openapi.json', async () => {
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApiDocument;
    const file = join(installed.folder, 'node_modules', 'mirzam', 'dist', 'types', 'openapi.d.ts');
    const types = await readFile(file, 'utf8');
    for (const [path, operations] of Object.entries(document.paths)) {
      expect(types).to.include(`    "${path}": {\n`);
      for (const [method, { operationId }] of Object.entries(operations))
        expect(types).to.include(`        ${method}: operations["${operationId}"];`);
    }
  });

  it('has a bill of materials, with each package that it depends on', async () => {
    const { dependencies } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const { status, stdout, stderr } = await ended('npm', ['run', '--silent', 'sbom'], {
      cwd: REPOSITORY,
      env: process.env,
    });
    expect(status, stderr).to.equal(0);
    const { components } = JSON.parse(stdout) as {
      readonly components: readonly { readonly 'bom-ref': string; readonly licenses?: readonly unknown[] }[];
    };
    const names = components.map((one) => one['bom-ref'].replace(/(?<=.)@.*/, ''));
    expect(names).to.include.members(Object.keys(dependencies));
    expect(names).not.to.include('mocha');
  });

  /** Runs a script in the folder of the package. */
  const shell = (script: string) =>
    ended('bash', ['-m'], { cwd: installed.folder, env: { ...installed.environment } }, script);
});
