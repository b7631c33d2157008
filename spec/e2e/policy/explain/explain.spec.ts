import { expect } from 'chai';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import type { ApiClient } from '../../api-client.js';
import { scenes } from '../../scene.js';
import {
  addRule,
  addSubscribedRule,
  arrived,
  cpu,
  firedIn,
  okBody,
  subscribe,
  windowSize,
} from '../actions.js';
import { BOTH, BUSY, explain, history, ISO, measure, only, standing } from './explained.js';

describe('explain', () => {
  const open = scenes();
  let api: ApiClient;
  beforeEach(async () => {
    ({ api } = await open.service());
    await windowSize(api, 2);
  });

  it('says that nothing subscribes to a rule', async () => {
    const ruleId = await addRule(api, 'web-1', BUSY);
    expect(await explain(api, ruleId)).to.deep.equal({
      ruleId,
      serverId: 'web-1',
      windows: { cpu: { size: 2, values: [] } },
      lastFact: null,
      subscriptions: [],
      sentence: 'Not evaluated: no subscription of this server has this rule.',
    });
  });

  it('says what is missing before the first evaluation', async () => {
    const ruleId = await addRule(api, 'web-1', BOTH);
    const subscriptionId = await subscribe(api, 'web-1', ruleId, 'http://127.0.0.1:9/x');
    await measure(api, { cpuLoadPct: 90 });
    const { lastFact, ...rest } = await explain(api, ruleId);
    expect(lastFact!.id).to.equal(1);
    expect(lastFact!.at).to.match(ISO);
    expect(rest).to.deep.equal({
      ruleId,
      serverId: 'web-1',
      windows: { cpu: { size: 2, values: [90] }, mem: { size: 2, values: [] } },
      subscriptions: [
        {
          subscriptionId,
          url: 'http://127.0.0.1:9/x',
          state: 'filling',
          since: null,
          sentence: 'Not evaluated: the window of cpu holds 1 of 2 values.',
          comparisons: [
            { metric: 'cpu', aggregate: 'mean', result: null, operand: 'greater', value: 85, holds: null },
            {
              metric: 'mem',
              aggregate: 'mean',
              result: null,
              operand: 'greater equal',
              value: 70,
              holds: null,
            },
          ],
          firings: 0,
          unsent: 0,
          lastFiring: null,
        },
      ],
    });
    await measure(api, { cpuLoadPct: 90 });
    expect((await only(api, ruleId)).sentence).to.equal(
      'Not evaluated: the window of mem holds 0 of 2 values.',
    );
    expect(await history(api)).to.deep.equal([]);
  });

  it('says what a subscription to full windows waits for', async () => {
    await measure(api, { cpuLoadPct: 90, usedMemPct: 80 }, { cpuLoadPct: 90, usedMemPct: 80 });
    const { ruleId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/x', BOTH);
    expect(await only(api, ruleId)).to.include({
      state: 'filling',
      sentence: 'Not evaluated: the windows are full, and the next measurement of cpu or mem decides.',
    });
    await measure(api, { netLoadPct: 1 });
    expect((await only(api, ruleId)).state).to.equal('filling');
    await measure(api, { usedMemPct: 80 });
    expect((await only(api, ruleId)).state).to.equal('firing');
  });

  it('says which comparisons do not hold', async () => {
    const { ruleId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/x', BOTH);
    await measure(api, { cpuLoadPct: 71.2, usedMemPct: 80 }, { cpuLoadPct: 71.2, usedMemPct: 80 });
    const calm = await only(api, ruleId);
    expect(calm).to.include({
      state: 'calm',
      since: null,
      sentence: 'Does not hold: the mean of cpu is 71.2, not greater than 85.',
      firings: 0,
      lastFiring: null,
    });
    expect(calm.comparisons.map(({ metric, result, holds }) => [metric, result, holds])).to.deep.equal([
      ['cpu', 71.2, false],
      ['mem', 80, true],
    ]);
    await measure(api, { usedMemPct: 10.00005 });
    expect((await only(api, ruleId)).sentence).to.equal(
      'Does not hold: the mean of cpu is 71.2, not greater than 85, and the mean of mem is 45, not at least 70.',
    );
  });

  it('says since when a condition holds, and what became of the last message', async () => {
    const gate = { open: () => {} };
    const held = new Promise<void>((resolve) => (gate.open = resolve));
    const receiver = await open.receiver((response) => void held.then(() => response.end()));
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin, BOTH);
    await measure(api, { cpuLoadPct: 90, usedMemPct: 75 }, { cpuLoadPct: 92.8, usedMemPct: 75 });
    const firing = await only(api, ruleId);
    const since = firing.since!;
    expect(firing).to.include({
      state: 'firing',
      sentence:
        `Holds since ${since.slice(0, 19)}Z: the mean of cpu is 91.4, greater than 85, ` +
        'and the mean of mem is 75, at least 70.',
      firings: 1,
      unsent: 0,
    });
    expect(since).to.match(ISO);
    expect(firing.lastFiring).to.deep.include({ at: since, factId: 2, delivery: 'pending' });
    const [first] = firedIn(await arrived(receiver, 1));
    expect(firing.lastFiring!.deliveryId).to.equal(first!.id);
    gate.open();
    await standing(api, ruleId, 'delivered');

    await measure(api, { cpuLoadPct: 95 }, { cpuLoadPct: 5 }, { cpuLoadPct: 5 });
    const past = await history(api);
    expect(past.map(({ from, to, factId }) => [from, to, factId])).to.deep.equal([
      ['firing', 'calm', 4],
      ['filling', 'firing', 2],
    ]);
    expect(past[1]).to.deep.equal({
      at: since,
      ruleId,
      subscriptionId,
      from: 'filling',
      to: 'firing',
      sentence: firing.sentence,
      factId: 2,
    });
    expect(past[0]!.sentence).to.equal('Does not hold: the mean of cpu is 50, not greater than 85.');
    expect(await history(api, '?limit=1')).to.deep.equal(past.slice(0, 1));
    expect(await only(api, ruleId)).to.include({ state: 'calm', since: null, firings: 2 });
  });

  it('says that a delivery is dead, and that it is forgotten', async () => {
    const receiver = await open.receiver((response) => response.writeHead(400).end());
    const { ruleId } = await addSubscribedRule(api, 'web-1', receiver.origin, BUSY);
    await measure(api, { cpuLoadPct: 90 }, { cpuLoadPct: 90 });
    const { deliveryId } = await standing(api, ruleId, 'dead');
    okBody(await api.call('DELETE', `/operator/deliveries/${deliveryId}`));
    expect((await standing(api, ruleId, 'forgotten')).deliveryId).to.equal(deliveryId);
  });

  it('says that a subscription is suspended, and counts what was not sent', async () => {
    const receiver = await open.receiver((response) => response.writeHead(410).end());
    const { ruleId } = await addSubscribedRule(api, 'web-1', receiver.origin, BUSY);
    await measure(api, { cpuLoadPct: 90 }, { cpuLoadPct: 90 });
    const suspended = await eventually(
      async () => (await only(api, ruleId)).suspended,
      SOON_MS,
      () => 'the subscription is not suspended',
    );
    await cpu(api, 'web-1', 92);
    const { since, sentence, ...rest } = await only(api, ruleId);
    expect(sentence).to.equal(
      `Suspended since ${suspended.slice(0, 19)}Z, its receiver refused. ` +
        `Holds since ${since!.slice(0, 19)}Z: the mean of cpu is 91, greater than 85.`,
    );
    expect(rest).to.deep.include({ state: 'firing', suspended, firings: 1, unsent: 1 });
  });
});
