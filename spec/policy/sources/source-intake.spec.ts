import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';
import { refusalOf } from '../../../src/http/failures/failure.js';
import { NO_METRICS } from '../../../src/config/metrics.js';
import { packedParts, unpackedParts } from '../../../src/policy/sources/fact-parts.js';
import { sourceReader } from '../../../src/policy/sources/source-facts.js';
import { createSourceIntake, type SourceReply } from '../../../src/policy/sources/source-intake.js';
import type { SourceValue } from '../../../src/policy/sources/source-value.js';
import type { Servers } from '../../../src/policy/server/servers.js';
import { rejectionOf } from '../../rejection.js';
import { NOON } from '../server/driven-server.js';
import { DRAFT, policyScene, type PolicyScene, URL_1, withRule } from '../policy-scene.js';

const newestAbove = (value: number) => ({ value, operand: 'greater', aggregate: 'last' }) as const;

/** The intake before servers. `told` has what its observer was told. */
function intakeOf(servers: Pick<Servers, 'facts'>) {
  const told: SourceReply[] = [];
  const intake = createSourceIntake({
    servers,
    settings: { hdd: 'used', metrics: NO_METRICS },
    refusalOf: (error) => refusalOf(error, 'POST'),
    observer: { taken: (_tenant, _source, reply) => void told.push(reply) },
  });
  const send = (...values: readonly SourceValue[]) =>
    intake.take('acme', 'remote-write', intake.read(values));
  return { intake, send, told };
}

const cpu = (value: number, at: number, server = 'web-1'): SourceValue => ({
  server,
  metric: 'cpu',
  value,
  at,
});

describe('the intake of sources', () => {
  let scene: PolicyScene;
  beforeEach(async () => {
    scene = await policyScene({ fed: false });
  });
  afterEach(() => scene.close());

  it('counts a value once by its time, however often it is sent', async () => {
    const { send } = intakeOf(scene.policy.servers);
    const values = [cpu(1, NOON - 2), cpu(2, NOON - 1), cpu(3, NOON, 'web-2')];
    expect(await send(...values)).to.deep.equal({ counted: 3, facts: 3, fired: 0, leftOut: [], refused: [] });
    expect((await send(...values, cpu(4, NOON + 1))).counted).to.equal(1);
    const again = await send(...values);
    expect(again.counted).to.equal(0);
    const of = { server: 'web-2', metric: 'cpu' };
    expect(again.leftOut).to.deep.equal([{ why: 'repeated', count: 3, last: of }]);
    expect((await scene.server())?.factId).to.equal(3);
  });

  it('is named as the source of the last fact and of what it changed, until another fact comes', async () => {
    const { wanted } = await withRule(scene);
    const { ruleId } = wanted;
    await scene.add(wanted);
    const { send } = intakeOf(scene.policy.servers);
    const seen = async () => {
      const { lastFact } = await scene.policy.explain.rule('acme', 'web-1', ruleId);
      const changes = await scene.policy.explain.history('acme', 'web-1', 10);
      return [lastFact?.source, ...changes.map(({ to, source }) => [to, source])];
    };
    await send(...[-5, -4, -3, -2, -1].map((at) => cpu(100, NOON + at)));
    expect(await seen()).to.deep.equal(['remote-write', ['firing', 'remote-write']]);
    const plain = {
      measures: [{ cpu: 0 }, { cpu: 0 }, { cpu: 0 }, { cpu: 0 }, { cpu: 0 }],
      source: undefined,
    };
    await scene.policy.servers.facts('acme', 'web-1', plain);
    expect(await seen()).to.deep.equal([undefined, ['calm', undefined], ['firing', 'remote-write']]);
    expect(await scene.server()).to.have.property('origin', undefined);
  });

  it('takes more than 1,000 possible messages in parts, in order', async () => {
    const { wanted } = await withRule(scene);
    for (const i of [1, 2, 3]) await scene.add({ ...wanted, url: `${URL_1}/${i}` });
    const { send } = intakeOf(scene.policy.servers);
    const values = Array.from({ length: 1_001 }, (_, i) => cpu(i % 100, NOON - 2_000 + i));
    const reply = await send(...values);
    expect(reply).to.deep.include({ counted: 1_001, facts: 1_001, refused: [] });
    const server = (await scene.server())!;
    expect(server.factId).to.equal(1_001);
    expect(server.windows.tracked['cpu']!.values.at(-1)).to.equal(0);
    expect((await send(...values)).leftOut.map(({ count }) => count).reduce((a, b) => a + b)).to.equal(1_001);
  });

  it('evaluates rules once for more than 1,000 metrics of one time', async () => {
    const both = { all: [{ cpu: newestAbove(50) }, { mem: newestAbove(50) }] };
    const rules = [both, { cpu: newestAbove(50) }].map((condition) => ({ ...DRAFT, condition }));
    const ids = await scene.policy.servers.addRules('acme', 'web-1', rules);
    for (const ruleId of ids) await scene.add({ ruleId, url: `${URL_1}/${ruleId}` });
    const { intake } = intakeOf(scene.policy.servers);
    const read = sourceReader({ hdd: 'used', metrics: { any: true, listed: [] } });
    const send = (measured: number, mem: number, at: number) => {
      const others = Array.from({ length: 1_200 }, (_, n) => ({ ...cpu(1, at), metric: `m${n}` }));
      const values = [cpu(measured, at), ...others, { ...cpu(mem, at), metric: 'mem' }];
      return intake.take('acme', 'otlp', unpackedParts(packedParts(read(values))));
    };
    for (let at = NOON - 20; at < NOON - 10; at += 2) {
      expect(await send(0, 90, at)).to.deep.include({ counted: 1_202, facts: 2, fired: 0 });
      expect((await send(90, 0, at + 1)).fired).to.equal(at < NOON - 16 ? 0 : 1);
    }
    expect((await send(90, 90, NOON)).fired).to.equal(2);
  });

  it('takes the parts of a body one after the other, and none after one that failed', async () => {
    const taken: number[] = [];
    let isBusy = true;
    const { intake } = intakeOf({
      async facts(_tenant, _server, { measures }) {
        if (isBusy && measures[0]!['cpu'] === 2) throw new Refusal('unavailable', 'too busy');
        taken.push(...measures.map((one) => one['cpu']!));
        return { factId: taken.length, counted: true, evaluated: 0, fired: 0 };
      },
    });
    const parts = () => [1, 2, 3].map((value) => intake.read([cpu(value, value)]));
    const error = await rejectionOf(intake.take('acme', 'otlp', parts()));
    expect(error).to.deep.include({ code: 'unavailable' });
    expect(taken).to.deep.equal([1]);
    isBusy = false;
    expect(await intake.take('acme', 'otlp', parts())).to.deep.include({ counted: 3, facts: 3 });
    expect(taken).to.deep.equal([1, 1, 2, 3]);
  });

  it('takes no later part after one that failed, so that the whole can be sent again', async () => {
    const taken: number[] = [];
    let isBusy = true;
    const { send } = intakeOf({
      async facts(_tenant, _server, { measures }) {
        if (measures.length > 2) throw new Refusal('too-large', 'send fewer');
        if (isBusy && measures[0]!['cpu'] === 3)
          throw new Refusal('unavailable', 'too busy', { retryAfterS: 7 });
        taken.push(...measures.map((one) => one['cpu']!));
        return { factId: taken.length, counted: true, evaluated: 0, fired: 0 };
      },
    });
    const values = [1, 2, 3, 4, 5, 6, 7].map((value) => cpu(value, value));
    const error = await rejectionOf(send(...values));
    expect(error).to.be.instanceOf(Refusal);
    expect(error).to.deep.include({ code: 'unavailable', retryAfterS: 7 });
    expect(taken).to.deep.equal([1, 2]);
    isBusy = false;
    expect((await send(...values)).facts).to.equal(7);
    expect(taken.slice(2)).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
  });

  it('leaves out the servers that can never take their values, and says why', async () => {
    const { send, told } = intakeOf({
      async facts(_tenant, serverId) {
        if (serverId === 'web-1') throw new Refusal('conflict', 'the tenant has all of its servers');
        return { factId: 1, counted: true, evaluated: 0, fired: 0 };
      },
    });
    const reply = await send(cpu(1, 1), cpu(2, 2), cpu(3, 3, 'web-2'));
    expect(reply.counted).to.equal(1);
    expect(reply.refused).to.deep.equal([
      { serverId: 'web-1', values: 2, message: 'the tenant has all of its servers' },
    ]);
    expect(told).to.deep.equal([reply]);
  });

  it('fails with a fault of the service as it is, for the log', async () => {
    const fault = new TypeError('x is not a function');
    const { send } = intakeOf({ facts: () => Promise.reject(fault) });
    expect(await rejectionOf(send(cpu(1, 1)))).to.equal(fault);
  });
});
