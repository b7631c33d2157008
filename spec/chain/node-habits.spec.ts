import { expect } from 'chai';
import type { ChainOptions } from '../../src/chain/open.js';
import { type Chain, ChainUnavailable } from '../../src/chain/port.js';
import { rejectionOf } from '../rejection.js';
import { unseenRejections } from '../identity/unseen.js';
import { type Habits, type Proxy, startProxy } from './proxy.js';
import { type Scene, minedIn, openScene, wordOf } from './scene.js';

/** A look at the chain while many wait: the newest block, and three that may have come, with their receipts. */
const WIDE_LOOK = [
  'eth_getBlockByNumber',
  ...Array.from({ length: 3 }, () => ['eth_getBlockByNumber', 'eth_getBlockReceipts']).flat(),
];

describe('a chain at a node', () => {
  let scene: Scene;
  let proxy: Proxy;
  let chain: Chain;
  let clock: number;

  before(async () => {
    scene = await openScene();
  });
  after(() => scene.close());
  beforeEach(async () => {
    proxy = await startProxy(scene.node.url);
    clock = 1_000_000;
  });
  afterEach(async () => {
    await chain.close();
    await proxy.close();
  });

  const open = async (habits: Habits = {}, more: Partial<ChainOptions> = {}): Promise<void> => {
    proxy.become(habits);
    chain = await scene.open({ url: proxy.url, now: () => clock, ...more });
  };

  /** Records as many transactions at once; those that are awaited before they are sent are found in their blocks. */
  const record = (count: number, unsent?: 'unsent'): Promise<unknown> =>
    Promise.all(
      Array.from({ length: count }, async (_, number) => {
        const { raw, hash } = scene.signed({ number });
        const early = unsent && minedIn(chain, hash, 1, { unsent });
        expect(await chain.send(raw)).to.deep.equal({ is: 'sent', known: false });
        const receipt = await (early ?? minedIn(chain, hash, 1));
        expect(receipt).to.include({ transactionHash: hash, status: '0x1' });
      }),
    );
  /** Has as many transactions awaited that never come. */
  const awaitOthers = (count: number): void => {
    for (let other = 1; other <= count; other += 1) {
      chain.mined(wordOf(other), 1, 'unsent');
    }
  };
  const nonces = (count: number): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, () => chain.nextNonce(scene.account, 'latest')));
  const sizes = (from: number): number[] => proxy.requests.slice(from).map(({ methods }) => methods.length);

  it('sends the calls of one turn in one request', async () => {
    await open();
    const from = proxy.requests.length;
    await nonces(300);
    const counts = proxy.requests
      .slice(from)
      .map(({ methods }) => methods.filter((it) => it.endsWith('Count')).length);
    expect(counts.filter((count) => count > 0)).to.deep.equal([100, 100, 100]);
  });

  it('sends transactions in order, in one batch while another has no answer', async () => {
    await open();
    await record(200);
    const sends = proxy.requests.filter(({ methods }) => methods.includes('eth_sendRawTransaction'));
    expect(sends.length).to.be.below(20);
  });

  it('sends single requests to a node without batches, and remembers that', async () => {
    await open({ largestBatch: 0 });
    await record(20);
    const from = proxy.requests.length;
    await record(20);
    expect(Math.max(...sizes(from))).to.equal(1);
  });

  it('makes batches of the size that the node takes', async () => {
    await open({ largestBatch: 10 });
    await nonces(100);
    const from = proxy.requests.length;
    await nonces(100);
    expect(Math.max(...sizes(from))).to.be.within(2, 10);
  });

  it('takes the answers of a batch in any order', async () => {
    await open({ reversed: true });
    await record(20);
  });

  it('asks for single receipts if the node lacks eth_getBlockReceipts, and remembers that', async () => {
    await open({ refused: { eth_getBlockReceipts: { code: -32_601, message: 'Method not found' } } });
    await record(60, 'unsent');
    const ofBlocks = proxy.count('eth_getBlockReceipts');
    const single = proxy.count('eth_getTransactionReceipt');
    expect(ofBlocks).to.be.above(0);
    await record(60, 'unsent');
    expect(proxy.count('eth_getBlockReceipts')).to.equal(ofBlocks);
    expect(proxy.count('eth_getTransactionReceipt') - single).to.be.at.least(60);
  });

  it('prefetches the next blocks and their receipts while many transactions are awaited', async () => {
    await open();
    awaitOthers(15);
    const { raw, hash } = scene.signed({});
    const receipt = minedIn(chain, hash, 1, { unsent: 'unsent' });
    // All is there when it looks again.
    proxy.become({ answer: { status: 503, body: '' } });
    await rejectionOf(chain.ping());
    await scene.node.rpc('eth_sendRawTransaction', [raw]);
    await minedIn(scene.chain, hash, 1);
    const from = proxy.requests.length;
    proxy.become({});
    expect(await receipt).to.include({ transactionHash: hash });
    const looks = proxy.requests.slice(from).map(({ methods }) => methods);
    expect(looks.filter((methods) => methods.includes('eth_getBlockReceipts'))).to.deep.equal([WIDE_LOOK]);
  });

  it('does not prefetch while few transactions are awaited', async () => {
    await open();
    awaitOthers(14);
    await record(1, 'unsent');
    expect(proxy.count('eth_getBlockReceipts')).to.equal(1);
  });

  for (const [what, lacking] of [
    ['nothing', undefined],
    ['an error', { code: -32_000, message: 'header not found' }],
  ] as const) {
    it(`goes on asking for receipts of blocks where the node has ${what} for those to come`, async () => {
      await open({ lacking });
      awaitOthers(16);
      const unseen = await unseenRejections(() => record(1, 'unsent'));
      expect(unseen.map(String).join()).not.to.contain('header not found');
      const asked = proxy.count('eth_getBlockReceipts');
      // It was told so then: one of the three at most was there.
      expect(asked).to.be.at.least(3);
      await record(1, 'unsent');
      expect(proxy.count('eth_getBlockReceipts')).to.be.above(asked);
      expect(proxy.count('eth_getTransactionReceipt')).to.equal(0);
    });
  }

  it('takes a safe gas limit if the node does not estimate for unknown accounts', async () => {
    await open({ refused: { eth_estimateGas: { code: -32_000, message: 'account not permitted' } } });
    expect(await chain.fees()).to.deep.equal({ gasPrice: 0n, gasLimit: 50_000n });
  });

  it('asks for the price once a second, and for the gas limit once', async () => {
    await open();
    await Promise.all([chain.fees(), chain.fees()]);
    clock += 999;
    await chain.fees();
    expect(proxy.count('eth_gasPrice')).to.equal(1);
    clock += 1;
    await chain.fees();
    expect(proxy.count('eth_gasPrice')).to.equal(2);
    expect(proxy.count('eth_estimateGas')).to.equal(1);
  });

  it('does not cache a failure to get the price', async () => {
    await open({ refused: { eth_gasPrice: { code: -32_000, message: 'not now' } } });
    expect(await rejectionOf(chain.fees())).to.be.an.instanceOf(ChainUnavailable);
    proxy.become({});
    expect((await chain.fees()).gasPrice).to.equal(0n);
  });

  it('throws ChainUnavailable after the timeout of a call', async () => {
    await open({}, { requestTimeoutMs: 3_000 });
    proxy.become({ silent: true });
    const calls = [chain.ping(), chain.fees(), chain.send('0x')];
    for (const error of await Promise.all(calls.map(rejectionOf))) {
      expect(error).to.be.an.instanceOf(ChainUnavailable);
      expect(error.message).to.match(/did not answer eth_\w+ in 3 s/);
    }
  });

  for (const [what, habits] of [
    ['keeps connections', {}],
    ['closes each connection', { closes: true }],
  ] as const) {
    it(`looks for the contract once, however many transactions are sent, if the node ${what}`, async () => {
      await open(habits);
      for (let round = 0; round < 5; round += 1) await record(20);
      expect(proxy.count('eth_getCode')).to.equal(1);
    });
  }

  it('sends to a node that does not say whether the contract is there, and holds up no other call for it', async () => {
    await open({ silentTo: 'eth_getCode' }, { requestTimeoutMs: 3_000 });
    const sending = record(1);
    await chain.ping();
    await nonces(3);
    await sending;
    expect(chain.contractMissing()).to.equal(undefined);
    proxy.become({ refused: { eth_getCode: { code: -32_601, message: 'no such method' } } });
    await chain.checkContract();
    await chain.ping();
    await record(1);
    expect(chain.contractWarning()).to.equal(undefined);
  });

  it('quotes the error of the node in one line', async () => {
    await open({ refused: { eth_getTransactionCount: { code: -32_000, message: 'no\nway\u202e' } } });
    const error = await rejectionOf(chain.nextNonce(scene.account, 'latest'));
    expect(error).to.be.an.instanceOf(ChainUnavailable);
    expect(error.message).to.equal("The chain's node refused eth_getTransactionCount: no way.");
  });

  for (const [what, answer, message] of [
    ['a page', { status: 200, body: '<html>' }, 'not JSON-RPC'],
    ['JSON of another kind', { status: 200, body: '{"hello":1}' }, 'not JSON-RPC'],
    ['a list', { status: 200, body: '[]' }, 'unexpected'],
    ['an error of its own', { status: 502, body: 'Bad gateway' }, '502'],
    ['that it has too much to do', { status: 429, body: 'slow down' }, '429'],
    ['that it wants a key', { status: 401, body: '{}' }, '401; check CHAIN_RPC_URL'],
    ['that it is elsewhere', { status: 307, body: '' }, '307; check CHAIN_RPC_URL'],
  ] as const) {
    it(`is unavailable where that answers ${what}`, async () => {
      await open();
      proxy.become({ answer });
      for (const calls of [1, 5]) {
        const error = await rejectionOf(nonces(calls));
        expect(error).to.be.an.instanceOf(ChainUnavailable);
        expect(error.message).to.contain(message);
      }
    });
  }

  it('sends user and password, which are in no message', async () => {
    await open({}, { url: `http://us%40er:pass%20word@127.0.0.1:${proxy.port}/v3/secret` });
    const expected = `Basic ${Buffer.from('us@er:pass word').toString('base64')}`;
    expect(new Set(proxy.requests.map(({ authorization }) => authorization))).to.deep.equal(
      new Set([expected]),
    );
    await proxy.close();
    const error = await rejectionOf(chain.ping());
    expect(error).to.be.an.instanceOf(ChainUnavailable);
    expect(`${error.message} ${String(error.cause)} ${error.stack}`).to.not.match(/pass|us@er|secret/);
    proxy = await startProxy(scene.node.url);
  });
});
