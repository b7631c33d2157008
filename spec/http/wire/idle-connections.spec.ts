import { expect } from 'chai';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { edges, ok, routes } from '../edge.js';
import { ask } from '../admission/from-address.js';
import { holding } from '../admission/holding.js';
import { wires } from './wire-client.js';

describe('idle connections', () => {
  const start = edges();
  const dial = wires();
  const limits = { idle: { each: 5, all: 8 }, headersTimeoutMs: 30_000 };
  const half = 'POST /t HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{';

  for (const [what, bytes] of [
    ['nothing', ''],
    ['half a header', 'POST /t HT'],
    ['half a request', half],
    ['a whole one', 'GET /t HTTP/1.1\r\nHost: a\r\n\r\n'],
  ] as const) {
    it(`are closed, the oldest first, if a client address has too many (${what})`, async () => {
      const { url, port } = await start([routes({ 'GET /t': ok, 'POST /t': ok })], limits);
      const all = [];
      for (let i = 0; i < 12; i += 1) {
        const wire = await dial(port);
        if (bytes !== '') wire.write(bytes);
        all.push(wire);
      }
      await Promise.all(all.slice(0, 7).map((wire) => wire.closed()));
      expect((await ask(`${url}/t`)).status).to.equal(200);
      for (const wire of all.slice(7)) expect(wire.socket.closed).to.equal(false);
    });
  }

  it('do not include connections with a request being answered', async () => {
    const held = holding();
    const { url, port } = await start([routes({ 'GET /held': held.stay })], limits);
    const answers = Array.from({ length: 8 }, () => ask(`${url}/held`));
    await eventually(
      async () => held.inside() === 8 || undefined,
      SOON_MS,
      () => 'not all are in',
    );
    const idle = await Promise.all(Array.from({ length: 12 }, () => dial(port)));
    await Promise.race(idle.map((wire) => wire.closed()));
    held.go();
    for (const answer of answers) expect((await answer).status).to.equal(200);
  });
});
