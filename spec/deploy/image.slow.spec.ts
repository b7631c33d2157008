import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { reservedPort } from '../servers/ports.js';
import { eventually } from '../faults/stage/eventually.js';
import { skipWithout } from '../servers/deploy-tools.js';
import { buildImage, type Image } from './dockerfile.js';

const MIB = 1024 ** 2;
const SETTINGS = {
  HOST: '127.0.0.1',
  OPERATOR_TOKEN: 'operator-token-of-more-than-32-characters',
  IDENTITY_USERS: 'acme:ann:secret-1',
};

/** Returns the bytes of all files below a folder. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe('the image that the Dockerfile makes', () => {
  let image: Image;
  before(async function () {
    if (process.getuid?.() !== 0) {
      skipWithout(this, 'only root may perform the steps of a Dockerfile, which end as another user');
    }
    image = await buildImage();
    // The user of the image goes through this folder.
    await chmod(join(image.root, '..'), 0o755);
  });
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });
  after(() => image?.remove());

  /** Starts a command of the image as its user, who has no other folder to write to than the volume. */
  const start = (
    [program = '', ...args]: readonly string[],
    settings: Readonly<Record<string, string>> = {},
  ) => {
    const workdir = image.at(image.workdir);
    const user = Number(image.user);
    const own = join(workdir, program);
    const child = spawn(existsSync(own) ? own : program, args, {
      cwd: workdir,
      env: {
        PATH: process.env['PATH'],
        HOME: '/nonexistent',
        TMPDIR: '/nonexistent',
        ...image.env,
        ...SETTINGS,
        ...settings,
      },
      uid: user,
      gid: user,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    return { child, closed, output: () => output };
  };

  it('serves as a user without rights, writes to the volume only, and ends at its signal', async () => {
    expect(Number(image.user)).to.be.greaterThan(0);
    expect(image.volumes.map((path) => image.at(path))).to.deep.equal([image.env['DATA_DIR']]);
    const PORT = String(await reservedPort());
    const service = start(image.command, { PORT });
    const health = await eventually(
      async () => {
        if (service.child.exitCode !== null) throw new Error(`the service ended: ${service.output()}`);
        const answer = await fetch(`http://127.0.0.1:${PORT}/health`).catch(() => undefined);
        return answer?.ok === true ? answer : undefined;
      },
      60_000,
      service.output,
    );
    expect(await health.json()).to.have.property('status', 'ok');
    const page = await fetch(`http://127.0.0.1:${PORT}/docs/operations`, {
      headers: { Accept: 'text/html' },
    });
    expect(await page.text()).to.include('<h1');

    const healthy = start(image.healthcheck, { PORT });
    expect((await healthy.closed)[0]).to.equal(0);
    service.child.kill(image.stopSignal as NodeJS.Signals);
    expect(await service.closed, service.output()).to.deep.equal([0, null]);
    const unhealthy = start(image.healthcheck, { PORT });
    expect((await unhealthy.closed)[0]).to.equal(1);
  });

  it('has the chain of a trial', async () => {
    const PORT = String(await reservedPort());
    const service = start(image.command, { PORT, NODE_ENV: 'development' });
    await eventually(
      () => {
        if (service.child.exitCode !== null) throw new Error(`the service ended: ${service.output()}`);
        return /is ready/.test(service.output()) ? true : undefined;
      },
      60_000,
      service.output,
    );
    service.child.kill('SIGTERM');
    expect(await service.closed, service.output()).to.deep.equal([0, null]);
  });

  it('has what the package has, no tools of developers, and is small', async () => {
    const app = image.at(image.workdir);
    const { files } = JSON.parse(await readFile(image.at(join(image.workdir, 'package.json')), 'utf8')) as {
      readonly files: readonly string[];
    };
    const tops = new Set(files.filter((name) => !name.startsWith('!')).map((name) => name.split('/')[0]));
    // npm packs these files of itself.
    const always = ['package.json', 'README.md', 'LICENSE'];
    expect(await readdir(app)).to.have.members([...tops, ...always, 'node_modules']);
    expect(await readdir(join(app, 'node_modules'))).to.not.include.members([
      'typescript',
      'mocha',
      'esbuild',
    ]);
    expect(await sizeOf(app)).to.be.below(140 * MIB);
  });
});
