import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { viewed } from '../../console/browser-client.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { ALWAYS } from '../policy/actions.js';
import { type Scene, scenes } from '../scene.js';

const RULE = {
  ...ALWAYS,
  name: 'long',
  action: { actionName: 'notify-email', email: 'a@b.example', body: 'x'.repeat(65_000) },
};
const READERS = 40;
describe('long answers that clients do not read', () => {
  const open = scenes('describe');
  let scene: Scene;
  before(async () => {
    scene = await open.service();
    const rules = Array.from({ length: 15 }, () => RULE);
    for (let i = 0; i < 8; i += 1) {
      expect((await scene.api.call('POST', '/v1.0/demo/servers/giant/rules', rules)).status).to.equal(200);
    }
  });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  const paths = ['/v1.0/demo/servers/giant', '/v1.0/demo/servers', '/console/api/servers/{tenant}/giant'];
  for (const pattern of paths) {
    it(`are held up to a limit per tenant; requests succeed again when they are gone (${pattern})`, async () => {
      const { api, url } = scene;
      const { viewer } = await viewed(url, { 'x-auth-token': api.token });
      const path = pattern.replace('{tenant}', viewer?.kind === 'tenant' ? viewer.tenantId : '');
      const statuses: string[] = [];
      for (let i = 0; i < READERS; i += 1) {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        sockets.push(socket);
        socket.on('error', () => undefined);
        socket.once('data', (bytes) => {
          socket.pause();
          statuses.push(String(bytes).slice(9, 12));
        });
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Auth-Token: ${api.token}\r\n\r\n`);
      }
      const all = async () => statuses.length === READERS || undefined;
      await eventually(all, SOON_MS, () => `${statuses.length} of ${READERS} are answered`);
      expect(statuses.filter((status) => status === '200').length).to.be.within(1, READERS / 2);
      expect(statuses.filter((status) => status !== '200')).to.include('503');
      for (const socket of sockets.splice(0)) socket.destroy();
      const isAnswered = async () => (await api.call('GET', path)).status === 200 || undefined;
      await eventually(isAnswered, SOON_MS, () => 'it is answered no more');
    });
  }
});
