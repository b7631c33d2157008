import { expect } from 'chai';
import type { TransitionView } from '../../../src/policy/explain/shapes.js';
import type { ShownBucket } from '../../../src/policy/trend/shapes.js';
import { pageModule } from '../forms/page-module.js';

interface Bucket {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}
interface Firing {
  readonly ruleId: string;
  readonly from: number;
  readonly to: number | undefined;
}
interface PastModule {
  bucketsOf(buckets: readonly ShownBucket[], span: 'hour' | 'day', now: number): readonly Bucket[];
  usualPause(buckets: readonly Bucket[], step: number): number;
  pointsOf(buckets: readonly Bucket[], step: number, now: number): readonly (readonly (number | null)[])[];
  isStale(last: number, usual: number, now: number): boolean;
  firingTimes(history: readonly TransitionView[], firing: readonly object[]): readonly Firing[];
}

const NOON = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;

describe('the past of a metric on the page of a server', () => {
  let past: PastModule;
  let scaleOf: (metric: string, shown: readonly (number | null)[]) => readonly [number, number];
  before(async () => {
    past = (await pageModule('pages/server/past.ts')) as unknown as PastModule;
    ({ scaleOf } = (await pageModule('pages/server/axes.ts')) as unknown as { scaleOf: typeof scaleOf });
  });
  const bucket = (minutes: number, mean: number, count = 1, seconds = 60): ShownBucket => ({
    at: new Date(NOON + minutes * MINUTE).toISOString(),
    seconds,
    count,
    mean,
    min: mean - 1,
    max: mean + 1,
  });
  const iso = (minutes: number): string => new Date(NOON + minutes * MINUTE).toISOString();
  const change = (minutes: number, from: string, to: string, subscriptionId = 's1') =>
    ({ at: iso(minutes), ruleId: `rule of ${subscriptionId}`, subscriptionId, from, to }) as TransitionView;

  it('is the last hour in minutes, or the last day in tens of minutes', () => {
    const all = [
      bucket(-1500, 1, 1, 600),
      bucket(-70, 10, 6, 600),
      bucket(-59, 20),
      bucket(-1, 40, 3),
      bucket(0, 0),
    ];
    const hour = past.bucketsOf(all, 'hour', NOON + 1_000);
    expect(hour.map(({ from, mean }) => [(from - NOON) / MINUTE, mean])).to.deep.equal([
      [-59, 20],
      [-1, 40],
      [0, 0],
    ]);
    const day = past.bucketsOf(all, 'day', NOON + 1_000);
    expect(day.map(({ from, count, mean }) => [(from - NOON) / MINUTE, count, mean])).to.deep.equal([
      [-70, 6, 10],
      [-60, 1, 20],
      [-10, 3, 40],
      [0, 1, 0],
    ]);
    const [joined] = past.bucketsOf([bucket(1, 10, 1), bucket(2, 40, 2)], 'day', NOON + 5 * MINUTE);
    expect(joined).to.deep.include({
      count: 3,
      mean: 30,
      min: 9,
      max: 41,
      from: NOON,
      to: NOON + 10 * MINUTE,
    });
  });

  it('has a gap where values did not come for longer than usual', () => {
    const points = (...minutes: number[]) =>
      past.pointsOf(
        past.bucketsOf(
          minutes.map((one) => bucket(one, 5)),
          'hour',
          NOON + 30 * MINUTE,
        ),
        MINUTE,
        NOON + 30 * MINUTE,
      )[1];
    expect(points(1, 2, 3, 4)).to.deep.equal([5, 5, 5, 5]);
    expect(points(1, 2, 3, 9, 10)).to.deep.equal([5, 5, 5, null, 5, 5]);
    // A server that sends every five minutes has none.
    expect(points(0, 5, 10, 15)).to.deep.equal([5, 5, 5, 5]);
    expect(points(0, 5, 10, 25)).to.deep.equal([5, 5, 5, null, 5]);
  });

  it('draws a bucket in the middle of its time, the running one not after now', () => {
    const buckets = past.bucketsOf([bucket(-1, 5), bucket(0, 6)], 'hour', NOON + 10_000);
    const [times] = past.pointsOf(buckets, MINUTE, NOON + 10_000);
    expect(times!.map((time) => time! * 1_000 - NOON)).to.deep.equal([-30_000, 10_000]);
  });

  it('is stale after three usual pauses, two minutes at least', () => {
    expect(past.isStale(NOON, MINUTE, NOON + 2 * MINUTE)).to.equal(false);
    expect(past.isStale(NOON, MINUTE, NOON + 4 * MINUTE)).to.equal(true);
    expect(past.isStale(NOON, 5 * MINUTE, NOON + 14 * MINUTE)).to.equal(false);
    expect(past.isStale(NOON, 1_000, NOON + 119_000)).to.equal(false);
  });

  it('says when rules fired: before what is known, between two changes, and still', () => {
    const history = [
      change(9, 'calm', 'firing', 's2'),
      change(8, 'firing', 'noData'),
      change(5, 'pending', 'firing'),
      change(4, 'firing', 'calm', 's2'),
      change(1, 'calm', 'pending'),
    ];
    const now = [
      { subscriptionId: 's2', ruleId: 'rule of s2', since: NOON + 7 * MINUTE },
      { subscriptionId: 's3', ruleId: 'rule of s3', since: NOON - 900 * MINUTE },
    ];
    expect(past.firingTimes(history, now)).to.deep.equal([
      { ruleId: 'rule of s2', from: -Infinity, to: NOON + 4 * MINUTE },
      { ruleId: 'rule of s1', from: NOON + 5 * MINUTE, to: NOON + 8 * MINUTE },
      { ruleId: 'rule of s2', from: NOON + 9 * MINUTE, to: undefined },
      { ruleId: 'rule of s3', from: NOON - 900 * MINUTE, to: undefined },
    ]);
    // The subscription is not there any more.
    expect(past.firingTimes([change(1, 'calm', 'firing')], [])).to.deep.equal([]);
  });

  it('has the scale of percentages for metrics of the document, else one around what is shown', () => {
    expect(scaleOf('cpu', [1, 99, 300])).to.deep.equal([0, 104]);
    expect(scaleOf('queue', [1000, null, 2000])).to.deep.equal([920, 2080]);
    expect(scaleOf('queue', [5, 5])).to.deep.equal([4, 6]);
    expect(scaleOf('queue', [0])).to.deep.equal([-1, 1]);
    const [from, to] = scaleOf('queue', [-1.7e308, 1.7e308]);
    expect([from, to].every(Number.isFinite)).to.equal(true);
    expect(from < to).to.equal(true);
  });
});
