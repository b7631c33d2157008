import { expect } from 'chai';
import { NOON } from '../driven-delivery.js';
import { FAILED, KEEP, newReceiver, tried } from './driven-receiver.js';

const MINUTE = 60_000;
const failedAt = (at: number) => ({ ...FAILED, since: at, at });

describe('a receiver', () => {
  it('fails from the first failure until the next success', () => {
    const receiver = newReceiver();
    expect(receiver.state).to.equal('new');
    expect(receiver.ask({ ...tried({ succeededAt: NOON }), now: NOON })).to.equal('ok');
    expect(receiver.ask({ ...tried({ failing: failedAt(NOON + 5) }), now: NOON + 5 })).to.equal('failing');
    receiver.ask({ ...tried({ failing: failedAt(NOON + 9) }), now: NOON + 9 });
    expect(receiver.context.failing).to.include({ since: NOON + 5, at: NOON + 9 });
    expect(receiver.ask({ ...tried({ succeededAt: NOON + 20 }), now: NOON + 20 })).to.equal('ok');
    expect(receiver.context.failing).to.equal(undefined);
  });

  it('takes answers of several nodes in any order', () => {
    const receiver = newReceiver();
    receiver.ask({ ...tried({ succeededAt: NOON + 9 }), now: NOON + 9 });
    expect(receiver.ask({ ...tried({ failing: failedAt(NOON + 5) }), now: NOON + 10 })).to.equal('ok');
    receiver.ask({ ...tried({ failing: failedAt(NOON + 12) }), now: NOON + 12 });
    expect(receiver.ask({ ...tried({ succeededAt: NOON + 11 }), now: NOON + 13 })).to.equal('failing');
  });

  it('counts the attempts of the last hour', () => {
    const receiver = newReceiver();
    for (let i = 0; i < 90; i += 1) {
      const now = NOON + i * MINUTE;
      receiver.ask({ ...tried({ minutes: [[now / MINUTE, 2, 1]], succeededAt: now }), now });
    }
    expect(receiver.context.minutes).to.have.length(60);
    expect(receiver.context.minutes.at(-1)).to.deep.equal([NOON / MINUTE + 89, 2, 1]);
  });

  it('is checked while it fails, and needs nobody once its subscription has ended', () => {
    const receiver = newReceiver();
    receiver.ask({ ...tried({ failing: FAILED }), now: NOON });
    receiver.ask({ ...tried({ failing: failedAt(NOON + MINUTE - 1) }), now: NOON + MINUTE - 1 });
    receiver.ask({ type: 'wake', now: NOON + MINUTE });
    expect(receiver.context.outbox).to.deep.equal([{ id: 'check', type: 'check' }]);
    receiver.ask({ type: 'checked', now: NOON + MINUTE, needed: true });
    expect(receiver.state).to.equal('failing');
    receiver.ask({ type: 'wake', now: NOON + 2 * MINUTE });
    receiver.ask({ type: 'checked', now: NOON + 2 * MINUTE, needed: false });
    expect(receiver.state).to.equal('ok');
  });

  it('is forgotten after its time without an attempt', () => {
    const receiver = newReceiver();
    receiver.ask({ ...tried({ succeededAt: NOON }), now: NOON });
    receiver.ask({ type: 'wake', now: NOON + KEEP - 1 });
    expect(receiver.state).to.equal('ok');
    receiver.ask({ type: 'wake', now: NOON + KEEP });
    expect(receiver.state).to.equal('gone');
  });
});
