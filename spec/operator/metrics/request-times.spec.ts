import { expect } from 'chai';
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { RequestTimes } from '../../../src/operator/metrics/request-times.js';

describe('the times of requests', () => {
  const answer = fc.record({
    method: fc.constantFrom('GET', 'POST', 'other'),
    status: fc.constantFrom(200, 404),
    seconds: fc.oneof(fc.constantFrom(0, 0.001, 0.0025, 30), fc.double({ min: 0, max: 40, noNaN: true })),
    route: fc.constantFrom('none', '/a/:b', '/"\\'),
  });

  it('are the text of a histogram of prom-client, sample by sample', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answer), async (answers) => {
        const [own, other] = [new Registry(), new Registry()];
        const times = new RequestTimes(own);
        const { name, help } = await times.get();
        const expected = new Histogram({
          name,
          help,
          labelNames: ['method', 'route', 'status'],
          buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
          registers: [other],
        });
        for (const { method, status, seconds, route } of answers) {
          times.add(method, status, seconds, route);
          expected.observe({ method, route, status }, seconds);
        }
        expect(await own.metrics()).to.equal(await other.metrics());
      }),
    );
  });
});
