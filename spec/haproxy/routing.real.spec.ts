import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { request } from '../e2e/api-client.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { type Haproxy, type Nodes, specHaproxy } from '../servers/haproxy.js';
import { listenReserved } from '../servers/ports.js';
import { type Asked, ENTITIES, KEYS, TOGETHER } from './together.js';

const NAMES = ['a', 'b', 'c'] as const;

describe('HAProxy with the configuration of the repository', () => {
  const startHaproxy = specHaproxy();
  const open = scenes();
  /** What the stand-ins for nodes got, in order. */
  let got: string[];
  /** Answers of the stand-ins, but to health checks. */
  let answer: (node: string, request: IncomingMessage, response: ServerResponse) => void;

  beforeEach(() => {
    got = [];
    answer = (node, _request, response) => response.end(node);
  });

  const standIn = async (name: string) => {
    const server = createServer((request, response) => {
      if (request.url === '/health/ready') return void response.end();
      got.push(`${name} ${request.method} ${request.url}`);
      answer(name, request, response);
    });
    const port = await listenReserved(server);
    const stop = async (): Promise<void> => {
      if (server.listening) server.close().closeAllConnections();
    };
    open.keep(server, stop);
    return { address: `127.0.0.1:${port}`, stop };
  };
  const standIns = async () => {
    const [a, b, c] = await Promise.all([standIn('a'), standIn('b'), standIn('c')]);
    const nodes: Nodes = { a: a.address, b: b.address, c: c.address };
    return { nodes, stops: { a: a.stop, b: b.stop, c: c.stop } };
  };
  const ask = ({ url }: Haproxy, [method, path, headers]: Asked) =>
    request(url + path, method, undefined, { connection: 'close', ...headers });
  const nodeOf = async (haproxy: Haproxy, asked: Asked): Promise<string> => (await ask(haproxy, asked)).text;

  for (const [title, requests] of Object.entries(TOGETHER)) {
    it(`sends to one node ${title}`, async () => {
      const haproxy = await startHaproxy((await standIns()).nodes);
      const counts = new Map<string, number>(NAMES.map((name) => [name, 0]));
      for (let n = 0; n < KEYS; n += 1) {
        const nodes = await Promise.all(requests(n).map((asked) => nodeOf(haproxy, asked)));
        expect([...new Set(nodes)], JSON.stringify(requests(n))).to.have.length(1);
        counts.set(nodes[0]!, counts.get(nodes[0]!)! + 1);
      }
      for (const count of counts.values()) expect(count).to.be.above(KEYS / 10);
    });
  }

  it('leaves the servers of the other nodes where they are when a node goes or comes', async () => {
    const { nodes, stops } = await standIns();
    const haproxy = await startHaproxy(nodes);
    const paths = Array.from({ length: KEYS }, (_, n): Asked => ['POST', `/v1.0/acme/servers/web-${n}`]);
    const placed = () => Promise.all(paths.map((path) => nodeOf(haproxy, path)));
    const before = await placed();
    await stops.b();
    const stayed = (now: readonly string[]) =>
      now.filter((node, n) => before[n] !== 'b' && node === before[n]);
    const rest = before.filter((node) => node !== 'b');
    // It is not known to be down yet: its requests are sent to another node.
    expect(stayed(await placed())).to.deep.equal(rest);
    const retries = await eventually(
      () => (haproxy.retries().length > 0 ? haproxy.retries() : undefined),
      SOON_MS,
      () => 'no request was sent to another node',
    );
    expect([...new Set(retries)]).to.deep.equal(['+1']);
    await haproxy.until('b', 'DOWN');
    const without = await placed();
    expect(stayed(without)).to.deep.equal(rest);
    expect(without).not.to.include('b');
    const { b: _, ...others } = nodes;
    await haproxy.reload({ ...others, d: (await standIn('d')).address });
    const moved = (await placed()).filter((node, n) => node !== without[n]);
    expect([...new Set(moved)]).to.deep.equal(['d']);
  });

  it('is 503 with Retry-After without nodes, in the formats of both APIs', async () => {
    const { nodes, stops } = await standIns();
    const haproxy = await startHaproxy(nodes);
    await Promise.all(NAMES.map((name) => stops[name]()));
    for (const state of ['refused', 'DOWN']) {
      if (state === 'DOWN') for (const name of NAMES) await haproxy.until(name, 'DOWN');
      for (const [path, type] of [
        ['/v1.0/acme/servers/web-1', 'application/json'],
        ['/ngsi-ld/v1/entities', 'application/problem+json'],
      ] as const) {
        const { status, headers, body } = await ask(haproxy, ['POST', path]);
        expect([status, headers.get('retry-after'), headers.get('content-type')]).to.deep.equal([
          503,
          '1',
          type,
        ]);
        expect(body.error).to.include({ code: 503 });
        expect(body).to.deep.include({ status: 503, detail: body.error!.message });
        expect(body.error!.message).to.include('Nothing was done');
      }
    }
  });

  it('sends again what a node did not answer only if that just reads', async () => {
    const haproxy = await startHaproxy((await standIns()).nodes);
    let first = true;
    answer = (node, { socket }, response) => {
      if (first) socket.destroy();
      else response.end(node);
      first = false;
    };
    const tries = async (...asked: Asked) => {
      first = true;
      got = [];
      const { status, headers, text } = await ask(haproxy, asked);
      if (status !== 200) {
        expect([status, headers.get('retry-after')]).to.deep.equal([503, '1']);
        expect(text).to.include('may have been done');
      }
      return [status, got.length];
    };
    expect(await tries('GET', '/v1.0/acme/servers/web-1/rules')).to.deep.equal([200, 2]);
    expect(await tries('HEAD', '/v1.0/acme')).to.deep.equal([200, 2]);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect(await tries(method, '/v1.0/acme/servers/web-1'), method).to.deep.equal([503, 1]);
    }
    expect(await tries('GET', `${ENTITIES}/urn:a:1`)).to.deep.equal([503, 1]);
  });

  it('leaves the answers of nodes as they are', async () => {
    const haproxy = await startHaproxy((await standIns()).nodes);
    for (const status of [409, 502, 503, 504]) {
      answer = (_node, _request, response) =>
        response.writeHead(status, { 'content-type': 'text/x-own', 'retry-after': '7' }).end('own');
      const { headers, text, ...shown } = await ask(haproxy, ['POST', '/ngsi-ld/v1/entities']);
      expect([shown.status, text]).to.deep.equal([status, 'own']);
      expect([headers.get('content-type'), headers.get('retry-after')]).to.deep.equal(['text/x-own', '7']);
    }
  });
});
