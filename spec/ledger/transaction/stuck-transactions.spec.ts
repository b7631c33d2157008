import { setImmediate as turn } from 'node:timers/promises';
import { mock } from 'node:test';
import { expect } from 'chai';
import type { ChainReceipt, Hex, Sent } from '../../../src/chain/port.js';
import { createBroadcast } from '../../../src/ledger/transaction/broadcast.js';
import type { BroadcastManner } from '../../../src/ledger/transaction/pending-transaction.js';
import type { SignedTransaction } from '../../../src/ledger/signed-transaction.js';
import { CONTRACT_THERE, receiptIn, signedTransaction, word } from '../driven-ledger.js';

const TAKEN: Sent = { is: 'sent', known: false };
const KNOWN: Sent = { is: 'sent', known: true };
const UNDERPRICED: Sent = { is: 'unknown', why: 'price', detail: 'transaction underpriced' };
/** Step of the clock, ms. All delays are multiples of it. */
const STEP_MS = 50;

/** A transaction whose bytes and hash name its nonce. */
const transaction = (nonce: number): SignedTransaction =>
  signedTransaction(nonce, { hash: word(nonce), raw: word(nonce) });

/** The broadcast of a node of the service, over a chain that answers as a spec says. */
function stage(replaceAfterMs?: number) {
  const stop = new AbortController();
  const sent: { readonly raw: Hex; readonly at: number }[] = [];
  const blocks = new Map<Hex, (receipt: ChainReceipt) => void>();
  const state = { answer: UNDERPRICED, head: 1 };
  const broadcast = createBroadcast({
    chain: {
      ...CONTRACT_THERE,
      async send(raw) {
        sent.push({ raw, at: Date.now() });
        return state.answer;
      },
      mined: (hash) => ({
        receipt: new Promise((resolve) => void blocks.set(hash, resolve)),
        stop: () => undefined,
      }),
      head: () => state.head,
      nextNonce: async () => 0,
      receipt: async () => undefined,
      transaction: async () => undefined,
    },
    confirmations: 1,
    onHeld: () => undefined,
    onNonceGap: () => undefined,
    stopped: stop.signal,
    now: Date.now,
    replaceAfterMs,
  });
  return {
    state,
    broadcast,
    stop,
    start: (nonce: number, replace?: BroadcastManner['replace']) =>
      broadcast.start(transaction(nonce), { maybeBroadcast: false, ...(replace && { replace }) }),
    mine: (hash: Hex) => blocks.get(hash)!(receiptIn(7)),
    /** The nonces sent since the last call. */
    nonces: () => sent.splice(0).map(({ raw }) => Number(raw)),
    /** Pauses between the attempts, ms. */
    pauses: () => sent.slice(1).map(({ at }, before) => at - sent[before]!.at),
    /** Lets time pass. */
    async pass(ms: number): Promise<void> {
      for (let passed = 0; passed <= ms; passed += STEP_MS) {
        await turn();
        if (passed < ms) mock.timers.tick(STEP_MS);
      }
    },
  };
}

describe('the pending transactions of an account', () => {
  let scene: ReturnType<typeof stage>;
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 }));
  afterEach(() => {
    scene.stop.abort(new Error('the spec is over'));
    mock.timers.reset();
  });

  it('are tried after 250 ms if the node does not take them, then after twice as long, at most 60 s', async () => {
    scene = stage();
    scene.start(0);
    await scene.pass(200_000);
    const doubling = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
    expect(scene.pauses()).to.deep.equal([...doubling, 60_000, 60_000]);
  });

  it('are sent again after 3 s if the node has taken them, then after twice as long, at most 60 s', async () => {
    scene = stage();
    scene.state.answer = KNOWN;
    scene.start(0);
    await scene.pass(220_000);
    expect(scene.pauses()).to.deep.equal([3_000, 6_000, 12_000, 24_000, 48_000, 60_000, 60_000]);
  });

  it('are sent once each; later attempts are of the lowest nonce alone', async () => {
    scene = stage();
    const all = Array.from({ length: 20 }, (_, nonce) => nonce);
    for (const nonce of all) scene.start(nonce);
    await scene.pass(0);
    expect(scene.nonces()).to.deep.equal(all);
    await scene.pass(125_000);
    // After 0.25, 0.75, 1.75, 3.75, 7.75, 15.75, 31.75, 63.75 and 123.75 s.
    expect(scene.nonces()).to.deep.equal(Array.from({ length: 9 }, () => 0));
  });

  it('have the next one tried at once when the lowest is in a block', async () => {
    scene = stage();
    for (const nonce of [0, 1, 2]) scene.start(nonce);
    await scene.pass(40_000);
    scene.nonces();
    scene.mine(word(0));
    await scene.pass(STEP_MS);
    expect(scene.nonces(), 'the node does not take it').to.deep.equal([1]);
    scene.state.answer = TAKEN;
    scene.mine(word(1));
    await scene.pass(STEP_MS);
    expect(scene.nonces()).to.deep.equal([2]);
    expect(scene.broadcast.pendingNonces().map(({ nonce, taken }) => [nonce, taken])).to.deep.equal([
      [2, true],
    ]);
  });

  it('are all sent, in order, once the node takes the lowest', async () => {
    scene = stage();
    for (const nonce of [0, 1, 2, 3]) scene.start(nonce);
    await scene.pass(200);
    scene.nonces();
    scene.state.answer = TAKEN;
    await scene.pass(100);
    expect(scene.nonces()).to.deep.equal([0, 1, 2, 3]);
  });

  it('are all sent again, in order, if the node has forgotten the lowest, and only then', async () => {
    scene = stage();
    scene.state.answer = TAKEN;
    for (const nonce of [0, 1, 2]) scene.start(nonce);
    await scene.pass(0);
    scene.nonces();
    scene.state.answer = KNOWN;
    await scene.pass(3_000);
    expect(scene.nonces()).to.deep.equal([0]);
    scene.state.answer = TAKEN;
    await scene.pass(6_000);
    expect(scene.nonces()).to.deep.equal([0, 1, 2]);
  });

  it('are all sent again at once, in order, if blocks have gone', async () => {
    scene = stage();
    scene.state.answer = TAKEN;
    for (const nonce of [0, 1, 2]) scene.start(nonce);
    await scene.pass(0);
    scene.nonces();
    scene.state.answer = KNOWN;
    scene.broadcast.resend();
    await scene.pass(STEP_MS);
    expect(scene.nonces()).to.deep.equal([0, 1, 2]);
  });

  for (const [what, answer] of [
    ['refused for its price', UNDERPRICED],
    ['taken', KNOWN],
  ] as const) {
    it(`have the lowest signed again, ${what}, while blocks come; either hash is the receipt`, async () => {
      for (const mined of [word(0), word(100)]) {
        scene = stage(1_000);
        scene.state.answer = answer;
        const asked: unknown[] = [];
        const replace: BroadcastManner['replace'] = async (...known) => {
          asked.push(known);
          return known[1] === 0 ? { hash: word(100), raw: word(100) } : undefined;
        };
        const { outcome } = scene.start(0, replace);
        await scene.pass(10_000);
        expect(asked, 'no block came').to.deep.equal([]);
        scene.state.head += 2;
        await scene.pass(10_000);
        expect(asked[0]).to.deep.equal([word(0), 0]);
        expect(scene.nonces()).to.include(100);
        expect(scene.broadcast.pendingNonces()[0]).to.deep.include({ nonce: 0, replacements: [word(100)] });
        scene.mine(mined);
        expect(await outcome).to.deep.equal({
          is: 'mined',
          transaction: { signed: transaction(0), receipt: receiptIn(7) },
        });
        scene.stop.abort(new Error('over'));
      }
    });
  }

  it('are never signed again without a time for it', async () => {
    scene = stage();
    let asked = 0;
    scene.start(0, async () => {
      asked += 1;
      return undefined;
    });
    scene.state.head += 100;
    await scene.pass(100_000);
    expect(asked).to.equal(0);
  });
});
