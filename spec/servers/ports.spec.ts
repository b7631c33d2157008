import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { scenes } from '../e2e/scene.js';
import { accepts, listenReserved, reservedPort } from './ports.js';

describe('a reserved port of a spec', () => {
  const open = scenes();

  async function listening(port?: number, host?: string): Promise<number> {
    const server = createServer();
    open.keep(server, async (one) => void one.close());
    return listenReserved(server, port, host);
  }

  it('is below the ports that systems give to programs, and has no listener', async () => {
    const port = await reservedPort();
    expect(port).to.be.within(12_000, 26_999);
    expect(await accepts(port)).to.equal(false);
  });

  it('is in a block that no other process can take', async () => {
    const port = await reservedPort();
    const first = port - (port % 200);
    expect(first).not.to.equal(port);
    const error: unknown = await listening(first).catch((one: unknown) => one);
    expect(error).to.have.property('code', 'EADDRINUSE');
  });

  for (const host of ['127.0.0.1', '0.0.0.0', '::'])
    it(`is not one with a listener on ${host}`, async function () {
      const port = await reservedPort();
      const next = await listening(undefined, host).catch(() => this.skip());
      expect(next).not.to.equal(port);
      // Each port of the block comes once before the first one comes again.
      const others = new Set<number>();
      for (let other = await reservedPort(); !others.has(other); other = await reservedPort())
        others.add(other);
      expect(others).to.include(port).and.not.to.include(next);
    });

  it('can be listened on again', async () => {
    const server = createServer();
    const port = await listenReserved(server);
    server.close();
    await once(server, 'close');
    expect(await accepts(port)).to.equal(false);
    expect(await listening(port)).to.equal(port);
    expect(await accepts(port)).to.equal(true);
  });
});
