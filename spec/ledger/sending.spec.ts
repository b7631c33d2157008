import { expect } from 'chai';
import { ChainUnavailable } from '../../src/chain/port.js';
import type { Chain, ChainReceipt, Sent } from '../../src/chain/port.js';
import { send } from '../../src/ledger/sending.js';
import { receiptIn, signedOperation } from './driven-ledger.js';

/** A node that gives one answer after the other to what it is sent; the last one from then on. */
function nodeThat(...answers: (Sent | Error)[]) {
  const sent: string[] = [];
  const state = { nonce: 0, receipt: undefined as ChainReceipt | undefined, mines: true };
  const chain: Pick<Chain, 'send' | 'mined' | 'nextNonce' | 'receipt'> = {
    async send(raw) {
      sent.push(raw);
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    mined: (_hash, _confirmations, signal) =>
      new Promise((resolve, reject) => {
        if (state.mines) resolve(receiptIn(7));
        if (signal.aborted) reject(signal.reason as Error);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
    nextNonce: async () => state.nonce,
    receipt: async () => state.receipt,
  };
  return { chain, sent, state };
}

const SENT: Sent = { is: 'sent' };
const mined = { is: 'mined', receipt: receiptIn(7) };
const never = new AbortController().signal;

describe('sending a transaction', () => {
  it('ends when it is mined', async () => {
    const { chain, sent } = nodeThat(SENT);
    expect(await send(chain, signedOperation(3), 1, never)).to.deep.equal(mined);
    expect(sent).to.deep.equal([signedOperation(3).raw]);
  });

  it('goes on while the node is away or takes nothing more', async () => {
    const busy: Sent = { is: 'busy', detail: 'full' };
    const { chain, sent } = nodeThat(new ChainUnavailable('away'), busy, SENT);
    expect(await send(chain, signedOperation(3), 1, never)).to.deep.equal(mined);
    expect(sent).to.have.length(3);
  });

  it('ends where the chain will never take it', async () => {
    for (const is of ['funds', 'refused'] as const) {
      const { chain } = nodeThat({ is, detail: 'why' });
      const outcome = await send(chain, signedOperation(3), 1, never);
      expect(outcome).to.deep.equal({ is: 'refused', reason: is, detail: 'why' });
    }
  });

  it('tells its own used nonce from that of another transaction', async () => {
    const used: Sent = { is: 'nonce-used', detail: 'nonce too low' };
    const own = nodeThat(used);
    own.state.nonce = 4;
    own.state.receipt = receiptIn(7);
    expect(await send(own.chain, signedOperation(3), 1, never)).to.deep.equal(mined);
    const pool = nodeThat(used);
    pool.state.nonce = 3;
    expect(await send(pool.chain, signedOperation(3), 1, never), 'it waits in the pool').to.deep.equal(mined);
    const others = nodeThat(used);
    others.state.nonce = 4;
    expect(await send(others.chain, signedOperation(3), 1, never)).to.deep.include({
      is: 'refused',
      reason: 'nonce-used',
    });
  });

  it('is broken off when the service stops, and by nothing else', async () => {
    const { chain, state } = nodeThat(SENT);
    state.mines = false;
    const stopped = new AbortController();
    const sending = send(chain, signedOperation(3), 1, stopped.signal);
    stopped.abort(new Error('stopping'));
    expect(await sending.catch((error: unknown) => (error as Error).message)).to.equal('stopping');
    const { chain: broken } = nodeThat(new Error('a fault of ours'));
    const failed = await send(broken, signedOperation(3), 1, never).catch((e: unknown) => e);
    expect((failed as Error).message).to.equal('a fault of ours');
  });
});
