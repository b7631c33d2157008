import { expect } from 'chai';
import { NO_METRICS } from '../../../src/config/metrics.js';
import { backtestWork, openBacktests } from '../../../src/policy/http/backtests.js';

const SETTINGS = { metrics: NO_METRICS, windowMax: 100, gapS: 300 };
const ORDER = {
  bytes: Buffer.from(
    JSON.stringify({
      rule: {
        name: 'busy',
        condition: { cpu: { value: 85, operand: 'greater' } },
        action: { actionName: 'notify-scale', operation: 'scaleUp' },
      },
      facts: [{ at: '2026-11-21T12:00:00Z', cpu: 90 }],
    }),
  ),
  windowsize: 1,
};

describe('the thread of backtests', () => {
  it('answers with bytes in memory of their own, which the event loop takes over without a copy', async () => {
    const made = backtestWork(SETTINGS)(ORDER);
    expect([made.byteOffset, made.buffer.byteLength]).to.deep.equal([0, made.byteLength]);
    const backtests = openBacktests(SETTINGS);
    try {
      const answer = await backtests.run(ORDER);
      expect(answer.equals(made)).to.equal(true);
      expect(JSON.parse(answer.toString())).to.deep.include({ evaluations: 1, firings: 1 });
    } finally {
      await backtests.close();
    }
  });
});
