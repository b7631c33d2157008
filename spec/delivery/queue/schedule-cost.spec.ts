import { expect } from 'chai';
import { createPermits, ownerOf, type Permits } from '../../../src/delivery/queue/permits.js';
import { createSchedule, type Schedule } from '../../../src/delivery/queue/schedule.js';

const TENANTS = 8;
const QUEUES = 200;
const LIMITS = { perReceiver: 16, perTenant: 64, inAll: 64 * TENANTS };

describe('the cost of giving permits to many waiting queues', () => {
  let asked: number;
  let permits: Permits;
  let schedule: Schedule;
  const queueOf = (tenant: number, n: number): string => `t${tenant}/http://r${tenant}-${n}.example`;
  beforeEach(() => {
    asked = 0;
    const counts = createPermits(LIMITS);
    for (let tenant = 0; tenant < TENANTS; tenant += 1)
      for (let n = 0; n < QUEUES; n += 1) counts.ended(ownerOf(queueOf(tenant, n)), true, 1);
    permits = {
      ...counts,
      get full() {
        return counts.full;
      },
      fits(owner, now) {
        asked += 1;
        return counts.fits(owner, now);
      },
      ofQueue(queue) {
        asked += 1;
        return counts.ofQueue(queue);
      },
    };
    schedule = createSchedule(permits);
  });

  const expectAll = (at: number): void => {
    for (let tenant = 0; tenant < TENANTS; tenant += 1)
      for (let n = 0; n < QUEUES; n += 1) schedule.expect(queueOf(tenant, n), at);
  };

  it('grows with the number of queues, not with permits times queues, when all permits are given', () => {
    expectAll(1);
    const acquired = schedule.acquire(2);
    expect([...acquired.values()].reduce((sum, count) => sum + count, 0)).to.equal(LIMITS.inAll);
    expect(asked).to.be.below(TENANTS * QUEUES * 5);
  });

  it('grows with the queues of one tenant when one permit is free', () => {
    expectAll(1);
    const [first] = schedule.acquire(2).keys();
    asked = 0;
    const owner = ownerOf(first!);
    permits.release(owner);
    expect(schedule.acquire(3, owner, true).size).to.equal(1);
    expect(asked).to.be.below(QUEUES * 3);
  });

  it('is zero for a tenant without due deliveries', () => {
    expectAll(1_000);
    expect(schedule.acquire(2).size).to.equal(0);
    expect(asked).to.equal(0);
    schedule.expect(queueOf(3, 7), 500);
    expect([...schedule.acquire(499).keys()]).to.deep.equal([]);
    expect([...schedule.acquire(500)]).to.deep.equal([[queueOf(3, 7), LIMITS.perReceiver]]);
    expect(schedule.acquire(1_000).size).to.be.above(TENANTS);
  });
});
