import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import protobuf from 'protobufjs';
import {
  encoded,
  exportRequest,
  gauge,
  point,
  resource,
  sum,
} from '../../../policy/sources/otlp/otlp-requests.js';
import { scenes } from '../../scene.js';
import { addSubscribedRule, arrived, firedIn, okBody, windowSize, windowValues } from '../actions.js';

const { root } = protobuf.parse(`
  syntax = "proto3";
  message ExportMetricsServiceResponse { ExportMetricsPartialSuccess partial_success = 1; }
  message ExportMetricsPartialSuccess { int64 rejected_data_points = 1; string error_message = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message Any { string type_url = 1; bytes value = 2; }
  message BadRequest { repeated FieldViolation field_violations = 1; }
  message FieldViolation { string field = 1; string description = 2; }
`);

/** Returns a message of protobuf as JSON has it. */
const decoded = (name: string, bytes: Uint8Array): Record<string, unknown> => {
  const type = root.lookupType(name);
  return type.toObject(type.decode(bytes), { longs: String });
};

const TYPES = { protobuf: 'application/x-protobuf', json: 'application/json' } as const;
type Encoding = keyof typeof TYPES;
const ENCODINGS = Object.keys(TYPES) as readonly Encoding[];

interface Sent {
  readonly status: number;
  readonly type: string | null;
  readonly retryAfter: string | null;
  /** The answer, whatever its encoding. */
  readonly answer: Record<string, unknown>;
}

interface SendOptions {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const NEVER = {
  name: 'never',
  condition: { cpu: { value: 100, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};
const PATH = '/v1.0/demo/otlp/v1/metrics';
const NOW = Date.now();

/** Sends bytes as they are, or a request in an encoding. */
async function send(
  url: string,
  encoding: Encoding,
  request: object | Buffer,
  { path = PATH, headers = {} }: SendOptions = {},
): Promise<Sent> {
  const plain = Buffer.isBuffer(request) ? request : encoded(request, encoding);
  const body = new Uint8Array(headers['content-encoding'] === 'gzip' ? gzipSync(plain) : plain);
  const type = { 'content-type': TYPES[encoding] };
  const response = await fetch(url + path, { method: 'POST', headers: { ...type, ...headers }, body });
  const bytes = Buffer.from(await response.arrayBuffer());
  const name = response.ok ? 'ExportMetricsServiceResponse' : 'Status';
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    retryAfter: response.headers.get('retry-after'),
    answer: encoding === 'json' ? (JSON.parse(bytes.toString()) as Sent['answer']) : decoded(name, bytes),
  };
}

const cpuOf = (server: string, value: number, at: number) =>
  exportRequest(resource({ 'host.name': server }, gauge('cpu', point(value, at))));

describe('Metrics of OTLP', () => {
  const open = scenes();

  for (const encoding of ENCODINGS) {
    describe(`in ${encoding}`, () => {
      it('are facts, those of one time one, and counted once however often they are sent', async () => {
        const { api, url } = await open.service({ METRICS: 'queue_length,jobs:0..100' });
        const receiver = await open.receiver();
        await windowSize(api, 3);
        const rule = {
          name: 'three',
          condition: {
            cpu: { value: 20, operand: 'greater equal' },
            queue_length: { value: 2, operand: 'less' },
          },
          action: { actionName: 'notify-scale', operation: 'scaleUp' },
        };
        const { ruleId } = await addSubscribedRule(api, 'web-1', receiver.origin, rule);
        const times = [NOW + 2_000, NOW, NOW + 1_000];
        const request = exportRequest(
          resource(
            { 'host.name': 'web-1' },
            gauge('cpu', ...times.map((at, i) => point(10 + i * 10, at))),
            sum('queue.length', ...times.map((at) => point(1n, at))),
            sum('requests', point(7n, NOW)),
          ),
        );
        const taken = await send(url, encoding, request);
        expect(taken).to.deep.include({ status: 200, type: TYPES[encoding], answer: {} });
        const again = await send(url, encoding, request, { headers: { 'content-encoding': 'gzip' } });
        expect(again).to.deep.include({ status: 200, type: TYPES[encoding] });
        expect(again.answer['partialSuccess']).to.deep.include({ rejectedDataPoints: '6' });
        expect(await windowValues(api, 'web-1', ruleId)).to.deep.equal({
          cpu: [20, 30, 10],
          queue_length: [1, 1, 1],
        });
        const [fired] = firedIn(await arrived(receiver, 1));
        expect(fired).to.deep.include({ factId: 3, measures: { cpu: 20, queue_length: 1 } });
        expect(receiver.got).to.have.length(1);
      });

      it('count once in requests that come in any order', async () => {
        const { api, url } = await open.service();
        const receiver = await open.receiver();
        await windowSize(api, 4);
        const { ruleId } = await addSubscribedRule(api, 'web-1', receiver.origin, NEVER);
        const sent = (value: number) => send(url, encoding, cpuOf('web-1', value, NOW + value));
        for (const value of [1, 4, 2, 5, 3]) expect((await sent(value)).answer).to.deep.equal({});
        for (const value of [2, 4, 5]) {
          const { partialSuccess } = (await sent(value)).answer as { readonly partialSuccess: object };
          expect(partialSuccess).to.deep.equal({
            rejectedDataPoints: '1',
            errorMessage: 'values left out: 1 repeated (the last: "cpu" of "web-1")',
          });
        }
        expect(await windowValues(api, 'web-1', ruleId)).to.deep.equal({ cpu: [2, 3, 4, 5] });
      });

      it('are taken whole, and in order, from a body that a thread reads', async () => {
        const { api, url } = await open.service();
        await windowSize(api, 3);
        const { ruleId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', NEVER);
        const points = Array.from({ length: 5_000 }, (_, i) => point((i + 1) / 100, NOW + i));
        const request = exportRequest(resource({ 'host.name': 'web-1' }, gauge('cpu', ...points)));
        expect((await send(url, encoding, request)).answer).to.deep.equal({});
        expect(await windowValues(api, 'web-1', ruleId)).to.deep.equal({ cpu: [49.98, 49.99, 50] });
        const path = `/v1.0/demo/servers/web-1/rules/${ruleId}/explain`;
        expect(okBody(await api.call('GET', path))['lastFact']).to.deep.include({ id: 5_000 });
        const again = await send(url, encoding, request);
        expect(again.answer['partialSuccess']).to.deep.include({ rejectedDataPoints: '5000' });
        expect((await send(url, encoding, Buffer.alloc(100_000, '{'))).status).to.equal(400);
      });

      it('say which values of known metrics were left out, and why', async () => {
        const { api, url } = await open.service();
        await api.call('GET', '/v1.0/demo');
        const request = exportRequest(
          resource(
            { 'host.name': 'web 1' },
            gauge('cpu', point(50, NOW), point(60, NOW)),
            gauge('mem', point(101, NOW), point(Number.NaN, NOW + 1)),
            gauge('hdd', { asDouble: 1 }),
            gauge('other', point(1, NOW)),
          ),
          resource({}, gauge('net', point(1, NOW))),
        );
        const { status, answer } = await send(url, encoding, request);
        expect(status).to.equal(200);
        expect(answer).to.deep.equal({
          partialSuccess: {
            rejectedDataPoints: '5',
            errorMessage:
              'values left out: 1 repeated (the last: "cpu" of "web 1"); 1 out of range (the last: "mem" of "web 1"); ' +
              '1 not a number (the last: "mem" of "web 1"); 1 no time (the last: "hdd" of "web 1"); ' +
              '1 no server (the last: "net" of no server)',
          },
        });
        expect((await send(url, encoding, exportRequest())).answer).to.deep.equal({});
      });

      it('are refused with a Status', async () => {
        const { api, url } = await open.service({
          FACTS_AUTH: 'key',
          FACTS_KEY: 'secret',
          BODY_LIMIT: '100KiB',
        });
        await api.call('GET', '/v1.0/demo');
        const good = cpuOf('web-1', 50, NOW);
        const bearer = { authorization: 'Bearer secret' };
        const bomb = { ...bearer, 'content-encoding': 'gzip' };
        for (const [status, request, options] of [
          [401, good, {}],
          [401, good, { headers: { authorization: 'Bearer secrets' } }],
          [404, good, { headers: bearer, path: '/v1.0/nobody/otlp/v1/metrics' }],
          [413, Buffer.alloc(200_000, ' '), { headers: bearer }],
          [413, Buffer.alloc(50_000_000, ' '), { headers: bomb }],
          [415, good, { headers: { ...bearer, 'content-encoding': 'br' } }],
          [400, Buffer.from('}{'), { headers: bearer }],
          [400, Buffer.from('no gzip'), { headers: { ...bearer, 'content-encoding': 'deflate' } }],
        ] as const) {
          const sent = await send(url, encoding, request, options);
          expect([sent.status, sent.type], String(sent.answer['message'])).to.deep.equal([
            status,
            TYPES[encoding],
          ]);
          expect(sent.answer['message']).to.be.a('string').and.not.equal('');
          expect(sent.answer['details'] !== undefined).to.equal(status === 400);
        }
        const headers = [bearer, { 'x-facts-key': 'secret' }];
        for (const one of headers) {
          expect(await send(url, encoding, good, { headers: one })).to.include({ status: 200 });
        }
      });

      it('are to be sent again after a 429, when its Retry-After says', async () => {
        const { api, url } = await open.service({ TENANT_RATE: '1' });
        await api.call('GET', '/v1.0/demo');
        const sent = await Promise.all(
          [1, 2, 3, 4].map((i) => send(url, encoding, cpuOf('web-1', i, NOW + i))),
        );
        const refused = sent.filter(({ status }) => status !== 200);
        expect(refused).not.to.deep.equal([]);
        for (const { status, type, retryAfter, answer } of refused) {
          expect([status, type]).to.deep.equal([429, TYPES[encoding]]);
          expect(Number(retryAfter)).to.be.greaterThan(0);
          expect(answer).to.have.keys('message');
        }
      });
    });
  }

  it('name OpenTelemetry as the source of a fact, in explain and history, also after a restart', async () => {
    const DATA_DIR = await open.folder();
    const first = await open.service({ DATA_DIR });
    await windowSize(first.api, 1);
    const { ruleId } = await addSubscribedRule(first.api, 'web-1', 'http://127.0.0.1:9/');
    await send(first.url, 'json', cpuOf('web-1', 50, NOW));
    await first.close();
    const { api } = await open.service({ DATA_DIR });
    const path = '/v1.0/demo/servers/web-1';
    expect(okBody(await api.call('GET', `${path}/rules/${ruleId}/explain`))['lastFact']).to.deep.include({
      source: 'otlp',
    });
    const { history } = okBody(await api.call('GET', `${path}/history`)) as unknown as {
      readonly history: readonly object[];
    };
    expect(history[0]).to.deep.include({ to: 'firing', source: 'otlp' });
  });

  it('have a Status in JSON for a request of another type', async () => {
    const { api, url } = await open.service();
    await api.call('GET', '/v1.0/demo');
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-protobuffer' },
    ]) {
      const { status, type, answer } = await send(url, 'json', {}, { headers });
      expect([status, type]).to.deep.equal([415, 'application/json']);
      expect(answer['message']).to.contain('application/x-protobuf or application/json');
    }
    const get = await fetch(url + PATH);
    expect([get.status, get.headers.get('allow')]).to.deep.equal([405, 'OPTIONS, POST']);
    expect(await get.json()).to.have.keys('message');
  });

  it('say in a Status of protobuf what is wrong with a body', async () => {
    const { api, url } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const { status, answer } = await send(url, 'protobuf', Buffer.from('{"resourceMetrics":[]}'));
    expect(status).to.equal(400);
    const message = String(answer['message']);
    expect(message).to.match(/^the body is not a protobuf message of type ExportMetricsServiceRequest/);
    const [detail] = answer['details'] as [{ typeUrl: string; value: Uint8Array }];
    expect(detail.typeUrl).to.equal('type.googleapis.com/google.rpc.BadRequest');
    expect(decoded('BadRequest', detail.value)).to.deep.equal({
      fieldViolations: [{ description: message }],
    });
  });
});
