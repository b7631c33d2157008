import { expect } from 'chai';
import {
  ABOUT,
  answer,
  DELIVERED,
  deliveryIn,
  GIVE_UP,
  newDelivery,
  NOON,
  RETRY,
  wake,
  WEBHOOK,
} from './driven-delivery.js';

describe('a delivery after a failed attempt', () => {
  it('waits with exponential back-off and jitter, from 1 s to 5 min', () => {
    const delivery = deliveryIn('sending');
    const waits: number[] = [];
    for (let i = 0, now = NOON; i < 11; i += 1) {
      answer(delivery, RETRY, now, 0.5);
      expect(delivery.state).to.equal('waiting');
      expect(delivery.context.outbox).to.be.empty;
      waits.push(delivery.context.wakeAt! - now);
      now = delivery.context.wakeAt!;
      wake(delivery, now);
      expect(delivery.context.outbox).to.deep.equal([{ id: `attempt:${i + 2}`, type: 'attempt' }]);
    }
    expect(waits).to.deep.equal([
      500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 150_000, 150_000,
    ]);
  });

  it('waits at least as long as its receiver asks', () => {
    const delivery = deliveryIn('sending');
    answer(delivery, { ...RETRY, retryAfterS: 120 }, NOON, 0.5);
    expect(delivery.context.wakeAt).to.be.within(NOON + 120_000, NOON + 121_000);
  });

  it('is not tried before its time', () => {
    const delivery = deliveryIn('waiting');
    const { wakeAt } = delivery.context;
    wake(delivery, wakeAt! - 1);
    expect(delivery.state).to.equal('waiting');
    expect(delivery.context.outbox).to.be.empty;
    wake(delivery, wakeAt!);
    expect(delivery.state).to.equal('sending');
    expect(delivery.context.wakeAt).to.equal(undefined);
  });

  it('is delivered when a later attempt succeeds', () => {
    const delivery = deliveryIn('waiting');
    wake(delivery, NOON + 1_000);
    answer(delivery, DELIVERED, NOON + 1_001);
    expect(delivery.state).to.equal('delivered');
    expect(delivery.context.attempts.map(({ result }) => result)).to.deep.equal(['retry', 'delivered']);
    expect(delivery.context.tries).to.equal(2);
  });

  it('is given up after its time, counted from its first dispatch', () => {
    const delivery = deliveryIn('sending');
    answer(delivery, RETRY, NOON + GIVE_UP - 1);
    expect(delivery.state).to.equal('waiting');
    wake(delivery, delivery.context.wakeAt!);
    answer(delivery, RETRY, NOON + GIVE_UP);
    expect(delivery.state).to.equal('dead');
    const outbox = [{ id: `report:${NOON + GIVE_UP}`, type: 'report' }];
    expect(delivery.context).to.deep.include({ outbox, tries: 2 });
    expect(delivery.context.attempts.at(-1)).to.deep.equal({
      at: NOON + GIVE_UP,
      result: 'retry',
      detail: '503 in 3 ms',
    });
  });

  it('has its last attempt when it is given up, even if its receiver asks to wait longer', () => {
    const delivery = deliveryIn('sending');
    answer(delivery, { ...RETRY, retryAfterS: (2 * GIVE_UP) / 1_000 }, NOON + 5);
    expect(delivery.context.wakeAt).to.equal(NOON + GIVE_UP);
  });

  it('is delivered if an attempt succeeds after that time', () => {
    const delivery = deliveryIn('sending');
    answer(delivery, DELIVERED, NOON + GIVE_UP + 1);
    expect(delivery.state).to.equal('delivered');
  });

  it('keeps its newest 20 attempts', () => {
    const delivery = deliveryIn('sending');
    for (let i = 1; i <= 25; i += 1) {
      answer(delivery, { result: 'retry', detail: `try ${i}` }, NOON + i, 0);
      wake(delivery, NOON + i);
    }
    expect(delivery.context.tries).to.equal(25);
    expect(delivery.context.attempts.map(({ detail }) => detail)).to.deep.equal(
      Array.from({ length: 20 }, (_, i) => `try ${i + 6}`),
    );
  });

  it('is tried when it has a permit, even before its time', () => {
    const delivery = deliveryIn('sending');
    answer(delivery, { ...RETRY, retryAfterS: 600 }, NOON);
    delivery.ask({ type: 'acquired', now: NOON });
    expect(delivery.state).to.equal('sending');
    expect(delivery.context).to.deep.include({
      wakeAt: undefined,
      outbox: [{ id: 'attempt:2', type: 'attempt' }],
    });
  });

  it('ignores a permit unless it waits', () => {
    for (const state of ['new', 'sending', 'delivered', 'dead', 'gone'] as const) {
      const delivery = deliveryIn(state);
      const before = structuredClone(delivery.context);
      delivery.ask({ type: 'acquired', now: NOON });
      expect(delivery.state).to.equal(state);
      expect(delivery.context).to.deep.equal(before);
    }
  });

  it('waits at once if it is dispatched without a permit, and keeps the time of its dispatch', () => {
    const delivery = newDelivery();
    delivery.ask({ type: 'dispatch', now: NOON, message: WEBHOOK, about: ABOUT, until: NOON + 5 });
    expect(delivery.state).to.equal('waiting');
    expect(delivery.context).to.deep.include({ since: NOON, tries: 0, outbox: [], wakeAt: NOON + 5 });
    delivery.ask({ type: 'acquired', now: NOON + 9 });
    expect(delivery.context.outbox).to.deep.equal([{ id: 'attempt:1', type: 'attempt' }]);
    expect(delivery.context.since).to.equal(NOON);
  });
});
