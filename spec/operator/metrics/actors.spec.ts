import { expect } from 'chai';
import { Registry } from 'prom-client';
import { actorMetrics } from '../../../src/operator/metrics/actors.js';

describe('the metrics of the actors', () => {
  it('read the figures of the actors once for each scrape', async () => {
    const registry = new Registry();
    let reads = 0;
    const figures = { resident: 1, characters: 1, waiting: 1, longestMailbox: 1, commitsPending: 1 };
    actorMetrics(registry).observe({
      stats: () =>
        ({ ...figures, effectsRunning: 1, outgoing: (reads += 1), refused: { mailbox: 1 } }) as never,
    });
    await registry.metrics();
    expect(reads).to.equal(1);
    expect(await registry.metrics()).to.match(/^mirzam_outgoing_characters 2$/m);
    expect(reads).to.equal(2);
  });
});
