import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { ask } from '../../http/admission/from-address.js';
import { scenes } from '../scene.js';

const COUNT = 5_300;
const STRANGERS = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6', '127.0.0.7'];
const HALF =
  'POST /v1.0/demo/servers/s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';

describe('5,300 half-sent requests', () => {
  const scene = scenes();

  for (const [whence, from] of [
    ['one address', ['127.0.0.1']],
    ['several addresses', STRANGERS],
  ] as const) {
    it(`from ${whence} lock nobody out of rules and facts`, async () => {
      const { api, url } = await scene.service();
      const rule = { name: 'r', condition: { cpu: { value: 1, operand: 'greater' } } };
      const action = { actionName: 'x', operation: 'scaleUp' };
      expect((await api.call('POST', '/v1.0/demo/rules', { ...rule, action })).status).to.equal(200);

      const sockets: Socket[] = [];
      scene.keep(sockets, async (all) => all.forEach((socket) => socket.destroy()));
      const port = Number(new URL(url).port);
      let written = 0;
      for (let i = 0; i < COUNT; i += 1) {
        const socket = connect({ port, host: '127.0.0.1', localAddress: from[i % from.length]! });
        socket.on('error', () => undefined);
        socket.on('connect', () => socket.write(HALF, () => (written += 1)));
        sockets.push(socket);
      }
      await eventually(
        async () => written === COUNT || undefined,
        SOON_MS,
        () => `only ${written} are sent`,
      );
      // Sent after the half-sent requests.
      await ask(`${url}/health`);
      const facts = JSON.stringify({ data: [{ cpuLoadPct: 5 }] });
      for (let i = 0; i < 20; i += 1) {
        expect((await api.call('GET', '/v1.0/demo/rules')).status).to.equal(200);
        expect((await api.call('POST', '/v1.0/demo/rules', { ...rule, action })).status).to.equal(200);
        expect((await ask(`${url}/v1.0/demo/servers/t`, { body: facts })).status).to.equal(200);
      }
    });
  }
});
