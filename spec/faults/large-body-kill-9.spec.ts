import { expect } from 'chai';
import { type ApiClient, apiClient, request } from '../e2e/api-client.js';
import {
  addSubscribedRule,
  ALWAYS,
  arrived,
  firedIn,
  okBody,
  windowSize,
  windowValues,
} from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { encoded, exportRequest, gauge, point, resource } from '../policy/sources/otlp/otlp-requests.js';
import { writeBody } from '../policy/sources/write-requests.js';
import { eventually, SOON_MS } from './stage/eventually.js';
import { launcher } from './stage/service-process.js';

const T = Date.now() - 3_600_000;
/** Number of values of a body: those of twenty commits. */
const COUNT = 20_000;
/** Size of the windows: the largest one, to see as many values as there can be. */
const WINDOW = 10_000;
const NEVER = { ...ALWAYS, condition: { cpu: { value: 100, operand: 'greater' } } };

/** Number of metrics of one time: those of fifteen commits. */
const METRICS = 60_000;
const [FIRST, LAST] = ['m0', `m${METRICS - 1}`] as const;

/** A body with many values of a server. */
interface LargeBody {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: (server: string, values: readonly number[]) => Buffer;
}

const BODIES: Readonly<Record<string, LargeBody>> = {
  'remote write': {
    path: 'remote-write',
    headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
    bytes: (instance, values) =>
      writeBody('prometheus.WriteRequest', [
        { labels: { __name__: 'cpu', instance }, samples: values.map((value, i) => [value, T + i]) },
      ]),
  },
  OTLP: {
    path: 'otlp/v1/metrics',
    headers: { 'content-type': 'application/x-protobuf' },
    bytes: (server, values) =>
      encoded(
        exportRequest(
          resource({ 'host.name': server }, gauge('cpu', ...values.map((value, i) => point(value, T + i)))),
        ),
        'protobuf',
      ),
  },
};

describe('a large body, while the service is killed', () => {
  const open = scenes();

  /** Starts a service. `send` sends a body; `killed` kills and restarts it once a server has facts, and returns their number. */
  async function stage() {
    const services = open.keep(
      await launcher({ WINDOW_MAX: String(WINDOW), METRICS: '*', BODY_LIMIT: '8388608' }),
      (one) => one.close(),
    );
    const started = async () => {
      const service = await services.start();
      return { service, api: await apiClient(service.url) };
    };
    let running = await started();
    const factsOf = async (): Promise<Readonly<Record<string, number>>> => {
      const { servers } = okBody(await running.api.call('GET', '/operator/servers')) as unknown as Servers;
      return Object.fromEntries(servers.map(({ serverId, lastFact }) => [serverId, lastFact?.id ?? 0]));
    };
    const api: ApiClient = { token: running.api.token, call: (...args) => running.api.call(...args) };
    return {
      api,
      factsOf,
      send: (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
        request(`${running.service.url}/v1.0/demo/${path}`, 'POST', body, headers),
      killedOnceIn: async (servers: readonly string[]): Promise<void> => {
        const isIn = async () => {
          const facts = await factsOf();
          return servers.some((server) => (facts[server] ?? 0) > 0) ? true : undefined;
        };
        await eventually(isIn, SOON_MS, () => 'no facts');
        await running.service.kill('SIGKILL');
        running = await started();
      },
    };
  }

  for (const [name, { path, headers, bytes }] of Object.entries(BODIES)) {
    it(`has each of its values counted once if it is sent again: ${name}`, async () => {
      const { api, factsOf, send, killedOnceIn } = await stage();
      const { origin } = await open.receiver();
      await windowSize(api, WINDOW);
      const { ruleId } = await addSubscribedRule(api, 'web-1', origin, NEVER);
      const values = Array.from({ length: COUNT }, (_, i) => 1 + ((i * 7) % 97));
      const body = bytes('web-1', values);
      const answer = send(path, body, headers).catch(() => undefined);
      await killedOnceIn(['web-1']);
      expect(await answer, 'an answer').to.equal(undefined);
      const before = (await factsOf())['web-1']!;
      expect(before, 'facts that were committed before the kill').to.be.within(1, COUNT - 1);

      for (let i = 0; i < 2; i += 1) {
        expect((await send(path, body, headers)).status).to.be.oneOf([200, 204]);
        expect((await factsOf())['web-1']).to.equal(COUNT);
      }
      expect((await windowValues(api, 'web-1', ruleId))['cpu']).to.deep.equal(values.slice(-WINDOW));
    });
  }

  it('has each rule evaluated once for its metrics of one time if it is sent again', async () => {
    const { api, factsOf, send, killedOnceIn } = await stage();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const above = { value: 1, operand: 'greater' };
    const conditions = [{ [FIRST]: above }, { [LAST]: above }, { [FIRST]: above, [LAST]: above }];
    const ruleIds: string[] = [];
    for (const [i, condition] of conditions.entries()) {
      const rule = { ...ALWAYS, name: `rule ${i}`, condition };
      ruleIds.push((await addSubscribedRule(api, 'web-1', `${receiver.origin}/${i}`, rule)).ruleId);
    }
    const metrics = Array.from({ length: METRICS }, (_, i) => gauge(`m${i}`, point(7, T)));
    const body = encoded(exportRequest(resource({ 'host.name': 'web-1' }, ...metrics)), 'protobuf');
    const { path, headers } = BODIES['OTLP']!;
    const answer = send(path, body, headers).catch(() => undefined);
    await killedOnceIn(['web-1']);
    expect(await answer, 'an answer').to.equal(undefined);
    expect((await factsOf())['web-1'], 'facts before the kill').to.be.within(1, METRICS / 1_000 - 1);

    for (let i = 0; i < 2; i += 1) expect((await send(path, body, headers)).status).to.equal(200);
    await arrived(receiver, conditions.length);
    expect(await windowValues(api, 'web-1', ruleIds[2]!)).to.deep.equal({ [FIRST]: [7], [LAST]: [7] });
    // A message that was sent before the kill may come again, with its id.
    const messages = new Map(firedIn(receiver.got).map(({ id, ruleName }) => [id, ruleName]));
    expect([...messages.values()].toSorted()).to.deep.equal(['rule 0', 'rule 1', 'rule 2']);
  });

  it('is in each server whole or not at all, and in all if it was answered: measurements without times', async () => {
    const { api, factsOf, send, killedOnceIn } = await stage();
    await api.call('GET', '/v1.0/demo');
    const servers = Array.from({ length: 20 }, (_, i) => `web-${i}`);
    const each = 300;
    const elements = servers.flatMap((id) =>
      Array.from({ length: each }, (_, i) => ({
        contextElement: { id, type: 'host', attributes: [{ name: 'cpuLoadPct', value: String(i % 100) }] },
        statusCode: { code: '200' },
      })),
    );
    const answer = send('notify', { contextResponses: elements }).catch(() => undefined);
    await killedOnceIn(servers);
    const answered = await answer;
    const before = await factsOf();
    const allowed = answered === undefined ? [undefined, each] : [each];
    for (const server of servers) expect(before[server], server).to.be.oneOf(allowed);
    okBody(await send('notify', { contextResponses: elements }));
    const after = await factsOf();
    for (const server of servers) expect(after[server], server).to.equal((before[server] ?? 0) + each);
  });
});

interface Servers {
  readonly servers: readonly {
    readonly serverId: string;
    readonly lastFact: { readonly id: number } | null;
  }[];
}
