import { expect } from 'chai';
import { Refusal, TerminalError } from '../../../src/errors.js';
import { NO_METRICS } from '../../../src/config/metrics.js';
import { refusalOf } from '../../../src/http/failures/failure.js';
import { createMqttIntake, type RefusedMessage } from '../../../src/policy/sources/mqtt-intake.js';
import { mqttMeasurements } from '../../../src/policy/sources/mqtt-message.js';
import type { SourceFacts } from '../../../src/policy/sources/source-facts.js';
import { createSourceIntake } from '../../../src/policy/sources/source-intake.js';
import type { Servers } from '../../../src/policy/server/servers.js';
import { StoreUnavailable, Unstorable } from '../../../src/store/port.js';
import { rejectionOf } from '../../rejection.js';
import { NOON } from '../server/driven-server.js';
import { policyScene, type PolicyScene } from '../policy-scene.js';

const TOPIC = 'mirzam/acme/web-1';

/** The intake of messages before servers. */
function intakeOf(servers: Pick<Servers, 'facts'>, resolve = (tenant: string): string | undefined => tenant) {
  const refused: RefusedMessage[] = [];
  const results: Record<string, number> = {};
  const commits: SourceFacts[] = [];
  const intake = createSourceIntake({
    servers,
    settings: { hdd: 'used', metrics: NO_METRICS },
    refusalOf: (error) => refusalOf(error, 'POST'),
    observer: { taken: () => undefined },
  });
  const takeAll = createMqttIntake({
    resolve,
    intake: {
      read: intake.read,
      take(tenant, source, facts) {
        commits.push(...(Symbol.iterator in facts ? facts : [facts]));
        return intake.take(tenant, source, facts);
      },
    },
    read: (payload) => mqttMeasurements(JSON.parse(payload.toString())),
    limit: 100,
    onRefused: (one) => refused.push(one),
    onResult(result, messages) {
      results[result] = (results[result] ?? 0) + messages;
    },
  });
  const send = (payloads: readonly object[], { topic = TOPIC, isRetained = false } = {}): Promise<void> =>
    takeAll(
      topic,
      payloads.map((payload) => ({ topic, payload: Buffer.from(JSON.stringify(payload)), isRetained })),
    );
  return { send, takeAll, refused, results, commits };
}

const UNAVAILABLE = new StoreUnavailable('away');

class Damaged extends TerminalError {
  readonly code = 'unreadable-actor';
}

describe('the intake of messages', () => {
  let scene: PolicyScene;
  beforeEach(async () => {
    scene = await policyScene({ fed: false });
  });
  afterEach(() => scene.close());

  it('takes what waits of a topic in one commit, each message as a fact of its own', async () => {
    const { send, commits, results } = intakeOf(scene.policy.servers);
    await send([{ cpu: 1 }, { cpu: 2, at: NOON }, { cpu: 2, mem: 3, at: NOON + 1 }, { cpu: 1 }]);
    expect(commits).to.have.length(1);
    expect((await scene.server())?.factId).to.equal(4);
    expect(results).to.deep.equal({ taken: 4 });
    await send([
      { cpu: 2, at: NOON },
      { cpu: 9, at: NOON + 2 },
    ]);
    expect((await scene.server())?.factId).to.equal(5);
  });

  it('reads times as text, in seconds and in milliseconds, down to microseconds', () => {
    const at = (value: unknown) => mqttMeasurements({ at: value }).at;
    expect(at('2026-11-27T08:12:29.120456+01:00')).to.equal(Date.parse('2026-11-27T07:12:29.120Z') + 0.456);
    expect([at(1_764_231_149), at(1_764_231_149_000), at(1_764_231_149.5)]).to.deep.equal([
      1_764_231_149_000, 1_764_231_149_000, 1_764_231_149_500,
    ]);
    expect([at(null), at(undefined)]).to.deep.equal([undefined, undefined]);
    for (const wrong of ['noon', '2026-11-27', true, [], {}])
      expect(() => at(wrong), JSON.stringify(wrong)).to.throw(Refusal, /at must be a time/);
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`m${i}`, i]));
    expect(() => mqttMeasurements(many)).to.throw(Refusal, /at most 1000 members/);
  });

  it('rejects what cannot be taken now, and reports nothing of it', async () => {
    const { send, refused } = intakeOf({ facts: () => Promise.reject(UNAVAILABLE) });
    expect(await rejectionOf(send([{ cpu: 1 }]))).to.include({ code: 'unavailable' });
    const unknown = intakeOf(scene.policy.servers, () => {
      throw UNAVAILABLE;
    });
    expect(await rejectionOf(unknown.send([{ cpu: 1 }]))).to.equal(UNAVAILABLE);
    expect([...refused, ...unknown.refused]).to.deep.equal([]);
  });

  it('leaves out the message at which the service fails, and takes those around it', async () => {
    const unstorable = new Unstorable('no');
    const { send, refused, results } = intakeOf({
      facts: (tenant, server, facts) =>
        facts.measures.some(({ cpu }) => cpu === 13)
          ? Promise.reject(unstorable)
          : scene.policy.servers.facts(tenant, server, facts),
    });
    await send([{ cpu: 12 }, { cpu: 13 }, { cpu: 14 }]);
    expect((await scene.server())?.factId).to.equal(2);
    expect(refused).to.deep.equal([{ topic: TOPIC, tenant: 'acme', isKnown: true, error: unstorable }]);
    expect(results).to.deep.equal({ taken: 2, refused: 1 });
  });

  it('leaves out the messages of a server that it cannot read, which would hold up all others', async () => {
    const unreadable = new Damaged('another version');
    const { send, refused } = intakeOf({ facts: () => Promise.reject(unreadable) });
    await send([{ cpu: 1 }, { cpu: 2 }]);
    expect(refused.map(({ error }) => (error as Refusal).code)).to.deep.equal(['unavailable', 'unavailable']);
  });

  it('refuses a topic that is longer than one of a tenant and a server can be', async () => {
    const { send, refused } = intakeOf(scene.policy.servers);
    const topicOf = (length: number): string => `mirzam/acme/${'x'.repeat(length)}`;
    await send([{ cpu: 1 }], { topic: topicOf(1_012) });
    expect(refused).to.deep.equal([]);
    await send([{ cpu: 1 }], { topic: topicOf(1_013) });
    expect(refused).to.have.length(1);
    expect(refused[0]!.error).to.be.instanceOf(Refusal);
    expect(String(refused[0]!.error)).to.include('topic: must have at most 1024 characters, not 1025');
  });

  it('makes facts of a thousand values in a turn of the event loop, although a thread has read several of them', async () => {
    let turn = 0;
    const turns: number[] = [];
    let read = (): void => undefined;
    const isRead = new Promise<void>((resolve) => {
      read = resolve;
    });
    const takeAll = createMqttIntake({
      resolve: (tenant) => tenant,
      intake: {
        read() {
          turns.push(turn);
          return { servers: [], values: 0, leftOut: [] };
        },
        take: async () => ({ counted: 0, facts: 0, fired: 0, leftOut: [], refused: [] }),
      },
      async read() {
        await isRead;
        return { at: NOON, values: Array.from({ length: 1_000 }, (_, i) => [`m${i}`, i] as const) };
      },
      limit: 100,
      onRefused: () => undefined,
      onResult: () => undefined,
    });
    const next = (): void => {
      turn += 1;
      immediate = setImmediate(next);
    };
    let immediate = setImmediate(next);
    const topics = ['a', 'b', 'c', 'd'].map((server) => `mirzam/acme/${server}`);
    const taken = Promise.all(
      topics.map((topic) => takeAll(topic, [{ topic, payload: Buffer.from('{}'), isRetained: false }])),
    );
    read();
    await taken;
    clearImmediate(immediate);
    expect(new Set(turns).size).to.equal(topics.length);
  });

  it('takes a message without a payload for none', async () => {
    const { takeAll, refused, results } = intakeOf(scene.policy.servers);
    await takeAll(TOPIC, [{ topic: TOPIC, payload: Buffer.alloc(0), isRetained: false }]);
    expect([refused, results]).to.deep.equal([[], {}]);
  });
});
