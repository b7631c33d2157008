import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Receiver } from '../delivery/senders/receiver.js';
import { addSubscribedRule, arrived, cpu, factsBody, okBody, windowSize } from '../e2e/policy/actions.js';
import { type Scene, scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { attributeOf, type SentSpan, spansAt } from './collector.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

describe('traces', () => {
  const open = scenes();

  const traced = (collector: { readonly origin: string }, settings: Readonly<Record<string, string>> = {}) =>
    open.service({ TRACING: 'on', OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin, ...settings });

  /** Sends a measurement that fires, as a traced caller does. */
  const fire = (url: string, flags = '01'): Promise<Response> =>
    fetch(`${url}/demo/servers/web-1?secret=in-query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: `00-${TRACE_ID}-${CALLER}-${flags}` },
      body: JSON.stringify(factsBody({ cpuLoadPct: '7' })),
    });

  const watched = async ({ api }: Scene, receiver: Receiver): Promise<void> => {
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', `${receiver.origin}/secret-path?key=secret-key`);
  };

  const inTrace = (collector: Receiver): readonly SentSpan[] =>
    spansAt(collector).filter(({ traceId }) => traceId === TRACE_ID);
  const named = (spans: readonly SentSpan[], name: string): SentSpan => {
    const found = spans.find((span) => span.name === name);
    expect(found, `${name} in ${spans.map((span) => span.name).join(', ')}`).to.not.equal(undefined);
    return found!;
  };

  it('lead from the request over the decision and its commit to the webhook', async () => {
    const [collector, receiver] = [await open.receiver(), await open.receiver()];
    const service = await traced(collector, { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s3cret' });
    await watched(service, receiver);
    expect((await fire(service.url)).status).to.equal(200);
    const [webhook] = await arrived(receiver, 1);
    await service.close();

    expect(collector.got[0]).to.include({ url: '/v1/traces', method: 'POST' });
    expect(collector.got[0]!.headers).to.include({ 'api-key': 's3cret' });
    const spans = inTrace(collector);
    const request = spans.find(({ kind }) => kind === 2)!;
    const decision = named(spans, 'server facts');
    const commit = spans.find(
      ({ name, parentSpanId }) => name === 'store commit' && parentSpanId === decision.spanId,
    );
    const attempt = named(spans, 'POST');
    expect(request.parentSpanId).to.equal(CALLER);
    expect(decision.parentSpanId).to.equal(request.spanId);
    expect(commit).to.not.equal(undefined);
    expect(attempt.parentSpanId).to.equal(decision.spanId);
    expect(webhook!.headers['traceparent']).to.equal(`00-${TRACE_ID}-${attempt.spanId}-01`);
    expect(request.name).to.match(/^POST \/.*:serverId/);
    expect(attributeOf(request, 'http.request.method')).to.equal('POST');
    expect(attributeOf(request, 'url.path')).to.equal('/demo/servers/web-1');
    expect(attributeOf(request, 'http.response.status_code')).to.equal('200');
    expect(attributeOf(attempt, 'url.full')).to.equal(receiver.origin);
    expect(attributeOf(attempt, 'http.response.status_code')).to.equal('200');
    for (const { body } of collector.got) expect(body).to.not.match(/secret|s3cret|in-query/);
  });

  it('have the retry of a webhook after a restart', async () => {
    const collector = await open.receiver();
    let busy = true;
    const receiver = await open.receiver((response) => {
      if (busy) response.writeHead(503);
      response.end();
    });
    const DATA_DIR = await open.folder();
    const first = await traced(collector, { DATA_DIR });
    await watched(first, receiver);
    await fire(first.url);
    await arrived(receiver, 1);
    await first.close();
    busy = false;
    const tried = receiver.got.length;
    const second = await traced(collector, { DATA_DIR });
    const got = await arrived(receiver, tried + 1);
    await second.close();
    const attempts = inTrace(collector).filter(({ name }) => name === 'POST');
    const decision = named(inTrace(collector), 'server facts');
    expect(attempts).to.have.lengthOf(got.length);
    expect(new Set(attempts.map(({ parentSpanId }) => parentSpanId))).to.deep.equal(
      new Set([decision.spanId]),
    );
    expect(attempts.map(({ spanId }) => `00-${TRACE_ID}-${spanId}-01`)).to.have.members(
      got.map(({ headers }) => headers['traceparent']),
    );
  });

  it('are neither sent nor passed on if the sampler leaves all out', async () => {
    const [collector, receiver] = [await open.receiver(), await open.receiver()];
    const service = await traced(collector, {
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    });
    await watched(service, receiver);
    await cpu(service.api, 'web-1', 7);
    await fire(service.url, '00');
    const got = await arrived(receiver, 2);
    await service.close();
    expect(collector.got).to.be.empty;
    for (const { headers } of got) expect(headers).to.not.have.property('traceparent');
  });

  it('lead from an operation of the ledger to the transaction sent and its receipt', async () => {
    const collector = await open.receiver();
    const service = await traced(collector, { LEDGER: 'on' });
    const answer = await fetch(`${service.url}/ngsi-ld/v1/entities/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: `00-${TRACE_ID}-${CALLER}-01` },
      body: JSON.stringify({ id: 'urn:a:traced', type: 'T' }),
    });
    expect(answer.ok, await answer.text()).to.equal(true);
    await service.close();
    const spans = inTrace(collector);
    const request = spans.find(({ kind }) => kind === 2)!;
    for (const name of ['ledger sign', 'eth_sendRawTransaction', 'ledger receipt'])
      expect(named(spans, name).parentSpanId, name).to.equal(request.spanId);
  });

  it('do not disturb the service if they cannot be sent, which it logs', async () => {
    const collector = await open.receiver((response) => response.writeHead(400).end());
    const receiver = await open.receiver();
    const service = await traced(collector, { LOG_LEVEL: 'warn' });
    await watched(service, receiver);
    for (const value of [1, 2, 3]) await cpu(service.api, 'web-1', value);
    await arrived(receiver, 3);
    const warned = (): readonly string[] =>
      service.logged.filter((line) => line.includes('traces could not be sent'));
    await eventually(
      () => warned()[0],
      SOON_MS,
      () => 'nothing was logged',
    );
    await cpu(service.api, 'web-1', 4);
    await service.close();
    expect(collector.got).to.have.lengthOf.above(1);
    expect(warned()).to.have.lengthOf(1);
  });

  for (const [what, answer] of [
    ['does not answer', () => undefined],
    ['is away', undefined],
  ] as const) {
    it(`do not hold up a stop if their receiver ${what}`, async () => {
      const collector = await open.receiver(answer);
      if (answer === undefined) await collector.stop();
      const service = await traced(collector);
      expect((await fetch(`${service.url}/health/ready`)).status).to.equal(200);
      await service.close();
    });
  }

  it('load no package of OpenTelemetry that makes or sends them while they are off', async () => {
    const folder = await open.folder();
    const loadedWith = async (TRACING: string): Promise<readonly string[]> => {
      const at = (file: string): string => JSON.stringify(new URL(`../../src/${file}`, import.meta.url).href);
      const program = `
        import { createRequire } from 'node:module';
        import { pino } from ${JSON.stringify(import.meta.resolve('pino'))};
        const { loadConfig } = await import(${at('config/config.js')});
        const { startService } = await import(${at('service.js')});
        const settings = { PORT: '0', LEDGER: 'off', DATA_DIR: ${JSON.stringify(folder)}, TRACING: '${TRACING}' };
        const service = await startService(loadConfig(settings), pino({ level: 'silent' }), '0.0.0-spec');
        const { cache } = createRequire(${at('service.js')});
        console.log(JSON.stringify(Object.keys(cache).filter((name) => name.includes('@opentelemetry'))));
        await service.close();`;
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
      return JSON.parse(stdout) as readonly string[];
    };
    const made = (names: readonly string[]): readonly string[] =>
      names.filter((name) => !name.includes('@opentelemetry/api/'));
    expect(made(await loadedWith('off'))).to.deep.equal([]);
    expect(made(await loadedWith('on'))).to.not.be.empty;
  });
});

describe('a service without tracing', () => {
  const open = scenes();

  it('passes no traceparent on', async () => {
    const receiver = await open.receiver();
    const { api } = await open.service();
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', receiver.origin);
    const headers = { traceparent: `00-${TRACE_ID}-${CALLER}-01` };
    okBody(await api.call('POST', '/demo/servers/web-1', factsBody({ cpuLoadPct: '1' }), headers));
    const [got] = await arrived(receiver, 1);
    expect(got!.headers).to.not.have.property('traceparent');
  });
});
