import { expect } from 'chai';
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { durations } from '../../../src/operator/metrics/durations.js';

describe('a histogram of durations', () => {
  const head = { name: 'seconds', help: 'How long "it" took' };
  const bounds = [0.001, 0.25, 30];
  const duration = fc.oneof(fc.constantFrom(0, ...bounds), fc.double({ min: 0, max: 40, noNaN: true }));
  const label = fc.constantFrom('GET', 'a "b" \\ c');

  it('is scraped as that of prom-client', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(label, duration)), async (observed) => {
        const [own, theirs] = [new Registry(), new Registry()];
        const made = durations<'method'>(own, head, bounds);
        const histogram = new Histogram({
          ...head,
          labelNames: ['method'],
          buckets: bounds,
          registers: [theirs],
        });
        const known = new Map<string, ReturnType<typeof made>>();
        for (const [method, seconds] of observed) {
          if (!known.has(method)) known.set(method, made({ method }));
          known.get(method)!.observe(seconds);
          histogram.observe({ method }, seconds);
        }
        expect(await own.metrics()).to.equal(await theirs.metrics());
      }),
    );
  });
});
