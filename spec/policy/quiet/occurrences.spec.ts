import { expect } from 'chai';
import { BadRecurrence, firstPlan, nextPlan } from '../../../src/policy/quiet/occurrences.js';
import type { QuietPlan, Recurrence } from '../../../src/policy/quiet/quiet-time.js';
import { cpuTimeOf } from '../../system/cpu-time.js';

const HOUR_S = 3_600;
const daily = (start: string, timezone: string, more: Partial<Recurrence> = {}): Recurrence => ({
  start,
  timezone,
  duration: HOUR_S,
  rrule: 'FREQ=DAILY',
  ...more,
});

/** Returns the first spans of a plan, in UTC to the minute: `2026-12-01 21:00/22:00`. */
function spans({ spans: all }: QuietPlan, count = 3): readonly string[] {
  const text = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  return all.slice(0, count).map(([from, to]) => {
    const [day, end] = [text(from), text(to)];
    return `${day}/${day.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end}`;
  });
}

const planAt = (recurrence: Recurrence, now: string): QuietPlan => firstPlan(recurrence, Date.parse(now));

describe('the occurrences of a quiet time', () => {
  const measured = performance.now.bind(performance);

  // A search finds as much as it may: a slow machine finds less in the same time.
  beforeEach(() => {
    performance.now = () => 0;
  });
  afterEach(() => {
    performance.now = measured;
  });

  it('keep their local time over the year (Europe/Berlin)', () => {
    const spring = planAt(daily('2027-03-01T22:00:00', 'Europe/Berlin'), '2027-03-26T23:00:00Z');
    expect(spans(spring)).to.deep.equal([
      '2027-03-27 21:00/22:00',
      '2027-03-28 20:00/21:00',
      '2027-03-29 20:00/21:00',
    ]);
    const autumn = planAt(daily('2026-10-01T22:00:00', 'Europe/Berlin'), '2026-10-23T23:00:00Z');
    expect(spans(autumn)).to.deep.equal([
      '2026-10-24 20:00/21:00',
      '2026-10-25 21:00/22:00',
      '2026-10-26 21:00/22:00',
    ]);
  });

  it('take the offset before where the zone skips their time', () => {
    const berlin = planAt(daily('2027-03-01T02:30:00', 'Europe/Berlin'), '2027-03-27T12:00:00Z');
    expect(spans(berlin, 2)).to.deep.equal(['2027-03-28 01:30/02:30', '2027-03-29 00:30/01:30']);
    // 02:00 to 02:30 are skipped.
    const island = planAt(daily('2026-09-01T02:15:00', 'Australia/Lord_Howe'), '2026-10-02T20:00:00Z');
    expect(spans(island, 2)).to.deep.equal(['2026-10-03 15:45/16:45', '2026-10-04 15:15/16:15']);
  });

  it('take the first of two where the zone has their time twice', () => {
    const berlin = planAt(daily('2026-10-01T02:30:00', 'Europe/Berlin'), '2026-10-24T12:00:00Z');
    expect(spans(berlin, 2)).to.deep.equal(['2026-10-25 00:30/01:30', '2026-10-26 01:30/02:30']);
    // 01:30 to 02:00 come twice.
    const island = planAt(daily('2026-03-01T01:45:00', 'Australia/Lord_Howe'), '2026-04-04T12:00:00Z');
    expect(spans(island, 2)).to.deep.equal(['2026-04-04 14:45/15:45', '2026-04-05 15:15/16:15']);
  });

  it('are found while one runs that began at a skipped time', () => {
    const running = planAt(daily('2027-03-01T02:30:00', 'Europe/Berlin'), '2027-03-28T02:20:00Z');
    expect(spans(running, 1)).to.deep.equal(['2027-03-28 01:30/02:30']);
    const over = planAt(daily('2027-03-01T02:30:00', 'Europe/Berlin'), '2027-03-28T02:30:00Z');
    expect(spans(over, 1)).to.deep.equal(['2027-03-29 00:30/01:30']);
  });

  it('begin with the start, also where the rule does not have it, and COUNT counts it', () => {
    // A Tuesday.
    const sundays = daily('2026-12-01T22:00:00', 'UTC', { rrule: 'FREQ=WEEKLY;BYDAY=SU;COUNT=3' });
    const plan = planAt(sundays, '2026-11-01T00:00:00Z');
    expect(spans(plan, 9)).to.deep.equal([
      '2026-12-01 22:00/23:00',
      '2026-12-06 22:00/23:00',
      '2026-12-13 22:00/23:00',
    ]);
    expect(plan).to.include({ to: null, renewAt: null });
  });

  it('end with UNTIL: an instant, a time of the zone, or its day', () => {
    const until = (end: string): number =>
      planAt(
        daily('2026-12-01T10:00:00', 'Europe/Berlin', { rrule: `FREQ=DAILY;UNTIL=${end}` }),
        '2026-11-01T00:00:00Z',
      ).spans.length;
    expect(until('20261203T090000Z')).to.equal(3);
    expect(until('20261203T085959Z')).to.equal(2);
    expect(until('20261203T100000')).to.equal(3);
    expect(until('20261203T095959')).to.equal(2);
    expect(until('20261203')).to.equal(3);
    expect(until('20261130')).to.equal(0);
  });

  it('follow BYSETPOS', () => {
    const rrule = 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1';
    const plan = planAt(daily('2026-01-30T20:00:00', 'UTC', { rrule }), '2026-11-25T00:00:00Z');
    expect(spans(plan)).to.deep.equal([
      '2026-11-30 20:00/21:00',
      '2026-12-31 20:00/21:00',
      '2027-01-29 20:00/21:00',
    ]);
  });

  it('are one where they overlap or touch', () => {
    const weekends = daily('2026-11-07T00:00:00', 'UTC', {
      rrule: 'FREQ=WEEKLY;BYDAY=SA,SU',
      duration: 24 * HOUR_S,
    });
    expect(spans(planAt(weekends, '2026-11-29T12:00:00Z'), 2)).to.deep.equal([
      '2026-11-28 00:00/2026-11-30 00:00',
      '2026-12-05 00:00/2026-12-07 00:00',
    ]);
    const always = daily('2020-01-01T00:00:00', 'UTC', { duration: 24 * HOUR_S });
    const { spans: all, to, renewAt } = planAt(always, '2026-11-29T12:00:00Z');
    expect(all).to.have.length(1);
    const now = Date.parse('2026-11-29T12:00:00Z');
    expect(all[0]![0]).to.be.lessThan(now);
    expect(all[0]![1])
      .to.equal(to)
      .and.to.be.greaterThan(now + 60 * 24 * HOUR_S * 1000);
    expect(renewAt).to.be.within(now, to!);
  });

  it('are one without a rule', () => {
    const once = daily('2026-12-01T10:00:00', 'Europe/Berlin', { rrule: undefined });
    expect(spans(planAt(once, '2026-11-01T00:00:00Z'))).to.deep.equal(['2026-12-01 09:00/10:00']);
    expect(spans(planAt(once, '2026-12-01T09:59:59Z'))).to.deep.equal(['2026-12-01 09:00/10:00']);
    expect(planAt(once, '2026-12-01T10:00:00Z')).to.deep.equal({ spans: [], to: null, renewAt: null });
  });

  it('are planned anew before the plan runs out, without a gap', () => {
    const nights = daily('2026-01-01T22:00:00', 'Europe/Berlin');
    const first = planAt(nights, '2026-11-25T12:00:00Z');
    expect(first.renewAt).to.be.lessThan(first.to!);
    const second = nextPlan(nights, first.renewAt!);
    const shared = first.spans.filter(([, to]) => to > first.renewAt!);
    expect(shared.length).to.be.greaterThan(1);
    expect(second.spans.slice(0, shared.length)).to.deep.equal(shared);
  });

  it('may be as many as the seconds', () => {
    const seconds = daily('2020-01-01T00:00:00', 'UTC', { rrule: 'FREQ=SECONDLY', duration: 60 });
    const { spans: all } = planAt(seconds, '2026-11-25T12:00:00Z');
    expect(all).to.have.length(1);
    expect(all[0]![1]).to.be.greaterThan(Date.parse('2026-11-25T12:05:00Z'));
  });

  for (const rrule of [
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=SECONDLY;COUNT=999999',
    'FREQ=WEEKLY;BYMONTH=2;BYDAY=MO;BYSETPOS=200',
    'FREQ=WEEKLY;BYMONTHDAY=3',
  ]) {
    it(`are refused in short time: ${rrule}`, async () => {
      performance.now = measured;
      const wrong = daily('2020-12-01T00:00:00', 'UTC', { rrule });
      const plan = (): void =>
        void expect(() => planAt(wrong, '2026-12-05T23:00:30Z')).to.throw(BadRecurrence);
      expect(await cpuTimeOf(plan)).to.be.lessThan(10_000);
    });
  }

  it('are looked for again after a day if the search for the next one is too long', () => {
    performance.now = measured;
    const now = Date.parse('2026-12-05T23:00:30Z');
    const never = daily('2020-12-01T00:00:00', 'UTC', { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' });
    expect(nextPlan(never, now)).to.deep.equal({
      spans: [],
      to: now + 86_400_000,
      renewAt: now + 86_400_000,
    });
  });
});
