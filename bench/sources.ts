import { Agent, type IncomingMessage, request } from 'node:http';
import { once } from 'node:events';
import { series, writeBody } from '../spec/policy/sources/write-requests.js';
import { subscribeServers } from './rules.js';
import { figureOf } from './pair.js';
import { median, ratio } from './ratios.js';
import { startMirzam } from './target.js';

/** Connections, each with servers of its own: 500 series in a request. */
const CONNECTIONS = 4;
const SERVERS_EACH = 125;
/** The metrics, and the attributes that measure them. */
const METRICS = [
  ['cpu', 'cpuLoadPct'],
  ['mem', 'usedMemPct'],
  ['hdd', 'freeSpacePct'],
  ['net', 'netLoadPct'],
] as const;
const VALUES = SERVERS_EACH * METRICS.length;
const AGE_MS = 10 * 86_400_000;

/** A way to send the values of some servers at one time. */
interface Way {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `of`: number of the connection. `at`: ms since the epoch. */
  readonly body: (of: number, at: number) => string | Buffer;
}

const valueOf = (server: number, metric: number, at: number): number =>
  ((server * 37 + metric * 61 + at / 1000) % 8_000) / 100;

const serversOf = (connection: number): readonly number[] =>
  Array.from({ length: SERVERS_EACH }, (_, i) => connection * SERVERS_EACH + i);

const remoteWrite: Way = {
  name: 'remote write',
  path: '/v1.0/demo/remote-write',
  headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
  body: (of, at) =>
    writeBody(
      'prometheus.WriteRequest',
      serversOf(of).flatMap((server) =>
        METRICS.map(([metric], i) => series(`server-${server}`, metric, valueOf(server, i, at), at)),
      ),
    ),
};

const notify: Way = {
  name: 'notify',
  path: '/v1.0/demo/notify',
  headers: { 'content-type': 'application/json' },
  body(of, at) {
    const observedAt = new Date(at).toISOString();
    const data = serversOf(of).map((server) => ({
      id: `server-${server}`,
      type: 'host',
      ...Object.fromEntries(
        METRICS.map(([, attribute], i) => [
          attribute,
          { type: 'Property', value: valueOf(server, i, at), observedAt },
        ]),
      ),
    }));
    return JSON.stringify({ type: 'Notification', data });
  },
};

/**
 * Measures the CPU time of the service for each value, sent by remote write with 500 series in a request, as a ratio to that
 * of facts by entity with the same values and times. Both alternate on one service.
 */
export async function measureSources(options: {
  readonly rounds: number;
  readonly seconds: number;
}): Promise<object> {
  const { rounds, seconds } = options;
  const mirzam = await startMirzam('mirzam');
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let at = Date.now() - AGE_MS;

  const send = async ({ path, headers, body }: Way, of: number, time: number): Promise<void> => {
    const bytes = body(of, time);
    const sent = request(mirzam.url + path, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-length': Buffer.byteLength(bytes) },
    });
    sent.end(bytes);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    if (answer.statusCode! >= 300) throw new Error(`${path} answered ${answer.statusCode}`);
  };
  /** Loads the service for some seconds. Returns its CPU time for each value, µs. */
  const load = async (way: Way): Promise<number> => {
    const before = await figureOf(mirzam.url, 'process_cpu_seconds_total');
    const end = performance.now() + seconds * 1_000;
    let values = 0;
    while (performance.now() < end) {
      at += 1_000;
      await Promise.all(Array.from({ length: CONNECTIONS }, (_, of) => send(way, of, at)));
      values += CONNECTIONS * VALUES;
    }
    return (((await figureOf(mirzam.url, 'process_cpu_seconds_total')) - before) / values) * 1e6;
  };

  try {
    await subscribeServers(mirzam.url);
    for (const way of [notify, remoteWrite]) await load(way);
    const runs: { readonly notify: number; readonly remoteWrite: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const first = round % 2 === 0 ? await load(remoteWrite) : undefined;
      const ofNotify = await load(notify);
      const run = { notify: ofNotify, remoteWrite: first ?? (await load(remoteWrite)) };
      runs.push(run);
      console.log(
        `round ${round + 1}  CPU of a value: ${run.notify.toFixed(2)} µs by notify, ${run.remoteWrite.toFixed(2)} µs by remote write`,
      );
    }
    const figures = { rounds, cpu: median(runs.map((run) => ratio(run.remoteWrite, run.notify))) };
    console.log(
      `\nCPU of a value by remote write, ${VALUES} series in a request: ${figures.cpu} of notify (median of ${rounds})`,
    );
    return figures;
  } finally {
    agent.destroy();
    await mirzam.stop();
  }
}
