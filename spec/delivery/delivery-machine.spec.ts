import { expect } from 'chai';
import {
  ABOUT,
  answer,
  DEAD,
  DELIVERED,
  deliveryIn,
  GIVE_UP,
  KEEP,
  MAIL,
  newDelivery,
  NOON,
  REFUSED,
  RETRY,
  send,
  wake,
  WEBHOOK,
} from './driven-delivery.js';

describe('a delivery', () => {
  for (const message of [WEBHOOK, MAIL]) {
    it(`of a ${message.channel} message is sending at once`, () => {
      const delivery = newDelivery();
      expect(delivery.state).to.equal('new');
      send(delivery, message);
      expect(delivery.state).to.equal('sending');
      expect(delivery.context).to.deep.include({
        message,
        about: ABOUT,
        since: NOON,
        tries: 0,
        attempts: [],
        outbox: [{ id: 'attempt:1', type: 'attempt' }],
        wakeAt: undefined,
      });
    });
  }

  it('of an overdue message is dead without an attempt', () => {
    const delivery = newDelivery();
    delivery.ask({ type: 'dispatch', now: NOON, message: WEBHOOK, about: ABOUT, overdue: true });
    expect(delivery.state).to.equal('dead');
    expect(delivery.context.outbox).to.deep.equal([{ id: `report:${NOON}`, type: 'report' }]);
    expect(delivery.context.message).to.deep.equal(WEBHOOK);
    expect(delivery.context.attempts[0]).to.include({ at: NOON, result: 'overdue' });
  });

  for (const state of ['sending', 'waiting', 'delivered', 'dead', 'gone'] as const) {
    it(`does not change when it is dispatched again while ${state}`, () => {
      const delivery = deliveryIn(state);
      const before = structuredClone(delivery.context);
      send(delivery, MAIL, NOON + 1);
      delivery.ask({ type: 'dispatch', now: NOON + 1, message: MAIL, about: ABOUT, overdue: true });
      expect(delivery.state).to.equal(state);
      expect(delivery.context).to.deep.equal(before);
    });
  }

  it('is delivered after a success, kept for a while, then gone', () => {
    const delivery = deliveryIn('sending');
    answer(delivery, DELIVERED, NOON + 5);
    expect(delivery.state).to.equal('delivered');
    expect(delivery.context).to.deep.include({ outbox: [], tries: 1, wakeAt: NOON + 5 + KEEP });
    expect(delivery.context.attempts).to.deep.equal([
      { at: NOON + 5, result: 'delivered', detail: '200 in 3 ms' },
    ]);
    wake(delivery, NOON + 5 + KEEP - 1);
    expect(delivery.state).to.equal('delivered');
    wake(delivery, NOON + 5 + KEEP);
    expect(delivery.state).to.equal('gone');
  });

  it('is dead after a refusal, and reports to its endpoint', () => {
    const delivery = deliveryIn('sending');
    answer(delivery, REFUSED, NOON + 5);
    expect(delivery.state).to.equal('dead');
    const entryId = `report:${NOON + 5}`;
    const outbox = [{ id: entryId, type: 'report', status: 404 }];
    expect(delivery.context).to.deep.include({ outbox, wakeAt: NOON + 5 + DEAD, tries: 1 });
    delivery.ask({ type: 'performed', now: NOON + 7, entryId: 'report:7' });
    expect(delivery.context).to.deep.include({ outbox });
    delivery.ask({ type: 'performed', now: NOON + 7, entryId });
    expect(delivery.state).to.equal('dead');
    expect(delivery.context).to.deep.include({ outbox: [], wakeAt: NOON + 5 + DEAD, tries: 1 });
    expect(delivery.context.attempts).to.deep.equal([
      { at: NOON + 5, result: 'refused', detail: '404 in 3 ms' },
    ]);
  });

  it('reports no status of a failure without an answer', () => {
    const delivery = deliveryIn('sending');
    answer(delivery, { result: 'refused', detail: 'url: 10.0.0.1 is a private address' });
    expect(delivery.context.outbox).to.deep.equal([{ id: `report:${NOON}`, type: 'report' }]);
    const late = deliveryIn('sending');
    answer(late, RETRY, NOON + GIVE_UP);
    expect(late.state).to.equal('dead');
    expect(late.context.outbox).to.deep.equal([{ id: `report:${NOON + GIVE_UP}`, type: 'report' }]);
  });

  it('informs its endpoint of a success that ends refusals in a row', () => {
    const delivery = deliveryIn('sending');
    delivery.ask({ type: 'answered', now: NOON, answer: DELIVERED, random: 0, endsRefusals: true });
    expect(delivery.state).to.equal('delivered');
    expect(delivery.context.outbox).to.deep.equal([{ id: `delivered:${NOON}`, type: 'delivered' }]);
    delivery.ask({ type: 'performed', now: NOON, entryId: `delivered:${NOON}` });
    expect(delivery.context).to.deep.include({ outbox: [], wakeAt: NOON + KEEP });
  });

  it('ignores an answer while no attempt is in flight', () => {
    for (const state of ['new', 'waiting', 'delivered', 'dead', 'gone'] as const) {
      const delivery = deliveryIn(state);
      const before = structuredClone(delivery.context);
      answer(delivery, REFUSED, NOON + 1);
      delivery.ask({ type: 'postponed', now: NOON + 1, until: NOON + 2 });
      expect(delivery.state).to.equal(state);
      expect(delivery.context).to.deep.equal(before);
    }
  });
});

describe('a delivery without a free permit', () => {
  it('waits without an attempt', () => {
    const delivery = deliveryIn('sending');
    delivery.ask({ type: 'postponed', now: NOON, until: NOON + 700 });
    expect(delivery.state).to.equal('waiting');
    expect(delivery.context).to.deep.include({ outbox: [], wakeAt: NOON + 700, tries: 0, attempts: [] });
    wake(delivery, NOON + 700);
    expect(delivery.context.outbox).to.deep.equal([{ id: 'attempt:1', type: 'attempt' }]);
  });
});

describe('a dead letter', () => {
  it('can be sent again like a new message, and keeps its old attempts', () => {
    const delivery = deliveryIn('dead');
    const later = NOON + 2 * GIVE_UP;
    expect(delivery.ask({ type: 'redeliver', now: later })).to.equal(true);
    expect(delivery.state).to.equal('sending');
    expect(delivery.context).to.deep.include({
      message: WEBHOOK,
      since: later,
      tries: 0,
      outbox: [{ id: 'attempt:1', type: 'attempt' }],
    });
    answer(delivery, RETRY, later + 1, 0.5);
    expect(delivery.state).to.equal('waiting');
    expect(delivery.context.wakeAt).to.equal(later + 1 + 500);
    expect(delivery.context.attempts.map(({ result }) => result)).to.deep.equal(['refused', 'retry']);
  });

  it('is kept until its time is over, and is gone once its endpoint knows', () => {
    const delivery = deliveryIn('dead');
    wake(delivery, NOON + DEAD - 1);
    expect(delivery.context.outbox.map(({ type }) => type)).to.deep.equal(['report']);
    wake(delivery, NOON + DEAD);
    expect(delivery.state).to.equal('dead');
    expect(delivery.context.outbox).to.deep.equal([{ id: 'expire', type: 'expire' }]);
    delivery.ask({ type: 'expired', now: NOON + DEAD });
    expect(delivery.state).to.equal('gone');
  });

  it('is not deleted if it is sent again while it expires', () => {
    const delivery = deliveryIn('dead');
    wake(delivery, NOON + DEAD);
    expect(delivery.ask({ type: 'redeliver', now: NOON + DEAD })).to.equal(true);
    delivery.ask({ type: 'expired', now: NOON + DEAD });
    expect(delivery.state).to.equal('sending');
    answer(delivery, REFUSED, NOON + DEAD + 5);
    delivery.ask({ type: 'expired', now: NOON + DEAD + 6 });
    expect(delivery.state).to.equal('dead');
  });

  it('of a mirrored receipt has no endpoint', () => {
    const delivery = newDelivery();
    const about = { tenant: 'acme', transactionHash: `0x${'ab'.repeat(32)}` };
    delivery.ask({ type: 'dispatch', now: NOON, message: WEBHOOK, about });
    answer(delivery, REFUSED, NOON + 5);
    expect(delivery.state).to.equal('dead');
    expect(delivery.context).to.deep.include({ outbox: [], wakeAt: NOON + 5 + DEAD });
  });

  it('is the only delivery that the limit of its subscription deletes', () => {
    for (const state of ['new', 'sending', 'waiting', 'delivered', 'gone'] as const) {
      const delivery = deliveryIn(state);
      expect(delivery.ask({ type: 'drop', now: NOON + 1 })).to.equal(undefined);
      expect(delivery.state).to.equal(state);
    }
    const dead = deliveryIn('dead');
    expect(dead.ask({ type: 'drop', now: NOON + 1 })).to.equal(true);
    expect(dead.state).to.equal('gone');
  });

  it('is the only delivery that can be sent again', () => {
    for (const state of ['new', 'sending', 'waiting', 'delivered', 'gone'] as const) {
      const delivery = deliveryIn(state);
      expect(delivery.ask({ type: 'redeliver', now: NOON + 1 })).to.equal(undefined);
      expect(delivery.state).to.equal(state);
    }
  });
});

describe('a request to a delivery', () => {
  it('to try it now is for one that waits, or is tried already', () => {
    const waiting = deliveryIn('waiting');
    expect(waiting.ask({ type: 'try', now: NOON + 1 })).to.equal(true);
    expect(waiting.state).to.equal('waiting');
    expect(waiting.context.wakeAt).to.equal(NOON + 1);
    expect(deliveryIn('sending').ask({ type: 'try', now: NOON + 1 })).to.equal(true);
    for (const state of ['new', 'delivered', 'dead', 'gone'] as const)
      expect(deliveryIn(state).ask({ type: 'try', now: NOON + 1 }), state).to.equal(undefined);
  });

  it('to send it again is for a delivered one, too', () => {
    for (const state of ['delivered', 'dead'] as const) {
      const delivery = deliveryIn(state);
      expect(delivery.ask({ type: 'resend', now: NOON + 1 })).to.equal(true);
      expect(delivery.state).to.equal('sending');
      expect(delivery.context).to.include({ redelivered: true, since: NOON + 1 });
      expect(delivery.ask({ type: 'follow', now: NOON + 2, successor: 'msg_2' }), 'no order').to.equal(false);
    }
    expect(deliveryIn('waiting').ask({ type: 'resend', now: NOON + 1 })).to.equal(true);
  });

  it('to discard it is for any that is not delivered', () => {
    for (const state of ['waiting', 'dead'] as const) {
      const delivery = deliveryIn(state);
      expect(delivery.ask({ type: 'discard', now: NOON + 1 })).to.equal(true);
      expect(delivery.state).to.equal('gone');
    }
    for (const state of ['new', 'delivered', 'gone'] as const)
      expect(deliveryIn(state).ask({ type: 'discard', now: NOON + 1 }), state).to.equal(undefined);
  });

  it('to discard it while it is sent holds at the next answer that is not a success', () => {
    const failing = deliveryIn('sending');
    expect(failing.ask({ type: 'discard', now: NOON + 1 })).to.equal(true);
    expect(failing.state).to.equal('dropped');
    answer(failing, RETRY, NOON + 5);
    expect(failing.state).to.equal('gone');
    const taken = deliveryIn('sending');
    taken.ask({ type: 'discard', now: NOON + 1 });
    answer(taken, DELIVERED, NOON + 5);
    expect(taken.state).to.equal('delivered');
  });

  it('to discard a blocked one lets none overtake what is before it', () => {
    const delivery = newDelivery();
    delivery.ask({ type: 'dispatch', now: NOON, message: WEBHOOK, about: ABOUT, after: 'msg_0' });
    expect(delivery.ask({ type: 'discard', now: NOON + 1 })).to.equal(true);
    expect(delivery.state).to.equal('dropped');
    expect(delivery.ask({ type: 'follow', now: NOON + 2, successor: 'msg_2' })).to.equal(true);
    expect(delivery.context.outbox.map(({ type }) => type)).to.deep.equal(['join']);
    delivery.ask({ type: 'released', now: NOON + 3 });
    expect(delivery.state).to.equal('ending');
    expect(delivery.context.outbox).to.deep.include({
      id: 'release:msg_2',
      type: 'release',
      successor: 'msg_2',
    });
    delivery.ask({ type: 'performed', now: NOON + 4, entryId: 'release:msg_2' });
    expect(delivery.state).to.equal('gone');
  });
});
