import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { expect } from 'chai';
import { cpu, factsBody, okBody } from '../e2e/policy/actions.js';
import { type ApiClient, apiClient } from '../e2e/api-client.js';
import { type Scene, scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { specHaproxy } from '../servers/haproxy.js';

const TOKEN = 'operator-token-of-more-than-32-characters';
const SETTINGS = { OPERATOR_TOKEN: TOKEN, TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: 'http://mirzam.example' };
/** Wrong tokens of an address that are answered with 401. */
const GUESSES = 10;

describe('Mirzam behind HAProxy', () => {
  const startHaproxy = specHaproxy();
  const open = scenes();
  const nodes = async () => {
    const [a, b] = await Promise.all([open.service(SETTINGS), open.service(SETTINGS)]);
    return { a, b, addresses: { a: addressOf(a), b: addressOf(b) } };
  };
  const addressOf = ({ url }: Scene): string => new URL(url).host.replace('localhost', '127.0.0.1');

  const fact = (api: ApiClient, server: number) =>
    api.call('POST', `/v1.0/demo/servers/web-${server}`, factsBody({ cpuLoadPct: '1' }), {
      connection: 'close',
    });

  /** Sends a request on a connection of its own, from an address of this machine. */
  const send = async (url: string, from: string, headers: Record<string, string>) => {
    const sent = httpRequest(url, { localAddress: from, agent: false, headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  };

  it('has the facts of a server at one node', async () => {
    const { a, b, addresses } = await nodes();
    const haproxy = await startHaproxy(addresses);
    for (const { api } of [a, b]) await api.call('GET', '/v1.0/demo');
    // Each of these nodes has a store of its own: the numbers are gapless only if one node got all facts of a server.
    const through = await apiClient(haproxy.url);
    for (let n = 0; n < 20; n += 1) {
      for (let id = 1; id <= 3; id += 1) {
        expect((await fact(through, n)).body['id']).to.equal(id);
      }
    }
    await eventually(
      () => (new Set(haproxy.served()).size === 2 ? true : undefined),
      SOON_MS,
      () => `all at ${haproxy.served().join()}`,
    );
  });

  it('knows the addresses of clients, also of one that claims another', async () => {
    const { addresses } = await nodes();
    const haproxy = await startHaproxy(addresses);
    const guess = async (from: string, n: number, headers: Record<string, string> = {}) => {
      const wrong = { authorization: `Bearer wrong-${n}`, ...headers };
      const response = await send(`${haproxy.url}/operator/nodes`, from, wrong);
      response.resume();
      return response.statusCode;
    };
    for (let n = 0; n < GUESSES; n += 1) {
      expect(await guess('127.0.0.2', n, { 'x-forwarded-for': `192.0.2.${n}` })).to.equal(401);
    }
    expect(await guess('127.0.0.2', GUESSES, { 'x-forwarded-for': '192.0.2.99' })).to.equal(429);
    for (let n = 0; n < GUESSES; n += 1) expect(await guess('127.0.0.3', n)).to.equal(401);
  });

  it('streams events for longer than a client may be silent', async () => {
    const { a, b, addresses } = await nodes();
    const haproxy = await startHaproxy(addresses, { 'timeout client 60s': 'timeout client 2s' });
    const headers = { authorization: `Bearer ${TOKEN}`, host: 'mirzam.example' };
    const stream = await send(`${haproxy.url}/operator/events`, '127.0.0.1', headers);
    expect(stream.statusCode).to.equal(200);
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const has = (what: string): Promise<true> =>
      eventually(
        () => {
          if (stream.closed) throw new Error(`the stream has ended: ${text}`);
          return text.includes(what) ? true : undefined;
        },
        SOON_MS,
        () => `no ${what}: ${text}`,
      );
    // The first comment comes after 15 s of silence.
    await has(': alive');
    const hook = { ruleId: '', url: 'http://127.0.0.1:9/' };
    for (const { api } of [a, b]) {
      const rule = { name: 'r', condition: { cpu: { value: 0, operand: 'greater equal' } } };
      const action = { actionName: 'notify-scale', operation: 'scaleUp' };
      const made = okBody(await api.call('POST', '/v1.0/demo/rules', { ...rule, action }));
      await api.call('PUT', '/v1.0/demo', { windowsize: 1 });
      await api.call('POST', '/v1.0/demo/servers/web-1/subscription', { ...hook, ruleId: made['ruleId'] });
      await cpu(api, 'web-1', 1);
    }
    await has('event: firing');
    stream.destroy();
  });

  it('loses no request when a node stops', async () => {
    const { a, b, addresses } = await nodes();
    const haproxy = await startHaproxy(addresses);
    for (const { api } of [a, b]) await api.call('GET', '/v1.0/demo');
    const through = await apiClient(haproxy.url);
    const over = new AbortController();
    let sent = 0;
    const statuses: number[] = [];
    const client = async (): Promise<void> => {
      while (!over.signal.aborted) statuses.push((await fact(through, (sent += 1) % 40)).status);
    };
    const clients = Promise.all(Array.from({ length: 8 }, client));
    await fetch(`${a.url}/health/ready`);
    await a.drain();
    expect(haproxy.state('a')).to.equal('DOWN');
    await a.close();
    const after = statuses.length;
    await eventually(
      () => (statuses.length > after + 200 ? true : undefined),
      SOON_MS,
      () => 'nobody answers',
    );
    over.abort();
    await clients;
    expect(statuses.filter((status) => status !== 200)).to.deep.equal([]);
  });
});
