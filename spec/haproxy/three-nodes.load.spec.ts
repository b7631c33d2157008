import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { apiClient } from '../e2e/api-client.js';
import { factsBody } from '../faults/stage/clients.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { nodesOnMongo } from '../faults/stage/nodes-on-mongo.js';
import { specHaproxy } from '../servers/haproxy.js';

const CLIENTS = 16;
const SERVERS = 60;
/** Answers between two changes. */
const ENOUGH = 300;
/** Longest time to an answer that is a failure, ms. */
const FAILED_MS = 2_000;

/** The answer to a fact. */
interface Told {
  /** The last change when it came. */
  readonly phase: string;
  readonly server: string;
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: string | undefined;
  readonly id: number | undefined;
  readonly why: string | undefined;
}

describe('three nodes behind HAProxy, under load', () => {
  const startHaproxy = specHaproxy();
  const nodes = nodesOnMongo();

  it('answer while one is killed, one stops, and one is added: 503 with Retry-After at worst', async () => {
    const [a, b, c] = await Promise.all([nodes().start(), nodes().start(), nodes().start()]);
    const host = ({ url }: { readonly url: string }): string => new URL(url).host;
    const haproxy = await startHaproxy({ a: host(a), b: host(b), c: host(c) });
    await (await apiClient(haproxy.url)).call('GET', '/v1.0/demo');

    const told: Told[] = [];
    let sent = 0;
    let phase = 'all';
    const over = new AbortController();
    const client = async (): Promise<void> => {
      while (!over.signal.aborted) {
        sent += 1;
        const answer = await fact(haproxy.url, `web-${sent % SERVERS}`);
        told.push({ phase, ...answer });
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    const answers = async (): Promise<void> => {
      const from = told.length;
      await eventually(
        () => (told.length >= from + ENOUGH ? true : undefined),
        SOON_MS,
        () => `${told.length - from} answers`,
      );
    };
    await answers();
    phase = 'kill';
    await a.kill('SIGKILL');
    await haproxy.until('a', 'DOWN');
    await answers();
    phase = 'stop';
    expect(await b.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    await answers();
    phase = 'add';
    const d = await nodes().start();
    await haproxy.reload({ c: host(c), d: host(d) });
    await answers();
    over.abort();
    await clients;

    for (const name of ['all', 'kill', 'stop', 'add']) console.log(`      ${figures(name, told)}`);
    const failed = told.filter(({ status }) => status !== 200);
    // The others are of nodes that change one server: the old one and the new one, when it moves.
    const byHaproxy = failed.filter(({ why = '' }) => /^(?:the node ended|no node) /.test(why));
    expect(byHaproxy.filter(({ phase: when }) => when !== 'kill')).to.deep.equal([]);
    for (const { status, retryAfter, ms } of failed) {
      expect(status).to.equal(503);
      expect(retryAfter).to.match(/^\d+$/);
      expect(ms).to.be.below(FAILED_MS);
    }
    const ids = told.flatMap(({ server, id }) => (id === undefined ? [] : [`${server} ${id}`]));
    expect(new Set(ids).size).to.equal(ids.length);
    const { nodes: listed } = (await (await fetch(`${d.url}/operator/nodes`)).json()) as { nodes: object[] };
    expect(listed).to.have.length(4);
  });
});

/** Sends a fact on a connection of its own. */
async function fact(url: string, server: string): Promise<Omit<Told, 'phase'>> {
  const begun = performance.now();
  const body = JSON.stringify(factsBody(1));
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  const sent = httpRequest(`${url}/v1.0/demo/servers/${server}`, { method: 'POST', agent: false, headers });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = JSON.parse(await text(response)) as {
    readonly id?: number;
    readonly error?: { readonly message: string };
  };
  const { statusCode: status = 0, headers: got } = response;
  const retryAfter = got['retry-after'];
  return {
    server,
    status,
    ms: performance.now() - begun,
    retryAfter,
    id: answer.id,
    why: answer.error?.message,
  };
}

function figures(phase: string, told: readonly Told[]): string {
  const those = told.filter((one) => one.phase === phase);
  const times = those.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = (share: number): string => `${Math.round(times[Math.floor(times.length * share)] ?? 0)} ms`;
  const failed = those.filter(({ status }) => status !== 200).length;
  const slowest = Math.round(times.at(-1) ?? 0);
  return `${phase}: ${those.length} answers, ${failed} × 503, p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${slowest} ms`;
}
