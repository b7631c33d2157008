import { expect } from 'chai';
import type { Measures } from '../../../src/policy/rules/metrics.js';
import { trendAddress } from '../../../src/policy/trend/trend-machine.js';
import { createTrends } from '../../../src/policy/trend/trends.js';
import { actorId, addressOf, type Store, StoreUnavailable } from '../../../src/store/port.js';
import { NOON } from '../server/driven-server.js';
import { DRAFT, policyScene, type PolicyScene, URL_1 } from '../policy-scene.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** One a minute, for more than a day. */
const FACTS = 27 * 60;
const WATCHED = {
  cpu: { value: 80, operand: 'greater' },
  mem: { value: 80, operand: 'greater' },
  hdd: { value: 80, operand: 'greater' },
  net: { value: 80, operand: 'greater' },
} as const;

/** A value of one metric. */
interface Sent {
  readonly at: number;
  readonly value: number;
}

/** Returns the buckets of the values at `now`, from the description in the API document alone. */
function plainBuckets(sent: readonly Sent[], now: number) {
  const tenOf = (time: number): number => Math.floor(time / (10 * MINUTE)) * 10 * MINUTE;
  const minuteOf = (time: number): number => Math.floor(time / MINUTE) * MINUTE;
  const buckets = new Map<number, number[]>();
  const lengths = new Map<number, number>();
  for (const { at, value } of sent) {
    if (at < tenOf(minuteOf(now) - 24 * HOUR)) continue;
    const isRecent = at >= tenOf(minuteOf(now) - HOUR);
    const start = isRecent ? minuteOf(at) : tenOf(at);
    buckets.set(start, [...(buckets.get(start) ?? []), value]);
    lengths.set(start, isRecent ? 60 : 600);
  }
  return [...buckets]
    .toSorted(([a], [b]) => a - b)
    .map(([start, values]) => ({
      at: new Date(start).toISOString(),
      seconds: lengths.get(start)!,
      count: values.length,
      mean: values.reduce((sum, value) => sum + value, 0) / values.length,
      min: Math.min(...values),
      max: Math.max(...values),
    }));
}

describe('the trend of a server', () => {
  let scene: PolicyScene;
  let sent: Sent[];
  /** Kinds of the documents that the store refuses to commit. */
  const failing = new Set<string>();
  const written = new Map<string, number>();
  const storeOf = (store: Store): Store => ({
    ...store,
    async commit(batch) {
      // What fails is chosen before the commit: the spec may change it meanwhile.
      const failed = new Set(batch.filter(({ id }) => failing.has(addressOf(id).kind)));
      const rest = batch.filter((one) => !failed.has(one));
      for (const { id } of rest) {
        const { kind } = addressOf(id);
        written.set(kind, (written.get(kind) ?? 0) + 1);
      }
      const results = await store.commit(rest);
      return batch.map((one) => (failed.has(one) ? new StoreUnavailable('away') : results.shift()!));
    },
  });

  beforeEach(async () => {
    failing.clear();
    written.clear();
    sent = [];
    scene = await policyScene({ fed: false, storeOf });
  });
  afterEach(() => scene.close());

  const watch = async (condition: object = WATCHED) => {
    const [ruleId] = await scene.policy.servers.addRules('acme', 'web-1', [
      { ...DRAFT, condition: condition as typeof DRAFT.condition },
    ]);
    return { ruleId: ruleId!, id: await scene.add({ ruleId: ruleId!, url: URL_1 }) };
  };
  const measure = (...measures: Measures[]) =>
    scene.policy.servers.facts('acme', 'web-1', { measures, source: undefined });
  /** Measures a value of cpu that depends on the time, and remembers it. */
  const measureCpu = async () => {
    const value = Math.round(((scene.now / 7_919) % 79) * 100) / 100;
    sent.push({ at: scene.now, value });
    await measure({ cpu: value, mem: 20 + (value % 31), hdd: 63.25, net: value / 2 });
  };
  const trendOf = async (metric = 'cpu') =>
    (await scene.policy.trends.metric('acme', 'web-1', metric)).buckets;
  /** Compares the trend of cpu with the plain model. */
  const isRight = async () => {
    const wanted = plainBuckets(sent, scene.now);
    const found = await trendOf();
    const figures = found.map(({ mean }, i) => ({ ...wanted[i], mean }));
    expect(found).to.deep.equal(figures);
    for (const [i, { mean }] of found.entries()) expect(mean).to.be.closeTo(wanted[i]!.mean, 0.002);
  };

  it('has the last hour in minutes, the last day in tens of minutes, nothing older, and few bytes', async () => {
    await watch();
    for (let i = 0; i < FACTS; i += 1) {
      scene.now = NOON + i * MINUTE + ((i * 7_001) % MINUTE);
      await measureCpu();
      if (i < 5 || i % 97 === 0) await isRight();
    }
    await isRight();
    // 138 or 139 tens of minutes, and 60 to 70 minutes.
    expect(await trendOf()).to.have.length.within(198, 210);

    // Of four metrics. Two more commits for ten minutes: those of the minutes, and the one that notes it.
    await scene.outboxEmpty();
    const stored = (await scene.store.load(actorId(trendAddress('acme', 'web-1'))))!;
    expect(stored.frequent.length + stored.rare.length).to.be.below(9_500);
    expect(JSON.stringify((await scene.server())!.closed).length).to.be.below(2_000);
    expect(written.get('trend')).to.be.within(FACTS / 10 - 1, FACTS / 10 + 1);
    expect(written.get('server')).to.be.below(FACTS * 1.1 + 10);

    scene.now += 23 * HOUR;
    await isRight();
    scene.now += 2 * HOUR;
    expect(await trendOf()).to.deep.equal([]);
  });

  it('survives a restart between any two facts', async () => {
    await watch();
    for (let i = 0; i < 45; i += 1) {
      scene.now = NOON + i * 25_000;
      await measureCpu();
      await scene.restart();
      await isRight();
    }
  });

  it('loses nothing and counts nothing twice while it cannot be written', async () => {
    await watch();
    failing.add('trend');
    for (let i = 0; i < 40; i += 1) {
      scene.now = NOON + i * 31_000;
      await measureCpu();
      await isRight();
    }
    failing.clear();
    scene.toNextRetry();
    await scene.outboxEmpty();
    await isRight();
    expect(written.get('trend')).to.equal(1);
    for (let i = 0; i < 40; i += 1) {
      scene.now += 31_000;
      await measureCpu();
    }
    await isRight();
  });

  it('counts nothing twice if minutes are handed over during a reading', async () => {
    await watch();
    const handedOver = () => written.get('trend') ?? 0;
    for (let before = 0; before < 3; before = handedOver()) {
      scene.now = NOON + sent.length * 40_000;
      await measureCpu();
      await scene.outboxEmpty();
      const old = await scene.server();
      let isFirst = true;
      const { servers, tenants } = scene.policy;
      const readKnown: typeof servers.readKnown = async (tenantId, serverId) => {
        const found = await servers.readKnown(tenantId, serverId);
        if (!isFirst) return found;
        isFirst = false;
        const readAt = handedOver();
        while (handedOver() === readAt) {
          scene.now = NOON + sent.length * 40_000;
          await measureCpu();
          await scene.outboxEmpty();
        }
        return old!;
      };
      const trends = createTrends({ readKnown }, tenants, scene.store, () => scene.now);
      const cpu = (await trends.of('acme', 'web-1')).find(({ metric }) => metric === 'cpu')!;
      expect(cpu.buckets.reduce((sum, { count }) => sum + count, 0)).to.equal(sent.length);
      await isRight();
    }
  });

  it('is read although a restored backup has it newer than the server', async () => {
    await watch();
    await measureCpu();
    const before = await scene.server();
    while ((written.get('trend') ?? 0) === 0) {
      scene.now += 5 * MINUTE;
      await measureCpu();
      await scene.outboxEmpty();
    }
    const { tenants } = scene.policy;
    const trends = createTrends({ readKnown: async () => before! }, tenants, scene.store, () => scene.now);
    const cpu = (await trends.of('acme', 'web-1')).find(({ metric }) => metric === 'cpu')!;
    expect(cpu.buckets.length).to.be.at.least(1);
  });

  it('is of the metrics that a subscribed rule reads', async () => {
    const { ruleId, id } = await watch({
      any: [{ mem: { value: 1, operand: 'less' } }, { not: { queue: { value: 5, operand: 'greater' } } }],
    });
    await measure({ cpu: 1, mem: 2, queue: 1e9 });
    await measure({ cpu: 1, mem: 3 }, { mem: 4 });
    const at = new Date(NOON).toISOString();
    const mem = [{ at, seconds: 60, count: 3, mean: 3, min: 2, max: 4 }];
    expect(await trendOf('mem')).to.deep.equal(mem);
    expect(await trendOf('queue')).to.deep.equal([
      { at, seconds: 60, count: 1, mean: 1e9, min: 1e9, max: 1e9 },
    ]);
    expect(await trendOf('cpu')).to.deep.equal([]);
    expect(await trendOf('constructor')).to.deep.equal([]);
    await scene.remove(id);
    expect(await trendOf('mem')).to.deep.equal([]);
    await measure({ mem: 5 });
    // The same rule, and within the same minute another one: what was counted stays.
    await scene.add({ ruleId, url: URL_1 });
    await watch({ cpu: { value: 80, operand: 'greater' } });
    await measure({ cpu: 7, mem: 9 });
    expect(await trendOf('mem')).to.deep.equal([{ at, seconds: 60, count: 4, mean: 4.5, min: 2, max: 9 }]);
    expect(await trendOf('cpu')).to.deep.equal([{ at, seconds: 60, count: 1, mean: 7, min: 7, max: 7 }]);
  });

  it('goes on in the running minute after the clock was set back, and shows no time to come', async () => {
    await watch();
    scene.now = NOON + 3 * HOUR;
    await measure({ cpu: 10 });
    scene.now = NOON + 3 * HOUR + MINUTE;
    await measure({ cpu: 20 });
    scene.now = NOON;
    await measure({ cpu: 40 });
    const at = new Date(NOON).toISOString();
    expect(await trendOf()).to.deep.equal([{ at, seconds: 60, count: 2, mean: 30, min: 20, max: 40 }]);
    for (let i = 1; i <= 12; i += 1) {
      scene.now = NOON + i * MINUTE;
      await measure({ cpu: i });
    }
    expect((await trendOf()).map(({ at: start }) => start)).to.deep.equal(
      Array.from({ length: 13 }, (_, i) => new Date(NOON + i * MINUTE).toISOString()),
    );
  });

  it('is refused of an unknown server', async () => {
    const error = await scene.policy.trends.of('acme', 'other').then(
      () => undefined,
      (refused: unknown) => refused,
    );
    expect(error).to.include({ code: 'not-found' });
  });
});
