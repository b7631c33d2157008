import { expect } from 'chai';
import { createSlots, ownerOf, type Slots } from '../../../src/delivery/queue/slots.js';
import { createSchedule, type Schedule } from '../../../src/delivery/queue/schedule.js';

const TENANTS = 8;
const QUEUES = 200;
const LIMITS = { perReceiver: 16, perTenant: 64, inAll: 64 * TENANTS };

describe('the cost of granting slots to many waiting queues', () => {
  let asked: number;
  let slots: Slots;
  let schedule: Schedule;
  const queueOf = (tenant: number, n: number): string => `t${tenant}/http://r${tenant}-${n}.example`;
  beforeEach(() => {
    asked = 0;
    const counts = createSlots(LIMITS);
    slots = {
      ...counts,
      get full() {
        return counts.full;
      },
      fits(owner) {
        asked += 1;
        return counts.fits(owner);
      },
      ofQueue(queue) {
        asked += 1;
        return counts.ofQueue(queue);
      },
    };
    schedule = createSchedule(slots);
  });

  const expectAll = (at: number): void => {
    for (let tenant = 0; tenant < TENANTS; tenant += 1)
      for (let n = 0; n < QUEUES; n += 1) schedule.expect(queueOf(tenant, n), at);
  };

  it('grows with the number of queues, not with slots times queues, when all slots are granted', () => {
    expectAll(1);
    const granted = schedule.grant(2);
    expect([...granted.values()].reduce((sum, count) => sum + count, 0)).to.equal(LIMITS.inAll);
    expect(asked).to.be.below(TENANTS * QUEUES * 5);
  });

  it('grows with the queues of one tenant when one slot is free', () => {
    expectAll(1);
    const [first] = schedule.grant(2).keys();
    asked = 0;
    const owner = ownerOf(first!);
    slots.free(owner);
    expect(schedule.grant(3, owner, true).size).to.equal(1);
    expect(asked).to.be.below(QUEUES * 3);
  });

  it('is zero for a tenant without due deliveries', () => {
    expectAll(1_000);
    expect(schedule.grant(2).size).to.equal(0);
    expect(asked).to.equal(0);
    schedule.expect(queueOf(3, 7), 500);
    expect([...schedule.grant(499).keys()]).to.deep.equal([]);
    expect([...schedule.grant(500)]).to.deep.equal([[queueOf(3, 7), LIMITS.perReceiver]]);
    expect(schedule.grant(1_000).size).to.be.above(TENANTS);
  });
});
