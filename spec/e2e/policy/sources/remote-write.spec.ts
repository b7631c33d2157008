import { expect } from 'chai';
import { compressSync } from 'snappy';
import type { RemoteWriteMessage } from '../../../../src/policy/sources/remote-write.js';
import { series, type SentSeries, writeBody } from '../../../policy/sources/write-requests.js';
import { type ApiAnswer, request } from '../../api-client.js';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';
import {
  addRule,
  addSubscribedRule,
  ALWAYS,
  cpu,
  okBody,
  subscribe,
  windowSize,
  windowValues,
} from '../actions.js';

const V1: RemoteWriteMessage = 'prometheus.WriteRequest';
const V2: RemoteWriteMessage = 'io.prometheus.write.v2.Request';
const T = Date.now() - 60_000;

const typeOf = (message: RemoteWriteMessage): string =>
  message === V1 ? 'application/x-protobuf' : `application/x-protobuf;proto=${V2}`;

/** Sends a body without a token, as a Prometheus does that has no authorization. */
function send(
  url: string,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
  tenant = 'demo',
): Promise<ApiAnswer> {
  return request(`${url}/v1.0/${tenant}/remote-write`, 'POST', body, {
    'content-type': typeOf(V1),
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '0.1.0',
    ...headers,
  });
}

/** Returns the numbers of samples, histograms and exemplars that an answer says were written. */
function written({ status, text, headers }: ApiAnswer): readonly (string | null)[] {
  expect(status, text).to.equal(204);
  return ['Samples', 'Histograms', 'Exemplars'].map((what) =>
    headers.get(`X-Prometheus-Remote-Write-${what}-Written`),
  );
}

/** Returns an element of `leftOut` without the time of its arrival. */
function withoutArrival(element: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(element).filter(([name]) => name !== 'at'));
}

describe('remote write', () => {
  const open = scenes();

  for (const message of [V1, V2]) {
    it(`takes each sample of ${message} as a value of its server`, async () => {
      const { url, api } = await open.service();
      const { origin } = await open.receiver();
      await windowSize(api, 3);
      const ruleId = await addRule(api, 'web-1:9100');
      await subscribe(api, 'web-1:9100', ruleId, origin);
      const all: SentSeries[] = [
        { ...series('web-1:9100', 'cpu', 50, T), histograms: 2, exemplars: 1 },
        series('web-1:9100', 'mem', 40, T),
        series('web-1:9100', 'cpu', 60, T + 1_000),
        series('web-2:9100', 'cpu', 70, T),
        series('web-2:9100', 'up', 1, T),
      ];
      const type = { 'content-type': typeOf(message) };
      const answer = await send(url, writeBody(message, all), type);
      expect(answer.text).to.equal('');
      expect(written(answer)).to.deep.equal(['5', '2', '1']);
      expect((await windowValues(api, 'web-1:9100', ruleId))['cpu']).to.deep.equal([50, 60]);
      // The same once more, as after an answer that was lost, with a value that is new.
      expect(
        written(
          await send(url, writeBody(message, [...all, series('web-1:9100', 'cpu', 80, T + 2_000)]), type),
        ),
      ).to.deep.equal(['6', '2', '1']);
      expect((await windowValues(api, 'web-1:9100', ruleId))['cpu']).to.deep.equal([50, 60, 80]);
      const { lastFact } = okBody(
        await api.call('GET', `/v1.0/demo/servers/web-1:9100/rules/${ruleId}/explain`),
      );
      expect(lastFact).to.deep.include({ id: 3, source: 'remote-write' });
      const { history } = okBody(await api.call('GET', '/v1.0/demo/servers/web-1:9100/history'));
      expect((history as unknown as readonly object[])[0]).to.deep.include({
        factId: 3,
        source: 'remote-write',
      });
    });
  }

  it('is named as the source by explain and by the history', async () => {
    const { url, api } = await open.service();
    const { origin } = await open.receiver();
    await windowSize(api, 1);
    const { ruleId } = await addSubscribedRule(api, 'web-1', origin, {
      ...ALWAYS,
      condition: { cpu: { value: 50, operand: 'greater' } },
    });
    const explain = `/v1.0/demo/servers/web-1/rules/${ruleId}/explain`;
    await send(url, writeBody(V1, [series('web-1', 'cpu', 90, T)]));
    expect(okBody(await api.call('GET', explain))['lastFact']).to.deep.include({
      id: 1,
      source: 'remote-write',
    });
    await cpu(api, 'web-1', 10);
    expect(okBody(await api.call('GET', explain))['lastFact']).to.have.all.keys('id', 'at');
    await send(url, writeBody(V1, [series('web-1', 'cpu', 20, T + 1)]));
    await send(url, writeBody(V1, [series('web-1', 'cpu', 95, T + 2)]));
    const { history } = okBody(await api.call('GET', '/v1.0/demo/servers/web-1/history')) as unknown as {
      readonly history: readonly { readonly to: string; readonly factId: number; readonly source?: string }[];
    };
    expect(history.map(({ to, factId, source }) => [to, factId, source])).to.deep.equal([
      ['firing', 4, 'remote-write'],
      ['calm', 2, undefined],
      ['firing', 1, 'remote-write'],
    ]);
  });

  it('says what it left out, and why, to tenants, to operators and in the metrics', async () => {
    const { url, api } = await open.service({ METRICS: 'queue:0..10' });
    await api.call('GET', '/v1.0/demo');
    const before = await (await fetch(`${url}/metrics`)).text();
    expect(before).not.to.include('reason="no metric"');
    const good = series('web-1', 'cpu', 50, T);
    await send(
      url,
      writeBody(V1, [good, series('web-1', 'queue', 5, T), series('web-1', 'queue', 11, T + 1)]),
    );
    await send(
      url,
      writeBody(V1, [
        good,
        series('', 'cpu', 1, T),
        series('web-2', 'cpu', NaN, T),
        series('web-1', 'up', 1, T),
      ]),
    );
    const { sources } = okBody(await api.call('GET', '/v1.0/demo/sources')) as unknown as {
      readonly sources: readonly {
        readonly tenantId: string;
        readonly leftOut: readonly Readonly<Record<string, unknown>>[];
      }[];
    };
    expect(sources).to.have.lengthOf(1);
    const { tenantId, leftOut } = sources[0]!;
    expect(sources[0]).to.deep.include({ source: 'remote-write', requests: 2, counted: 2 });
    const time = new Date(T).toISOString();
    expect(leftOut.map(withoutArrival)).to.deep.equal([
      {
        why: 'out of range',
        count: 1,
        server: 'web-1',
        metric: 'queue',
        value: '11',
        time: new Date(T + 1).toISOString(),
      },
      { why: 'no server', count: 1, server: '', metric: 'cpu', value: '1', time },
      { why: 'not a number', count: 1, server: 'web-2', metric: 'cpu', value: 'NaN', time },
      { why: 'no metric', count: 1, server: 'web-1', metric: 'up', value: '1', time },
      { why: 'repeated', count: 1, server: 'web-1', metric: 'cpu', value: null, time: null },
    ]);
    const asked = okBody(await api.call('GET', '/operator/sources?tenant=demo&limit=1'));
    expect(asked).to.deep.equal({ sources });
    expect(okBody(await api.call('GET', '/operator/sources?tenant=other'))).to.deep.equal({ sources: [] });
    expect(tenantId).to.be.a('string');
    const metrics = await (await fetch(`${url}/metrics`)).text();
    for (const why of ['no server', 'not a number', 'no metric', 'out of range', 'repeated'])
      expect(metrics).to.match(new RegExp(`^mirzam_values_ignored_total\\{reason="${why}"\\} 1$`, 'm'));
  });

  it('refuses with 415 what is of another type or encoding, and takes what has none as snappy of 1.0', async () => {
    const { url, api } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const body = writeBody(V1, [series('web-1', 'cpu', 50, T)]);
    for (const type of [
      'application/json',
      'application/x-protobuf;proto=io.prometheus.write.v3.Request',
      'application/x-protobuf2',
      'text/plain',
    ])
      expectRefusal(
        await send(url, body, { 'content-type': type }),
        415,
        'Content-Type must be application/x-protobuf',
      );
    for (const encoding of ['gzip', 'zstd', 'identity'])
      expectRefusal(
        await send(url, body, { 'content-encoding': encoding }),
        415,
        'Content-Encoding must be snappy',
      );
    for (const type of [
      'Application/X-Protobuf; proto="prometheus.WriteRequest"',
      'application/x-protobuf; charset=x',
    ])
      expect(written(await send(url, body, { 'content-type': type }))).to.deep.equal(['1', '0', '0']);
    const answer = await fetch(`${url}/v1.0/demo/remote-write`, {
      method: 'POST',
      body: new Uint8Array(body),
    });
    expect(answer.status).to.equal(204);
  });

  it('refuses with 400 what cannot be read, and with 413 what is too long inflated, and counts nothing of it', async () => {
    const { url, api } = await open.service({ BODY_LIMIT: '4096' });
    await api.call('GET', '/v1.0/demo');
    const good = writeBody(V1, [series('web-1', 'cpu', 50, T)]);
    expectRefusal(await send(url, Buffer.alloc(0)), 400, 'not a block of snappy');
    expectRefusal(await send(url, good.subarray(0, -1)), 400, 'not a block of snappy');
    expectRefusal(await send(url, compressSync(Buffer.from('{"a": 1}'))), 400, 'not a protobuf message');
    const labels = { 'content-type': typeOf(V2) };
    expectRefusal(
      await send(url, compressSync(Buffer.from([0x2a, 3, 0x0a, 1, 5])), labels),
      400,
      'labels_refs',
    );
    expectRefusal(
      await send(url, compressSync(Buffer.alloc(4097))),
      413,
      'must not exceed 4096 bytes, inflated',
    );
    expectRefusal(
      await send(url, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0])),
      413,
      'must not exceed 4096 bytes',
    );
    expectRefusal(await send(url, Buffer.alloc(5000, 1)), 413, 'must not exceed 4096 bytes');
    expect(okBody(await api.call('GET', '/operator/actors?kind=server'))).to.deep.include({ actors: [] });
    const { refusals } = okBody(await api.call('GET', '/operator/refusals')) as unknown as {
      refusals: { path: string; status: number }[];
    };
    expect(new Set(refusals.map(({ path }) => path))).to.deep.equal(new Set(['/v1.0/demo/remote-write']));
    expect(refusals.map(({ status }) => status)).to.include.members([400, 413]);
  });

  it('does not know the tenant of a stranger', async () => {
    const { url } = await open.service();
    const body = writeBody(V1, [series('web-1', 'cpu', 50, T)]);
    expectRefusal(await send(url, body, {}, 'nobody'), 404, 'nobody');
    expectRefusal(await send(url, body, {}, 'no%20body'), 400, 'tenantId');
  });

  it('takes the key of facts as a bearer, and in its own header', async () => {
    const key = 'k'.repeat(24);
    const { url, api } = await open.service({ FACTS_AUTH: 'key', FACTS_KEY: key });
    await api.call('GET', '/v1.0/demo');
    const body = writeBody(V1, [series('web-1', 'cpu', 50, T)]);
    const wrong: readonly Readonly<Record<string, string>>[] = [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: `Basic ${key}` },
      { 'x-facts-key': 'wrong', authorization: `Bearer ${key}` },
    ];
    for (const headers of wrong) expectRefusal(await send(url, body, headers), 401, 'key of facts');
    const right: typeof wrong = [{ authorization: `Bearer ${key}` }, { 'x-facts-key': key }];
    for (const headers of right)
      expect(written(await send(url, body, headers))).to.deep.equal(['1', '0', '0']);
    // Operation 1 takes the key in its own header alone.
    const facts = { data: [{ id: 'a', cpuLoadPct: 1 }] };
    expectRefusal(
      await request(`${url}/v1.0/demo/notify`, 'POST', facts, { authorization: `Bearer ${key}` }),
      401,
      'X-Facts-Key',
    );
  });

  it('takes a token of the tenant as a bearer', async () => {
    const { url, api } = await open.service({ FACTS_AUTH: 'token' });
    const body = writeBody(V1, [series('web-1', 'cpu', 50, T)]);
    expectRefusal(await send(url, body), 401, 'X-Auth-Token is missing');
    expect(written(await send(url, body, { authorization: `Bearer ${api.token}` }))).to.deep.equal([
      '1',
      '0',
      '0',
    ]);
    expectRefusal(await send(url, body, { authorization: `Bearer ${api.token}` }, 'other'), 403, 'tenantId');
  });

  it('takes more than 1,000 possible messages in one request', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'web-1', {
      ...ALWAYS,
      condition: { cpu: { value: 0, operand: 'less' } },
    });
    for (const i of [1, 2, 3]) await subscribe(api, 'web-1', ruleId, `${receiver.origin}/${i}`);
    const all = Array.from({ length: 700 }, (_, i) => series('web-1', 'cpu', i % 100, T - 700 + i));
    expect(written(await send(url, writeBody(V1, all)))).to.deep.equal(['700', '0', '0']);
    const { lastFact } = okBody(await api.call('GET', `/v1.0/demo/servers/web-1/rules/${ruleId}/explain`));
    expect(lastFact).to.deep.include({ id: 700 });
  });

  it('lists the values that a limit of the tenant refuses, and takes the others', async () => {
    const { url, api } = await open.service({ TENANT_SERVERS: '1' });
    await api.call('GET', '/v1.0/demo');
    await send(url, writeBody(V1, [series('web-1', 'cpu', 50, T)]));
    const all = [series('web-1', 'cpu', 51, T + 1), series('web-2', 'cpu', 52, T)];
    expect(written(await send(url, writeBody(V1, all)))).to.deep.equal(['2', '0', '0']);
    const { refusals } = okBody(await api.call('GET', '/operator/refusals')) as unknown as {
      refusals: { path: string; status: number; message: string }[];
    };
    expect(refusals).to.have.lengthOf(1);
    expect(refusals[0]).to.deep.include({ status: 200 });
    expect(refusals[0]!.message).to.match(/^1 value refused: server web-2: /);
  });
});
