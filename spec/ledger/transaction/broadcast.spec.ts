import { setMaxListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { type ChainTransaction, ChainUnavailable, type Sent } from '../../../src/chain/port.js';
import type { Outcome } from '../../../src/ledger/signed-transaction.js';
import { type BroadcastOptions, createBroadcast } from '../../../src/ledger/transaction/broadcast.js';
import type { BroadcastManner } from '../../../src/ledger/transaction/pending-transaction.js';
import { rejectionOf } from '../../rejection.js';
import { unseenRejections } from '../../identity/unseen.js';
import { receiptIn, signedTransaction } from '../driven-ledger.js';
import { kind, nodeThat } from './node-that.js';
import { until } from '../scene.js';

const SENT: Sent = { is: 'sent', known: false };
const NO_FUNDS: Sent = { is: 'refused', reason: 'funds', detail: 'none left' };
const NO_GAS: Sent = { is: 'refused', reason: 'gas', detail: 'intrinsic gas too low' };
const mined = { is: 'mined', transaction: { signed: signedTransaction(3), receipt: receiptIn(7) } };
const never = new AbortController().signal;
setMaxListeners(0, never);

/** Begins to broadcast a transaction. */
function started(chain: BroadcastOptions['chain'], more: Partial<BroadcastOptions & BroadcastManner> = {}) {
  const { maybeBroadcast = false, ...special } = more;
  const broadcast = createBroadcast({
    chain,
    confirmations: 1,
    onHeld: () => undefined,
    onNonceGap: () => undefined,
    stopped: never,
    now: Date.now,
    ...special,
  });
  const pending = broadcast.start(signedTransaction(3), { maybeBroadcast });
  return { broadcast, pending };
}

const sent = (...of: Parameters<typeof started>): Promise<Outcome> => started(...of).pending.outcome;

describe('the broadcast of a transaction', () => {
  it('ends when it is mined', async () => {
    const { chain, asked } = nodeThat(SENT);
    expect(await sent(chain)).to.deep.equal(mined);
    expect(asked).to.deep.equal([signedTransaction(3).raw]);
  });

  it('continues while the node is away or takes no more transactions', async () => {
    const busy: Sent = { is: 'unknown', why: 'busy', detail: 'full' };
    const { chain, asked } = nodeThat(new ChainUnavailable('away'), busy, SENT);
    expect(await sent(chain)).to.deep.equal(mined);
    expect(asked).to.have.length(3);
  });

  it('continues also if the clock is set back meanwhile', async () => {
    let now = Date.now();
    const { chain, asked } = nodeThat(new ChainUnavailable('away'), new ChainUnavailable('away'), SENT);
    const ended = sent(chain, { now: () => (now -= 3_600_000) });
    expect(await ended).to.deep.equal(mined);
    expect(asked).to.have.length(3);
  });

  it('reports the missing transactions if the node has a gap below the nonce', async () => {
    const busy: Sent = { is: 'unknown', why: 'gap', detail: 'nonce gap' };
    const { chain, state } = nodeThat(busy);
    state.nonce = 1;
    const stop = new AbortController();
    const told: unknown[] = [];
    const onNonceGap: BroadcastOptions['onNonceGap'] = (...what) => {
      told.push(what);
      stop.abort(new Error('seen enough'));
    };
    const outcome = await sent(chain, { onNonceGap, stopped: stop.signal }).catch((error: unknown) => error);
    expect((outcome as Error).message).to.equal('seen enough');
    expect(told).to.deep.equal([[signedTransaction(3).operation.account, { used: 1, below: 3, missing: 2 }]]);
  });

  it('ends if the chain refuses the transaction', async () => {
    const refused = { is: 'refused', reason: 'refused' };
    expect(await sent(nodeThat(NO_FUNDS).chain)).to.deep.equal(NO_FUNDS);
    expect(await sent(nodeThat(NO_GAS).chain)).to.deep.equal({ ...refused, detail: 'intrinsic gas too low' });
  });

  it('continues after a refusal if a node may have the transaction: it was sent before, or is in the pool', async () => {
    const held: string[] = [];
    const onHeld = (_hash: string, detail: string): void => void held.push(detail);
    const before = nodeThat(NO_FUNDS);
    expect(await sent(before.chain, { maybeBroadcast: true, onHeld })).to.deep.equal(mined);
    const pool = nodeThat(NO_GAS);
    pool.state.transaction = {} as ChainTransaction;
    expect(await sent(pool.chain, { onHeld })).to.deep.equal(mined);
    expect(held).to.deep.equal(['none left', 'intrinsic gas too low']);
  });

  it('continues after a refusal if an earlier connection was cut, or its answer was unknown', async () => {
    const unknown: Sent = { is: 'unknown', why: 'error', detail: 'context deadline exceeded' };
    for (const first of [unknown, new ChainUnavailable('cut')]) {
      const held: string[] = [];
      const { chain, state, asked } = nodeThat(first, NO_FUNDS);
      state.mines = false;
      const onHeld = (_hash: string, detail: string): void => {
        held.push(detail);
        state.mines = true;
      };
      expect(await sent(chain, { onHeld })).to.deep.equal(mined);
      expect([asked.length, held]).to.deep.equal([2, ['none left']]);
    }
  });

  it('finds the block of a transaction that a gateway passed on with an error', async () => {
    const { chain, asked, state } = nodeThat({ is: 'unknown', why: 'error', detail: 'Internal error' });
    state.passesOn = true;
    expect(await sent(chain)).to.deep.equal(mined);
    expect(asked).to.have.length(1);
  });

  it('counts its nonce as used by another transaction only if that is still so a second later', async () => {
    const { chain, state } = nodeThat({ is: 'nonce-used', detail: 'nonce too low' });
    state.nonce = 4;
    let reads = 0;
    const receipt: BroadcastOptions['chain']['receipt'] = async () =>
      (reads += 1) === 1 ? undefined : receiptIn(7);
    expect(await sent({ ...chain, receipt })).to.deep.equal(mined);
    expect(reads).to.equal(2);
  });

  it('distinguishes its own use of the nonce from that of another transaction', async () => {
    const used: Sent = { is: 'nonce-used', detail: 'nonce too low' };
    const own = nodeThat(used);
    own.state.nonce = 4;
    own.state.receipt = receiptIn(7);
    expect(await sent(own.chain)).to.deep.equal(mined);
    const pool = nodeThat(used);
    pool.state.nonce = 3;
    expect(await sent(pool.chain), 'it waits in the pool').to.deep.equal(mined);
    const others = nodeThat(used);
    others.state.nonce = 4;
    expect(await sent(others.chain)).to.deep.include({
      is: 'refused',
      reason: 'nonce-used',
    });
  });

  it('is stopped with the service, and fails only with an error of the service itself', async () => {
    const { chain, state } = nodeThat(SENT);
    state.mines = false;
    const stopped = new AbortController();
    const sending = sent(chain, { stopped: stopped.signal });
    stopped.abort(new Error('stopping'));
    expect(await sending.catch((error: unknown) => (error as Error).message)).to.equal('stopping');
    const { chain: broken } = nodeThat(new Error('a fault of ours'));
    const failed = await sent(broken).catch((e: unknown) => e);
    expect((failed as Error).message).to.equal('a fault of ours');
  });

  it('waits for the block of a new transaction before the node has it', async () => {
    const { chain, waits } = nodeThat(new ChainUnavailable('away'), SENT);
    expect(await sent(chain)).to.deep.equal(mined);
    expect(waits.map(kind)).to.deep.equal([{ unsent: 'unsent', sent: 0 }]);
  });

  it('waits anew if the node has the transaction in a block, or had it before', async () => {
    const detail = 'nonce too low';
    const used = nodeThat({ is: 'nonce-used', detail });
    Object.assign(used.state, { nonce: 4, receipt: receiptIn(7), minedBefore: true });
    expect(await sent(used.chain)).to.deep.equal(mined);
    const fresh = { unsent: 'unsent', sent: 0 };
    expect(used.waits.map(kind)).to.deep.equal([fresh, { unsent: undefined, sent: 1 }]);
    const pool = nodeThat(NO_GAS);
    Object.assign(pool.state, { transaction: {}, minedBefore: true });
    expect(await sent(pool.chain)).to.deep.equal(mined);
    expect(pool.waits.map(kind)).to.deep.equal([fresh, { unsent: undefined, sent: 1 }]);
    // The waits before have ended.
    for (const { waits } of [used, pool]) expect(waits[0]!.reason).to.be.an('error');
  });

  it('does not count a transaction as new if a node may have it', async () => {
    const busy: Sent = { is: 'unknown', why: 'busy', detail: 'full' };
    const answers = [new ChainUnavailable('away'), busy, SENT];
    const { chain, waits } = nodeThat(...answers);
    expect(await sent(chain, { maybeBroadcast: true })).to.deep.equal(mined);
    // A node that gave no answer may have put it into a block.
    expect(waits.map(kind)).to.deep.equal([{ unsent: undefined, sent: 1 }]);
  });

  it('stops waiting for a refused transaction', async () => {
    for (const answer of [NO_FUNDS, NO_GAS, { is: 'nonce-used', detail: 'why' }] as const) {
      const { chain, waits, state } = nodeThat(answer);
      Object.assign(state, { nonce: 4, mines: false });
      expect(await sent(chain)).to.include({ is: 'refused', detail: answer.detail });
      expect(
        waits.map(({ reason }) => reason !== undefined),
        answer.detail,
      ).to.deep.equal([true]);
    }
  });

  it('ends and stops waiting once it is cancelled', async () => {
    const { chain, asked, waits, state } = nodeThat(new ChainUnavailable('away'), SENT);
    state.mines = false;
    const { broadcast, pending } = started(chain);
    await until(async () => expect(asked).to.deep.equal([signedTransaction(3).raw]));
    broadcast.cancel(pending);
    const outcome = await rejectionOf(pending.outcome);
    expect(outcome.message).to.contain('cancelled');
    expect(waits.map(({ reason }) => reason !== undefined)).to.deep.equal([true]);
  });

  it('sends again at once after blocks have left the chain', async () => {
    const { chain, asked, waits, state } = nodeThat(SENT);
    state.mines = false;
    const { broadcast, pending } = started(chain);
    // With the pauses between attempts this would take a minute.
    for (let gone = 1; gone <= 5; gone += 1) {
      await until(async () => expect(asked.length).to.equal(gone));
      if (gone === 5) state.mines = true;
      broadcast.resend();
    }
    expect(await pending.outcome).to.deep.equal(mined);
    expect(waits.map(kind)).to.deep.equal([
      { unsent: 'unsent', sent: 0 },
      ...[2, 3, 4, 5, 6].map((sent) => ({ unsent: undefined, sent })),
    ]);
  });

  it('rejects with the reason of a stop before anything was sent', async () => {
    const { chain, asked, waits, state } = nodeThat(SENT);
    state.mines = false;
    const why = new Error('stopping');
    expect(await rejectionOf(sent(chain, { stopped: AbortSignal.abort(why) }))).to.equal(why);
    expect(asked).to.deep.equal([]);
    expect(waits.map(({ reason }) => reason)).to.deep.equal([why]);
  });

  it('rejects with the reason of a stop while the node takes the transaction, without an unhandled rejection', async () => {
    for (const accepted of [false, true]) {
      const { chain, waits, state } = nodeThat(SENT);
      state.mines = false;
      const why = new Error('stopping');
      const stopped = new AbortController();
      const slow: typeof chain.send = async (raw) => {
        stopped.abort(why);
        await turn();
        return chain.send(raw);
      };
      const unseen = await unseenRejections(async () => {
        const sending = sent({ ...chain, send: slow }, { maybeBroadcast: accepted, stopped: stopped.signal });
        expect(await rejectionOf(sending)).to.equal(why);
      });
      expect(unseen).not.to.include(why);
      expect(waits.map(({ reason }) => reason)).to.deep.equal(accepted ? [] : [why]);
    }
  });
});
