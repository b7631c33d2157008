import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../../src/system/free-port.js';

describe('freePort', () => {
  it('returns a port that no system gives by itself, and that can be listened on', async () => {
    const port = await freePort();
    expect(port).to.be.within(28_000, 32_767);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  });
});
