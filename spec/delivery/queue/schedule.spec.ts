import { expect } from 'chai';
import { createPermits, ownerOf, type PermitLimits } from '../../../src/delivery/queue/permits.js';
import { createSchedule } from '../../../src/delivery/queue/schedule.js';

const NOW = 1_000;
const LIMITS: PermitLimits = { perReceiver: 16, perTenant: 256, inAll: 2_048 };

/** A schedule in which these queues are due. */
function scheduleOf(queues: readonly string[], limits: Partial<PermitLimits> = {}) {
  const permits = createPermits({ ...LIMITS, ...limits });
  const schedule = createSchedule(permits);
  for (const queue of queues) schedule.expect(queue, NOW);
  return { permits, schedule };
}

const many = (tenant: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${tenant}/r${n}`);

describe('the schedule of deliveries', () => {
  it('gives a due queue all permits of its receiver, and none before the queue is due', () => {
    const { schedule } = scheduleOf(['acme/a']);
    schedule.expect('acme/later', NOW + 1);
    expect(schedule.isDue('acme/a', NOW)).to.equal(true);
    expect(schedule.isDue('acme/later', NOW)).to.equal(false);
    expect([...schedule.acquire(NOW)]).to.deep.equal([['acme/a', 16]]);
    expect([...schedule.acquire(NOW)]).to.deep.equal([]);
  });

  it('shares permits equally between tenants, whatever the number of their receivers', () => {
    const { schedule } = scheduleOf([...many('flood', 300), 'calm/a'], { inAll: 20 });
    const acquired = schedule.acquire(NOW);
    expect(acquired.get('calm/a')).to.equal(10);
    expect([...acquired.values()].reduce((a, b) => a + b)).to.equal(20);
  });

  it('gives permits that a third tenant frees to the tenant with the fewest, until both have as many', () => {
    const { permits, schedule } = scheduleOf(many('flood', 300), { inAll: 20 });
    const third = ownerOf('third/a');
    for (let n = 0; n < 10; n += 1) permits.acquire(third, NOW);
    schedule.acquire(NOW);
    schedule.expect('calm/a', NOW);
    for (let n = 0; n < 10; n += 1) {
      permits.release(third);
      schedule.acquire(NOW, third, true);
    }
    expect([permits.ofTenant('flood'), permits.ofTenant('calm')]).to.deep.equal([10, 10]);
  });

  it('gives the next permit to the tenant with the fewest, then to its receiver with the fewest', () => {
    const { permits, schedule } = scheduleOf([...many('flood', 190), 'calm/a']);
    schedule.acquire(NOW);
    expect(permits.ofTenant('flood')).to.equal(192);
    schedule.expect('flood/healthy', NOW);
    permits.release(ownerOf('flood/r3'));
    expect([...schedule.acquire(NOW, ownerOf('flood/r3'))]).to.deep.equal([['flood/healthy', 1]]);
  });

  it('gives the next permit of a receiver to the other tenant that waits for it', () => {
    const { permits, schedule } = scheduleOf(['flood/email']);
    schedule.acquire(NOW);
    schedule.expect('calm/email', NOW);
    expect([...schedule.acquire(NOW)]).to.deep.equal([]);
    permits.release(ownerOf('flood/email'));
    expect([...schedule.acquire(NOW, ownerOf('flood/email'))]).to.deep.equal([['calm/email', 1]]);
  });

  it('gives a freed permit to queues of its tenant or its receiver alone, unless the node had none free', () => {
    const owner = ownerOf('acme/email');
    for (const [full, expected] of [
      [false, ['calm/email']],
      [true, ['calm/email', 'calm/other', 'third/a']],
    ] as const) {
      const { permits, schedule } = scheduleOf(['acme/email'], { perReceiver: 1 });
      schedule.acquire(NOW);
      for (const queue of ['calm/email', 'calm/other', 'third/a']) schedule.expect(queue, NOW);
      permits.release(owner);
      expect([...schedule.acquire(NOW, owner, full).keys()].toSorted()).to.deep.equal(expected);
    }
  });

  it('gives a freed permit to the other queues first, even if its own queue waited first', () => {
    const { permits, schedule } = scheduleOf(['acme/a', 'acme/b'], { perTenant: 1 });
    permits.acquire(ownerOf('acme/a'), NOW);
    permits.release(ownerOf('acme/a'));
    expect([...schedule.acquire(NOW, ownerOf('acme/a'))]).to.deep.equal([['acme/b', 1]]);
  });

  it('gives permits to equal queues in turn', () => {
    const { permits, schedule } = scheduleOf(many('acme', 3), { perTenant: 1 });
    const order: string[] = [];
    for (let i = 0; i < 6; i += 1) {
      const [[queue] = ['none']] = [...schedule.acquire(NOW)];
      order.push(queue);
      permits.release(ownerOf(queue));
    }
    expect(order).to.deep.equal([...many('acme', 3), ...many('acme', 3)]);
  });

  it('holds a queue for 250 ms after 16 failures in a row, until an attempt has a final answer', () => {
    const { permits, schedule } = scheduleOf(['acme/a'], { perReceiver: 1 });
    const gets = (now: number): boolean => {
      const got = schedule.acquire(now).has('acme/a');
      if (got) permits.release(ownerOf('acme/a'));
      return got;
    };
    for (let n = 0; n < 16; n += 1) {
      expect(gets(NOW), `after ${n} failures`).to.equal(true);
      permits.ended(ownerOf('acme/a'), false, NOW);
    }
    expect(gets(NOW + 249)).to.equal(false);
    expect(schedule.isDue('acme/a', NOW)).to.equal(true);
    expect(gets(NOW + 250)).to.equal(true);
    permits.ended(ownerOf('acme/a'), false, NOW + 250);
    expect(gets(NOW + 251)).to.equal(false);
    permits.ended(ownerOf('acme/a'), true, NOW + 251);
    expect(gets(NOW + 251)).to.equal(true);
  });

  it('gives a freed permit to no queue that failed last: its retries wait for the next tick', () => {
    const { permits, schedule } = scheduleOf(['acme/failing', 'acme/well'], { inAll: 1 });
    permits.ended(ownerOf('acme/failing'), false, NOW);
    const freed = (forAnybody: boolean) => [...schedule.acquire(NOW, ownerOf('acme/well'), forAnybody)];
    expect(freed(true)).to.deep.equal([['acme/well', 1]]);
    permits.release(ownerOf('acme/well'));
    schedule.learn('acme/well', Infinity, NOW);
    expect([freed(true), freed(false)]).to.deep.equal([[], []]);
    expect([...schedule.acquire(NOW)]).to.deep.equal([['acme/failing', 1]]);
  });

  it('gives a freed permit to a retry that found none free at any tick for a second', () => {
    const { permits, schedule } = scheduleOf(['acme/email', 'calm/email'], { perReceiver: 1 });
    permits.ended(ownerOf('calm/email'), false, NOW);
    const granted: string[] = [];
    permits.acquire(ownerOf('acme/email'), NOW);
    for (let ms = 0; ms < 4_000; ms += 10) {
      if (ms % 250 === 0) expect([...schedule.acquire(NOW + ms)], 'no permit is free').to.deep.equal([]);
      const owner = ownerOf(granted.at(-1) ?? 'acme/email');
      permits.release(owner);
      granted.push(...schedule.acquire(NOW + ms, owner).keys());
    }
    expect(granted.filter((queue) => queue === 'calm/email')).to.have.length(3);
    expect(granted).to.have.length(400);
  });

  it('uses the due time in the store, and the times that were expected after the store was asked', () => {
    const { schedule } = scheduleOf(['acme/a']);
    schedule.expect('acme/a', NOW + 50);
    schedule.learn('acme/a', Infinity, NOW);
    expect(schedule.isDue('acme/a', NOW + 49)).to.equal(false);
    schedule.expect('acme/a', NOW + 20);
    schedule.learn('acme/a', NOW + 90, NOW + 10);
    expect(schedule.isDue('acme/a', NOW + 20)).to.equal(true);
    schedule.learn('acme/a', NOW + 90, NOW + 20);
    expect(schedule.isDue('acme/a', NOW + 89)).to.equal(false);
    expect(schedule.isDue('acme/a', NOW + 90)).to.equal(true);
  });

  it('holds at most 1,000 queues of a tenant, the newest, and drops none of another tenant', () => {
    const { schedule } = scheduleOf(['calm/a', ...many('flood', 3_000)]);
    expect(schedule.isDue('calm/a', NOW)).to.equal(true);
    expect(many('flood', 3_000).filter((queue) => schedule.isDue(queue, NOW))).to.have.length(1_000);
    expect(schedule.isDue('flood/r2999', NOW)).to.equal(true);
  });
});
