import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Actors } from '../../../src/actors/kind.js';
import { createKeys } from '../../../src/ledger/idempotency/keys.js';
import { ACCOUNT, CHAIN, NOON } from '../driven-ledger.js';
import { rejectionOf } from '../../rejection.js';

describe('the claim of an Idempotency-Key', () => {
  it('is released if it comes after its caller has left, whatever the clock says then', async () => {
    const events: string[] = [];
    let claimed!: (reply: object) => void;
    const actors = {
      peek: () => ({ context: { fences: [] } }),
      async ask(_address: object, { type }: { readonly type: string }) {
        events.push(type);
        return type === 'claim' ? new Promise((resolve) => (claimed = resolve)) : undefined;
      },
    };
    const keys = createKeys({
      actors: actors as unknown as Actors,
      chain: { name: CHAIN },
      shared: false,
      // A clock that was set back.
      now: () => NOON,
      newId: () => 'id',
    });
    const late = await rejectionOf(keys.claim(ACCOUNT, { name: 'k1', content: 'c' }, NOON + 20));
    expect(late.message).to.include('LEDGER_WAIT_S');
    claimed({ is: 'yours' });
    await turn();
    expect(events).to.deep.equal(['claim', 'release']);
  });
});
