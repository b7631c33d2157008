import { expect } from 'chai';
import { AGGREGATES } from '../../../src/policy/rules/condition.js';
import { METRICS } from '../../../src/policy/rules/metrics.js';
import { apiClient, type ApiClient } from '../api-client.js';
import { ALWAYS, addSubscribedRule, factsBody, okBody, windowSize } from '../policy/actions.js';
import { runService } from '../running-service.js';
import { watchLoop } from './loop-holds.js';

const ELEMENTS = 1_000;
const TRIES = 5;

/** A condition that never holds, and compares each aggregate of each metric of the document. */
const condition = {
  any: METRICS.map((metric) => ({
    all: AGGREGATES.map((aggregate) => ({
      [metric]: { value: 100, operand: 'greater', clear: 100, aggregate },
    })),
  })),
};

const body = factsBody(
  ...Array.from({ length: ELEMENTS }, (_, i) => ({
    cpuLoadPct: (i * 37) % 100,
    usedMemPct: ((i * 61) % 1_000) / 10,
    netLoadPct: i % 7,
    freeSpacePct: 50,
  })),
);

describe('1,000 measurements in one request', () => {
  it('hold the event loop for windows of 10,000 values hardly longer than for windows of 100', async () => {
    const running = await runService({ WINDOW_MAX: '10000', WINDOW_GAP_S: '0' });
    const watch = watchLoop(running.url);
    try {
      const api: ApiClient = await apiClient(running.url);
      const asked = {
        method: 'POST',
        path: '/v1.0/demo/servers/web-1',
        headers: { 'Content-Type': 'application/json' },
        body: Buffer.from(JSON.stringify(body)),
      };
      await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', { ...ALWAYS, condition });
      const least = async (size: number): Promise<number> => {
        await windowSize(api, size);
        for (let i = 0; i < size; i += ELEMENTS) okBody(await api.call('POST', asked.path, body));
        let ms = Infinity;
        for (let i = 0; i < TRIES; i += 1) ms = Math.min(ms, (await watch.hold(asked)).ms);
        return ms;
      };
      const short = await least(100);
      const long = await least(10_000);
      console.log(`      100 values: ${short.toFixed(1)} ms, 10,000 values: ${long.toFixed(1)} ms`);
      // What remains is the text of 40,000 values, which is written once.
      expect(long).to.be.below(5 * short + 25);
    } finally {
      await watch.close();
      await running.close();
    }
  });
});
