import { expect } from 'chai';
import { NO_METRICS } from '../../../src/config/metrics.js';
import { Refusal } from '../../../src/errors.js';
import { jsonBytes } from '../../../src/http/body/body.js';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import type { Principal } from '../../../src/identity/port.js';
import { type Backtests, backtestWork, openBacktests } from '../../../src/policy/http/backtests.js';
import { policyRoutes, type PolicyRoutesOptions } from '../../../src/policy/http/routes.js';
import type { Policy } from '../../../src/policy/policy.js';
import { edges, errorIn } from '../../http/edge.js';
import { rejectionOf } from '../../rejection.js';

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

  it('serves the tenants in turns, and refuses before the work what may not begin', async () => {
    const backtests = openBacktests(SETTINGS);
    try {
      const served: string[] = [];
      const run = (client: string, begin = (): void => undefined, order = ORDER) =>
        backtests.run({ ...order, client, begin }).then(() => served.push(client));
      const full = new Refusal('unavailable', 'too many long answers');
      const refuse = (): never => {
        throw full;
      };
      // Of no JSON: the work would end in another refusal.
      const refused = rejectionOf(run('c', refuse, { ...ORDER, bytes: Buffer.from('{') }));
      const all = ['a', 'a', 'a', 'a', 'a', 'b'].map((client) => run(client));
      expect(await refused).to.equal(full);
      await Promise.all(all);
      expect(served.join('')).to.equal('abaaaa');
    } finally {
      await backtests.close();
    }
  });
});

describe('the route of backtests', () => {
  const start = edges();
  const LIMIT = 200_000;

  it('reserves the answer before the work, and counts it for the tenant', async () => {
    const seen: (string | undefined)[] = [];
    const backtests: Backtests = {
      async run({ begin, client }) {
        begin!();
        seen.push(client);
        return Buffer.from('{}');
      },
      close: async () => undefined,
    };
    const authenticated: EdgeMiddleware = (ctx, next) => {
      ctx.state.principal = { tenant: { id: 't1', name: 'demo' } } as Principal;
      return next();
    };
    const tenants = { seen: async () => undefined, read: async () => ({ window: { size: 5 } }) };
    const table = policyRoutes({
      policy: { tenants } as unknown as Policy,
      authenticated,
      backtests,
      backtestBody: jsonBytes({ limit: LIMIT }),
      metrics: { any: false, listed: [] },
      operators: { bearerOf: () => undefined },
    } as unknown as PolicyRoutesOptions);
    const { url } = await start([table], {
      admission: { maxInFlight: 100, answerCharacters: LIMIT, exempt: [] },
    });
    const post = (length: number) =>
      fetch(`${url}/v1.0/demo/rules/backtest`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify('x'.repeat(length)),
      });
    expect((await post(LIMIT / 4)).status).to.equal(200);
    const refused = await post(LIMIT / 2);
    expect(refused.status).to.equal(503);
    expect((await errorIn(refused)).message).to.include('too many long answers');
    expect(seen).to.deep.equal(['t1']);
  });
});
