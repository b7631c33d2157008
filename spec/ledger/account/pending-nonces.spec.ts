import { expect } from 'chai';
import {
  explainPendingNonces,
  type NodeView,
  type PendingNonce,
  storedNonce,
  type StoredNonce,
} from '../../../src/ledger/account/pending-nonces.js';
import { ACCOUNT, CHAIN, NOON, signedTransaction, word } from '../driven-ledger.js';

const stored = (nonce: number): StoredNonce => storedNonce(signedTransaction(nonce));
const carried = (nonce: number, more: Partial<PendingNonce> = {}): PendingNonce => ({
  account: ACCOUNT,
  nonce,
  hash: word(1000 + nonce),
  replacements: [],
  since: NOON,
  attempts: 1,
  taken: true,
  detail: undefined,
  answered: true,
  ...more,
});
const refused = (detail: string) => ({ taken: false, detail });
const onNode = (...open: readonly PendingNonce[]): NodeView => ({
  chain: CHAIN,
  confirmations: 1,
  hasOthers: false,
  carried: open,
});

function explain(transactions: readonly StoredNonce[], node: NodeView, free: readonly number[] = []) {
  return explainPendingNonces({ chain: CHAIN, account: ACCOUNT, free }, transactions, node);
}
function reasons(...asked: Parameters<typeof explain>): readonly string[] {
  return explain(...asked).map(({ nonce, why }) => `${nonce}: ${why}`);
}

describe('the pending nonces of an account', () => {
  it('are those of the store and those in memory, each once, in ascending order', () => {
    const node = onNode(carried(7, { attempts: 3 }), carried(10), carried(9));
    const open = explain([stored(8), stored(7), stored(7), stored(9)], node);
    expect(open.map(({ nonce }) => nonce)).to.deep.equal([7, 8, 9, 10]);
    expect(open[0]).to.deep.equal({
      nonce: 7,
      transactionHash: word(1007),
      replacements: [],
      since: '2026-01-15T12:00:00.000Z',
      attempts: 3,
      why: 'The node has it; it is in no block yet.',
    });
    expect(open[1]).to.deep.include({ since: null, attempts: 0 });
  });

  it('have all signatures that the store or the memory knows, and no bytes of them', () => {
    const [r1, r2] = [
      { hash: word(1), raw: '0xf1' },
      { hash: word(2), raw: '0xf2' },
    ] as const;
    const first = storedNonce(signedTransaction(7), [r1, r2]);
    const second = storedNonce(signedTransaction(8), [r1]);
    const node = onNode(
      carried(7, { replacements: [r1.hash] }),
      carried(8, { replacements: [r1.hash, r2.hash] }),
    );
    const open = explain([first, second], node);
    expect(open.map(({ replacements }) => replacements)).to.deep.equal([
      [word(1), word(2)],
      [word(1), word(2)],
    ]);
    expect(JSON.stringify(open)).not.to.match(/raw|0xf/);
  });

  it('wait for a lower one that the node does not have', () => {
    const underpriced = refused('transaction underpriced');
    const node = onNode(carried(6), carried(7, underpriced), carried(8), carried(9, refused('nonce gap.')));
    expect(reasons([], node)).to.deep.equal([
      '6: The node has it; it is in no block yet.',
      '7: The node answered: transaction underpriced.',
      '8: Waits for nonce 7.',
      '9: Waits for nonce 7; the node answered: nonce gap.',
    ]);
  });

  it('wait for a lower one that has no transaction, or that this node does not carry', () => {
    expect(reasons([], onNode(carried(8)), [7])).to.deep.equal(['8: Waits for nonce 7.']);
    expect(reasons([stored(7)], onNode(carried(8)))[1]).to.equal('8: Waits for nonce 7.');
    expect(reasons([], onNode(carried(8)), [9])).to.deep.equal([
      '8: The node has it; it is in no block yet.',
    ]);
  });

  it('are being sent before the node has answered', () => {
    const node = onNode(carried(7, { taken: false, attempts: 0 }));
    expect(reasons([], node)).to.deep.equal(['7: It is being sent.']);
  });

  it('may be in a block that lies under too few others', () => {
    expect(reasons([], { ...onNode(carried(7)), confirmations: 3 })).to.deep.equal([
      '7: The node has it; it is in no block yet, or under fewer than 3 blocks.',
    ]);
  });

  it('say why the node gave no answer', () => {
    const silent = {
      ...refused("The chain's node did not answer eth_sendRawTransaction in 10 s."),
      answered: false,
    };
    expect(reasons([], onNode(carried(7, silent), carried(8, silent)))).to.deep.equal([
      "7: The chain's node did not answer eth_sendRawTransaction in 10 s.",
      '8: Waits for nonce 7.',
    ]);
  });

  it('show an answer of the node as one line of limited length', () => {
    const [open] = explain([], onNode(carried(7, refused(`a\nb ${'x'.repeat(1_000)}`))));
    expect(open!.why)
      .to.match(/^The node answered: a b x+…\.$/)
      .and.to.have.length.below(350);
  });

  it('are carried elsewhere if this node does not carry them', () => {
    const why = (node: Partial<NodeView>) => reasons([stored(7)], { ...onNode(), ...node })[0];
    expect(why({})).to.equal('7: The wallet’s account remembers it; the service begins to send it.');
    expect(why({ hasOthers: true })).to.equal(
      '7: The wallet’s account remembers it; another node of the service carries it.',
    );
    expect(why({ chain: undefined })).to.equal(
      '7: The chain’s node was not reached since the start of the service.',
    );
    expect(why({ chain: '1', carried: [carried(7)] })).to.equal(
      `7: It belongs to chain ${CHAIN}; CHAIN_RPC_URL leads to chain 1.`,
    );
  });

  it('are those of the account alone', () => {
    expect(explain([], onNode(carried(7, { account: '0x01' })))).to.deep.equal([]);
  });
});
