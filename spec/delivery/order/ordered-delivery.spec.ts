import { expect } from 'chai';
import {
  ABOUT,
  answer,
  DEAD,
  DELIVERED,
  type Delivery,
  deliveryIn,
  GIVE_UP,
  KEEP,
  newDelivery,
  NOON,
  REFUSED,
  RETRY,
  wake,
  WEBHOOK,
} from '../driven-delivery.js';

const LATER = NOON + 3 * GIVE_UP;
const JOIN = { id: 'join', type: 'join' };
const RELEASE = { id: 'release:msg_2', type: 'release', successor: 'msg_2' };

/** A delivery behind another one. */
function blocked(more: { readonly overdue?: boolean } = {}): Delivery {
  const delivery = newDelivery();
  delivery.ask({ type: 'dispatch', now: NOON, message: WEBHOOK, about: ABOUT, after: 'msg_0', ...more });
  return delivery;
}

/** Has `msg_2` wait for a delivery. Returns whether it has to. */
const follow = (delivery: Delivery) => delivery.ask({ type: 'follow', now: NOON, successor: 'msg_2' });

describe('a delivery behind an earlier message', () => {
  it('is not tried, and asks that one for its release', () => {
    const delivery = blocked();
    expect(delivery.state).to.equal('blocked');
    expect(delivery.context).to.deep.include({ after: 'msg_0', outbox: [JOIN], since: NOON });
    delivery.ask({ type: 'joined', now: NOON });
    expect(delivery.state).to.equal('blocked');
    expect(delivery.context.outbox).to.deep.equal([]);
    delivery.ask({ type: 'acquired', now: NOON });
    expect(delivery.state).to.equal('blocked');
  });

  it('is tried at once when it is released with a permit, else waits in its queue', () => {
    const now = blocked();
    now.ask({ type: 'released', now: NOON + 5 });
    expect(now.state).to.equal('sending');
    expect(now.context.outbox).to.deep.equal([{ id: 'attempt:1', type: 'attempt' }]);
    const waiting = blocked();
    waiting.ask({ type: 'released', now: NOON + 5, until: NOON + 6 });
    expect(waiting.state).to.equal('waiting');
    expect(waiting.context).to.deep.include({ outbox: [], wakeAt: NOON + 6 });
  });

  it('has the time to give up from its release on, and keeps the time of its firing', () => {
    const delivery = blocked();
    delivery.ask({ type: 'released', now: LATER });
    answer(delivery, RETRY, LATER + GIVE_UP - 1);
    expect(delivery.state).to.equal('waiting');
    expect(delivery.context).to.deep.include({ since: NOON, wakeAt: LATER + GIVE_UP });
    wake(delivery, LATER + GIVE_UP);
    answer(delivery, RETRY, LATER + GIVE_UP);
    expect(delivery.state).to.equal('dead');
  });

  it('asks again after the time to give up: nothing stays blocked for a message that was lost with a disk', () => {
    const delivery = blocked();
    delivery.ask({ type: 'joined', now: NOON });
    wake(delivery, NOON + GIVE_UP - 1);
    expect(delivery.context.outbox).to.deep.equal([]);
    wake(delivery, NOON + GIVE_UP);
    expect(delivery.context.outbox).to.deep.equal([JOIN]);
    expect(delivery.context.wakeAt).to.equal(NOON + 2 * GIVE_UP);
  });

  it('of an overdue message is a dead letter when it is released, without an attempt', () => {
    const delivery = blocked({ overdue: true });
    expect(follow(delivery)).to.equal(true);
    delivery.ask({ type: 'released', now: LATER });
    expect(delivery.state).to.equal('dead');
    const outbox = [RELEASE, { id: `report:${LATER}`, type: 'report' }];
    expect(delivery.context).to.deep.include({ outbox, wakeAt: LATER + DEAD });
    expect(delivery.context.attempts).to.have.length(1);
    expect(delivery.context.attempts[0]).to.include({ at: LATER, result: 'overdue' });
  });

  it('does not change when it is released again', () => {
    for (const state of ['sending', 'waiting', 'delivered', 'dead'] as const) {
      const delivery = deliveryIn(state);
      const before = structuredClone(delivery.context);
      delivery.ask({ type: 'released', now: LATER });
      delivery.ask({ type: 'joined', now: LATER });
      expect(delivery.state).to.equal(state);
      expect(delivery.context).to.deep.equal(before);
    }
  });
});

describe('a delivery with a message behind it', () => {
  for (const state of ['sending', 'waiting'] as const) {
    it(`while ${state} has it wait, and releases it once it is over`, () => {
      for (const [result, end] of [
        [DELIVERED, 'delivered'],
        [REFUSED, 'dead'],
      ] as const) {
        const delivery = deliveryIn(state);
        expect(follow(delivery)).to.equal(true);
        if (state === 'waiting') wake(delivery, NOON + 500);
        answer(delivery, RETRY, NOON + 500);
        wake(delivery, NOON + 5_000);
        expect(delivery.context.outbox.map(({ type }) => type)).to.deep.equal(['attempt']);
        answer(delivery, result, NOON + 5_000);
        expect(delivery.state).to.equal(end);
        expect(delivery.context.outbox[0]).to.deep.equal(RELEASE);
        expect(delivery.context.next).to.equal(undefined);
      }
    });
  }

  it('does not have it wait once it is over', () => {
    for (const state of ['new', 'delivered', 'dead', 'gone'] as const) {
      const delivery = deliveryIn(state);
      expect(follow(delivery)).to.equal(false);
      expect(delivery.state).to.equal(state);
    }
  });

  it('is not deleted before that one is released', () => {
    const ended = (end: (delivery: Delivery) => void, result: typeof DELIVERED): Delivery => {
      const delivery = deliveryIn('sending');
      follow(delivery);
      answer(delivery, result);
      end(delivery);
      return delivery;
    };
    const all = [
      ended((one) => wake(one, NOON + KEEP), DELIVERED),
      ended((one) => expect(one.ask({ type: 'discard', now: NOON })).to.equal(true), REFUSED),
      ended((one) => {
        wake(one, NOON + DEAD);
        one.ask({ type: 'expired', now: NOON + DEAD });
      }, REFUSED),
    ];
    for (const delivery of all) {
      expect(delivery.state).to.equal('ending');
      expect(delivery.context.outbox).to.deep.equal([RELEASE]);
      delivery.ask({ type: 'performed', now: NOON, entryId: `report:${NOON}` });
      expect(delivery.state).to.equal('ending');
      delivery.ask({ type: 'performed', now: NOON, entryId: RELEASE.id });
      expect(delivery.state).to.equal('gone');
    }
  });

  it('releases it although it is sent again before', () => {
    const delivery = deliveryIn('sending');
    follow(delivery);
    answer(delivery, REFUSED);
    delivery.ask({ type: 'redeliver', now: NOON + 1 });
    for (const result of [RETRY, DELIVERED]) {
      expect(delivery.context.outbox[0]).to.deep.equal(RELEASE);
      answer(delivery, result, NOON + 2);
      wake(delivery, NOON + 5_000);
    }
    expect(delivery.state).to.equal('delivered');
    expect(delivery.context.outbox).to.deep.equal([RELEASE]);
  });

  it('has nothing wait for it once it is sent again', () => {
    const delivery = deliveryIn('dead');
    delivery.ask({ type: 'redeliver', now: NOON });
    expect(follow(delivery)).to.equal(false);
    answer(delivery, RETRY);
    expect(follow(delivery)).to.equal(false);
    expect(delivery.context.next).to.equal(undefined);
  });
});
