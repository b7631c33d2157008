import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { factsBody, okBody } from '../e2e/policy/actions.js';
import { runWords } from '../command/command-runs.js';
import { writtenFiles } from '../written-files.js';
import { eventually } from './stage/eventually.js';
import { launcher, type Launcher } from './stage/service-process.js';
import { smallDisk, type SmallDisk } from './stage/small-disk.js';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const KIB = 1024;
/** Time in which health says what is so, ms. */
const SOON_MS = 3_000;

/** A rule of about 60 KiB. */
const LARGE = {
  name: 'large',
  condition: { cpu: { value: 80, operand: 'greater' } },
  action: { actionName: 'notify-email', email: 'ops@example.org', body: 'x'.repeat(60 * KIB) },
};

describe('a full disk', function () {
  const written = writtenFiles();
  let services: Launcher;
  let disk: SmallDisk | undefined;

  beforeEach(async function () {
    services = await launcher();
    disk = smallDisk(services.folder);
    if (disk !== undefined) return;
    const missing = 'neither mount nor prlimit can limit a disk';
    if (process.env['CI'] === 'true') throw new Error(missing);
    console.log(`Skipping specs: ${missing}`);
    this.skip();
  });
  afterEach(async () => {
    await services.close().catch(() => undefined);
    disk?.close();
  });

  const health = async (url: string): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${url}/health`);
    return { status: response.status, text: await response.text() };
  };
  const healthIs = (url: string, status: number): Promise<true> => {
    let last = '';
    return eventually(
      async () => {
        const found = await health(url);
        last = `${found.status} ${found.text}`;
        return found.status === status ? true : undefined;
      },
      SOON_MS,
      () => `health is ${last}`,
    );
  };
  const addLarge = (api: ApiClient): Promise<number> =>
    api.call('POST', '/v1.0/demo/servers/web-1/rules', LARGE).then(({ status }) => status);

  it('is 503 in health as long as writes fail, and names the store; then it is ok by itself', async () => {
    const service = await services.start();
    const { url, pid } = service;
    const api = await apiClient(url);
    okBody(
      await api.call('POST', '/v1.0/demo/rules', {
        ...LARGE,
        action: { actionName: 'x', operation: 'scaleUp' },
      }),
    );
    expect((await health(url)).status).to.equal(200);
    const { size } = statSync(join(services.folder, 'data.mdb'));
    disk!.limit(size + 160 * KIB, pid);
    const statuses: number[] = [];
    while (statuses.at(-1) !== 503 && statuses.length < 50) statuses.push(await addLarge(api));
    expect(statuses.at(-1)).to.equal(503);

    await healthIs(url, 503);
    const { text } = await health(url);
    expect(text)
      .to.contain(services.folder)
      .and.to.match(/ failed: (?:No space left|File too large|Input\/output error)/);
    // Short writes may still find room in the file: they say nothing of the longer ones.
    for (let i = 0; i < 5; i += 1) {
      const { status } = await api.call('POST', '/demo/servers/web-2', factsBody({ cpuLoadPct: '1' }));
      expect([200, 503]).to.contain(status);
      expect((await health(url)).status).to.equal(503);
    }
    expect(await addLarge(api)).to.equal(503);
    const scraped = await (await fetch(`${url}/metrics`)).text();
    expect(scraped).to.match(/^mirzam_store_up 0$/m);

    disk!.grow(pid);
    await healthIs(url, 200);
    expect(await addLarge(api)).to.equal(200);
    expect((await health(url)).status).to.equal(200);
  });

  it('stops a start, which says what to do', async function () {
    if (!disk!.isMounted) this.skip();
    disk!.limit(16 * KIB, process.pid);
    const started = services.launch();
    expect((await started.exited).code).to.equal(2);
    expect(started.output())
      .to.match(/has room.*DATA_DIR/)
      .and.not.to.include('"stack"');
  });

  it('ends an import, which says so and leaves an empty folder', async function () {
    if (!disk!.isMounted) this.skip();
    const service = await services.start();
    const api = await apiClient(service.url);
    for (let i = 0; i < 10; i += 1) expect(await addLarge(api)).to.equal(200);
    const file = await written.file('export.ndjson', '');
    expect((await runWords(['export', file, '--mirzam-url', service.url])).code).to.equal(0);
    await service.kill('SIGKILL');
    for (const name of await readdir(services.folder))
      await rm(join(services.folder, name), { recursive: true });
    disk!.limit(256 * KIB, process.pid);
    const env = { PATH: process.env['PATH'], DATA_DIR: services.folder };
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'import', file], { env, encoding: 'utf8' });
    expect(status).to.equal(2);
    expect(stderr).to.match(/cannot be filled: .*; its disk has \d+ KiB left\. Nothing is imported\.\n$/);
    expect(await readdir(services.folder)).to.deep.equal([]);
  });
});
