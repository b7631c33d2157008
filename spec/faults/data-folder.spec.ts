import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { launcher, type Launcher } from './stage/service-process.js';

describe('data folder', () => {
  let services: Launcher;

  beforeEach(async () => {
    services = await launcher();
  });
  afterEach(() => services.close());

  it('belongs to one process: a second one stops and names the owner', async () => {
    const first = await services.start();
    const second = services.launch();
    expect(await second.exited).to.deep.equal({ code: 2, signal: null });
    expect(second.output())
      .to.include(services.folder)
      .and.to.include(`in use by process ${first.pid}`)
      .and.to.include('stop it, or choose another folder');
    expect((await fetch(`${first.url}/health`)).status).to.equal(200);
  });

  it('with a damaged file stops the process, which says what to do', async () => {
    await (await services.start()).kill('SIGKILL');
    const file = join(services.folder, 'data.mdb');
    await truncate(file, Math.floor((await stat(file)).size / 2));
    const second = services.launch();
    expect(await second.exited).to.deep.equal({ code: 2, signal: null });
    expect(second.output())
      .to.match(/data\.mdb in the data folder \S+ is damaged, .*: put back a backup of the folder/)
      .and.not.to.include('"stack"');
  });

  it('is released by a kill of its process', async () => {
    const first = await services.start();
    await first.kill('SIGKILL');
    const second = await services.start();
    expect((await fetch(`${second.url}/health`)).status).to.equal(200);
  });

  it('goes to exactly one of several processes that start together after a kill', async () => {
    await (await services.start()).kill('SIGKILL');
    const rivals = Array.from({ length: 3 }, () => services.launch());
    const ready = await Promise.all(
      rivals.map((rival) =>
        rival.ready.then(
          () => true,
          () => false,
        ),
      ),
    );
    expect(ready.filter(Boolean).length).to.be.at.most(1);
    const next = ready.includes(true) ? rivals[ready.indexOf(true)]! : await services.start();
    expect((await fetch(`${(await next.ready).url}/health`)).status).to.equal(200);
  });
});
