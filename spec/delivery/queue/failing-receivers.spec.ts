import { expect } from 'chai';
import { createPermits, ownerOf } from '../../../src/delivery/queue/permits.js';
import { createSchedule } from '../../../src/delivery/queue/schedule.js';

describe('a tenant with many failing receivers', () => {
  const queues = Array.from({ length: 1_000 }, (_, n) => `acme/http://r${n}.example`);

  /** Fails every acquired attempt at once; returns the number of attempts in each second. */
  const attempts = (seconds: number): { counts: number[]; healthy: number } => {
    const permits = createPermits({ perReceiver: 16, perTenant: 256, inAll: 2_048 });
    const schedule = createSchedule(permits);
    for (const queue of queues) schedule.expect(queue, 1);
    const counts: number[] = [];
    let healthy = 0;
    for (let second = 0; second < seconds; second += 1) {
      let count = 0;
      for (let now = second * 1_000 + 1; now < (second + 1) * 1_000; now += 250) {
        schedule.expect('acme/http://healthy.example', now);
        for (const [queue, acquired] of schedule.acquire(now)) {
          for (let n = 0; n < acquired; n += 1) permits.release(ownerOf(queue));
          if (queue.includes('healthy')) {
            if (second >= 40) healthy += 1;
            schedule.learn(queue, Infinity, now);
          } else {
            count += acquired;
            for (let n = 0; n < acquired; n += 1) permits.ended(ownerOf(queue), false, now);
            schedule.expect(queue, now);
          }
        }
      }
      counts.push(count);
    }
    return { counts, healthy };
  };

  it('gets 64 failing attempts a second after the first burst, and every attempt at a healthy receiver', () => {
    const { counts, healthy } = attempts(80);
    expect(counts.slice(40).reduce((sum, count) => sum + count, 0)).to.be.within(
      40 * 64 - 256,
      40 * 64 + 256,
    );
    expect(healthy).to.equal(40 * 4);
    expect(Math.max(...counts.slice(40)), 'attempts at once').to.be.below(100);
  });

  it('is not held after a clock was set back', () => {
    const permits = createPermits({ perReceiver: 16, perTenant: 256, inAll: 2_048 });
    for (let n = 0; n < 2_000; n += 1) {
      const owner = ownerOf(queues[n % 1_000]!);
      permits.acquire(owner, 3_600_000);
      permits.ended(owner, false, 3_600_000);
      permits.release(owner);
    }
    expect(permits.isHeld(ownerOf(queues[0]!), 3_600_000)).to.equal(true);
    expect(permits.isHeld(ownerOf(queues[0]!), 0)).to.equal(false);
  });
});
