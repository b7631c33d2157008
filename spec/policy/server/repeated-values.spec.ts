import { expect } from 'chai';
import type { Measures } from '../../../src/policy/rules/metrics.js';
import type { FactsReply } from '../../../src/policy/server/server-context.js';
import { driveServer, NOON, ruleOf, tenantView } from './driven-server.js';

describe('values that come with times', () => {
  it('are compared with the time of the last value counted, also after an older value came with another metric', () => {
    const server = driveServer();
    const tenant = tenantView(5);
    const notify = (measures: Measures, times: Measures): FactsReply =>
      server.ask({
        type: 'facts',
        now: NOON,
        measures: [measures],
        times: [times],
        source: undefined,
        tenant,
      }) as FactsReply;
    notify({ cpu: 97 }, { cpu: 10 });
    expect(notify({ cpu: 50, mem: 1 }, { cpu: 5, mem: 20 }).counted).to.equal(true);
    expect(notify({ cpu: 97 }, { cpu: 10 })).to.include({ counted: false, repeated: 1 });
    notify({ cpu: 98, mem: 1 }, { cpu: 11, mem: 20 });
    const { cpu, mem } = server.context.windows;
    expect([cpu.values, cpu.told]).to.deep.equal([[97, 98], 11]);
    expect([mem.values, mem.told]).to.deep.equal([[1], 20]);
  });

  it('count once where no subscription needs their metric, and no second time for one that comes', () => {
    const server = driveServer();
    const tenant = tenantView(1);
    const notify = (queue: number, time: number): FactsReply =>
      server.ask({
        type: 'facts',
        now: NOON,
        measures: [{ queue }],
        times: [{ queue: time }],
        source: undefined,
        tenant,
      }) as FactsReply;
    expect(notify(9, 10)).to.include({ counted: true, factId: 1 });
    expect(notify(9, 10)).to.include({ counted: false, repeated: 1, factId: 1 });
    server.addRule(ruleOf({ condition: { queue: { value: 5, operand: 'greater' } } }));
    server.subscribe({ id: 's1', ruleId: 'r1', url: 'https://example.org/hook' });
    expect(notify(9, 10)).to.include({ counted: false, fired: 0 });
    expect(notify(9, 11)).to.include({ counted: true, fired: 1 });
    server.ask({ type: 'unsubscribe', subscriptionId: 's1', now: NOON });
    server.measure({ cpu: 1 });
    expect(notify(9, 11)).to.include({ counted: false });
  });
});
