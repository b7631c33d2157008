import { expect } from 'chai';
import { PAGE, type PageContext, type PageEvent } from '../../../src/ledger/index/page-machine.js';
import { drive, NOON } from '../driven-ledger.js';

const MINUTE = 60_000;

describe('the machine of a page', () => {
  const put = (until?: number) => {
    const actor = drive<PageContext, PageEvent>(PAGE);
    actor.ask({ type: 'put', now: NOON, text: '["a"]', ...(until === undefined ? {} : { until }) });
    return actor;
  };

  it('keeps a text that is put without a time, or kept before its time', () => {
    const actor = put(NOON + MINUTE);
    actor.ask({ type: 'keep', now: NOON });
    for (const page of [actor, put()]) {
      page.ask({ type: 'put', now: NOON, text: '["b"]', until: NOON });
      page.ask({ type: 'wake', now: NOON + 365 * 24 * 60 * MINUTE });
      expect([page.state, page.context.text, page.context.wakeAt]).to.deep.equal([
        'kept',
        '["a"]',
        undefined,
      ]);
    }
  });

  it('is gone at its time, which a second put changes', () => {
    const actor = put(NOON + MINUTE);
    actor.ask({ type: 'put', now: NOON, text: '["b"]', until: NOON + 2 * MINUTE });
    actor.ask({ type: 'wake', now: NOON + MINUTE });
    expect([actor.state, actor.context.text]).to.deep.equal(['put', '["a"]']);
    actor.ask({ type: 'wake', now: NOON + 2 * MINUTE });
    expect(actor.state).to.equal('gone');
  });

  it('waits once more if it is woken long after its time: the service was down', () => {
    const actor = put(NOON + MINUTE);
    const back = NOON + 60 * MINUTE;
    actor.ask({ type: 'wake', now: back });
    expect([actor.state, actor.context.wakeAt]).to.deep.equal(['put', back + 10 * MINUTE]);
    actor.ask({ type: 'wake', now: back + 10 * MINUTE });
    expect(actor.state).to.equal('gone');
  });
});
