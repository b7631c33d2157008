import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Sent } from '../../../src/chain/port.js';
import { createBroadcast } from '../../../src/ledger/transaction/broadcast.js';
import type { BroadcastManner } from '../../../src/ledger/transaction/pending-transaction.js';
import { CONTRACT_THERE, signedTransaction, word } from '../driven-ledger.js';

const TAKEN: Sent = { is: 'sent', known: true };
const NO_FUNDS: Sent = { is: 'refused', reason: 'funds', detail: 'none left' };
const REPLACEMENT = { hash: word(9), raw: '0xf9' } as const;

describe('the pending transactions of an account', () => {
  const stop = { last: new AbortController() };
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => {
    stop.last.abort(new Error('over'));
    mock.timers.reset();
  });

  /** Broadcasts a transaction to a node that answers each of its signatures as told. */
  function broadcasting(answers: Record<string, Sent>, manner: Partial<BroadcastManner> = {}) {
    stop.last = new AbortController();
    const sent: string[] = [];
    const state = { now: 1_000_000, head: undefined as number | undefined, sent };
    const broadcast = createBroadcast({
      chain: {
        ...CONTRACT_THERE,
        send: async (raw) => (sent.push(raw), answers[raw]!),
        mined: () => ({ receipt: new Promise(() => undefined), stop: () => undefined }),
        head: () => state.head,
        nextNonce: async () => 3,
        receipt: async () => undefined,
        transaction: async () => undefined,
      },
      confirmations: 1,
      onHeld: () => undefined,
      onNonceGap: () => undefined,
      stopped: stop.last.signal,
      now: () => state.now,
      replaceAfterMs: 1_000,
    });
    broadcast.start(signedTransaction(3), { maybeBroadcast: true, ...manner });
    const pass = async (seconds: number): Promise<void> => {
      for (let ms = 0; ms < seconds * 1_000; ms += 250) {
        await turn();
        mock.timers.tick(250);
        state.now += 250;
        await turn();
      }
    };
    return { state, broadcast, pass };
  }

  it('are signed again also if no block was known when they came', async () => {
    const { state, broadcast, pass } = broadcasting(
      { '0xf8': TAKEN, '0xf9': TAKEN },
      { replace: async () => REPLACEMENT },
    );
    await pass(10);
    expect(state.sent).not.to.include(REPLACEMENT.raw);
    state.head = 7;
    await pass(30);
    expect(state.sent, 'no block has come').not.to.include(REPLACEMENT.raw);
    state.head = 9;
    await pass(60);
    expect(state.sent).to.include(REPLACEMENT.raw);
    expect(broadcast.pendingNonces()[0]!.replacements).to.include(REPLACEMENT.hash);
  });

  it('go out at the earlier price if the account cannot pay the higher one', async () => {
    const answers = { '0xf8': TAKEN, '0xf9': NO_FUNDS };
    const { state, broadcast, pass } = broadcasting(answers, { replacements: [REPLACEMENT] });
    await pass(0.25);
    expect(state.sent).to.deep.equal(['0xf9', '0xf8']);
    expect(broadcast.pendingNonces()[0]).to.include({ taken: true, detail: undefined });
  });
});
