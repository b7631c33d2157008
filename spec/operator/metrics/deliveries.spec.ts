import { expect } from 'chai';
import { addSubscribedRule, arrived, cpu, subscribe, windowSize } from '../../e2e/policy/actions.js';
import { deliveries } from '../../e2e/policy/deliveries.js';
import { scenes } from '../../e2e/scene.js';
import { scrape, scrapeUntil } from '../scrape.js';

describe('the metrics of deliveries', () => {
  const open = scenes();
  const webhook = { channel: 'webhook' };

  it('tell attempts, the time to the delivery, and that no message waits', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', receiver.origin);
    const begun = performance.now();
    for (const value of [1, 2]) await cpu(api, 'web-1', value);
    await arrived(receiver, 2);
    const after = await scrapeUntil(url, ({ sum }) => {
      expect(sum('mirzam_delivery_seconds_count', webhook)).to.equal(2);
      expect(sum('mirzam_deliveries', { state: 'sending' })).to.equal(0);
    });
    const seconds = (performance.now() - begun) / 1_000;
    expect(after.sum('mirzam_delivery_seconds_sum', webhook)).to.be.within(0, 2 * seconds);
    expect(after.sum('mirzam_delivery_attempts_total', { ...webhook, result: 'delivered' })).to.equal(2);
    expect(after.sum('mirzam_deliveries')).to.equal(0);
    expect(after.sum('mirzam_delivery_oldest_age_seconds')).to.equal(0);
    expect(after.sum('mirzam_store_up')).to.equal(1);
  });

  it('tell how many messages wait for another attempt, and how old the oldest is', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver((response) => response.writeHead(503).end());
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', receiver.origin);
    const begun = Date.now();
    for (const value of [1, 2]) await cpu(api, 'web-1', value);
    const found = await scrapeUntil(url, ({ sum }) => {
      expect(sum('mirzam_deliveries', { state: 'waiting' })).to.equal(2);
    });
    const age = found.sum('mirzam_delivery_oldest_age_seconds')!;
    expect(age)
      .to.be.above(0)
      .and.at.most((Date.now() - begun) / 1000);
    await scrapeUntil(url, ({ sum }) => expect(sum('mirzam_delivery_oldest_age_seconds')).to.be.above(age));
    expect(found.sum('mirzam_delivery_seconds_count')).to.equal(0);
  });

  it('tell new, present and ended dead letters, and suspended subscriptions', async () => {
    const { url, api } = await open.service();
    const status = { now: 410 };
    const receiver = await open.receiver((response) => response.writeHead(status.now).end());
    await windowSize(api, 1);
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin);
    await cpu(api, 'web-1', 1);
    await scrapeUntil(url, ({ sum }) => {
      expect(sum('mirzam_dead_letters_total', webhook)).to.equal(1);
      expect(sum('mirzam_deliveries', { state: 'dead' })).to.equal(1);
      expect(sum('mirzam_suspensions_total')).to.equal(1);
      expect(sum('mirzam_endpoints', { state: 'suspended' })).to.equal(1);
    });
    expect((await scrape(url)).sum('mirzam_dead_letters_ended_total')).to.equal(0);

    status.now = 200;
    await subscribe(api, 'web-1', ruleId, receiver.origin);
    await api.call('POST', '/operator/deliveries/redeliver', { subscriptionId });
    const after = await scrapeUntil(url, ({ sum }) => {
      expect(sum('mirzam_deliveries', { state: 'dead' })).to.equal(0);
      expect(sum('mirzam_endpoints', { state: 'suspended' })).to.equal(0);
      expect(sum('mirzam_delivery_seconds_count', webhook)).to.equal(1);
    });
    expect(after.sum('mirzam_dead_letters_ended_total', { why: 'redelivered' })).to.equal(1);
    expect(after.sum('mirzam_dead_letters_total', webhook)).to.equal(1);
    expect(after.sum('mirzam_suspensions_total')).to.equal(1);
  });

  it('count each dead letter that an operator discards, once', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver((response) => response.writeHead(404).end());
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', receiver.origin);
    for (const value of [1, 2]) await cpu(api, 'web-1', value);
    await scrapeUntil(url, ({ sum }) => expect(sum('mirzam_deliveries', { state: 'dead' })).to.equal(2));
    const [first] = await deliveries(api, 'state=dead');
    const discard = `/operator/deliveries/${first!.id}`;
    expect((await api.call('DELETE', discard)).status).to.equal(200);
    expect((await api.call('DELETE', discard)).status).to.equal(404);
    const { sum } = await scrape(url);
    expect(sum('mirzam_dead_letters_ended_total', { why: 'discarded' })).to.equal(1);
    expect(sum('mirzam_dead_letters_ended_total')).to.equal(1);
  });
});
