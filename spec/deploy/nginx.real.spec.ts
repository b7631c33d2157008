import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { request } from '../e2e/api-client.js';
import { scenes } from '../e2e/scene.js';
import { type Asked, KEYS, TOGETHER } from '../haproxy/together.js';
import { specNginx } from '../servers/nginx.js';

const NODES = 3;

/** nginx compares letters as they are: who spells an account in two ways has two keys. */
const spelledAlike = ([method, path, headers = {}]: Asked): Asked => {
  const account = headers['Wallet-Address']?.toLowerCase();
  return [method, path, { ...headers, ...(account !== undefined && { 'Wallet-Address': account }) }];
};

describe('nginx with the configuration of docs/scaling.md, whose key the Ingress of the Helm chart has', () => {
  const startNginx = specNginx();
  const open = scenes();

  /** Starts a server that answers with its number. */
  const standIn = async (number: number): Promise<string> => {
    const server = createServer((_request, response) => response.end(String(number)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.keep(server, async () => server.close().closeAllConnections());
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  for (const [title, requests] of Object.entries(TOGETHER)) {
    it(`sends to one node ${title}`, async () => {
      const nodes = await Promise.all(Array.from({ length: NODES }, (_, number) => standIn(number)));
      const { url } = open.keep(await startNginx(nodes), (one) => one.stop());
      const nodeOf = async ([method, path, headers]: Asked): Promise<string> =>
        (await request(url + path, method, undefined, { connection: 'close', ...headers })).text;
      const counts = new Map<string, number>();
      for (let n = 0; n < KEYS; n += 1) {
        const found = await Promise.all(requests(n).map(spelledAlike).map(nodeOf));
        expect([...new Set(found)], JSON.stringify(requests(n))).to.have.length(1);
        counts.set(found[0]!, (counts.get(found[0]!) ?? 0) + 1);
      }
      expect([...counts.keys()]).to.have.length(NODES);
      for (const count of counts.values()) expect(count).to.be.above(KEYS / 10);
    });
  }
});
