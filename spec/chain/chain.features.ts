import { expect } from 'chai';
import { deployTimestamper } from '../../src/embedded/chain/deploy.js';
import { ChainMisfit, ChainUnavailable } from '../../src/chain/port.js';
import { timestampOf } from '../../src/chain/timestamp-call.js';
import { signTransaction } from '../../src/wallets/transaction-bytes.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { rejectionOf } from '../rejection.js';
import { type Anvil, FREE_CHAIN, FUNDED, startAnvil } from '../servers/chain.js';
import { sharedAnvil } from '../servers/shared-chain.js';
import { type Scene, type SceneOptions, minedIn, openScene, transactionInBlock, wordOf } from './scene.js';

const ELSEWHERE = `0x${'e'.repeat(40)}` as const;

/** The behaviour of every connection to a chain's node. */
export function chainFeatures(urlOf: (node: Anvil) => string): void {
  let scene: Scene;
  afterEach(() => scene.close());
  const shared = sharedAnvil(FREE_CHAIN, ({ url }) => deployTimestamper(url));
  const begin = async (more: SceneOptions = { on: shared() }): Promise<void> => {
    scene = await openScene({ urlOf, ...more });
  };

  /** A chain on which blocks come when the spec says so. */
  async function beginByHand(): Promise<void> {
    await begin();
    await scene.node.rpc('evm_setAutomine', [false]);
  }

  const headIs = (number: number): Promise<true> =>
    eventually(
      () => scene.chain.head() === number || undefined,
      SOON_MS,
      () => `the head is ${scene.chain.head()}, not ${number}`,
    );

  it('records a hash and finds its record', async () => {
    await begin();
    const receipt = await scene.record(7);
    const { transactionHash, blockHash } = receipt;
    expect(timestampOf(receipt, scene.contract)).to.deep.equal([
      { assetId: wordOf(7), hash: wordOf(7), contract: scene.contract },
    ]);
    expect(await scene.chain.receipt(transactionHash)).to.deep.equal(receipt);
    expect(receipt).to.deep.include({ from: scene.account, to: scene.contract, status: '0x1' });
    const transaction = await transactionInBlock(scene.chain, transactionHash);
    expect(transaction).to.deep.include({ hash: transactionHash, nonce: 0, blockNumber: 2, blockHash });
    expect(await scene.chain.block(2)).to.include({ number: 2, hash: blockHash });
    expect(await scene.chain.nextNonce(scene.account, 'latest')).to.equal(1);
    expect(await scene.chain.balance(scene.account)).to.equal(0n);
  });

  it('has the id of the chain as its name', async () => {
    await begin();
    expect(scene.chain).to.include({ id: 1337, name: '1337' });
    expect(scene.chain.contract).to.equal(scene.contract);
    await scene.chain.ping();
  });

  it('gives undefined for a transaction, a receipt and a block that do not exist', async () => {
    await begin();
    expect(await scene.chain.receipt(wordOf(1))).to.equal(undefined);
    expect(await scene.chain.transaction(wordOf(1))).to.equal(undefined);
    expect(await scene.chain.block(1_000_000)).to.equal(undefined);
  });

  it('finds a transaction in the pool, and one that was mined before the wait', async () => {
    await beginByHand();
    const { raw, hash } = scene.signed({});
    expect(await scene.chain.send(raw)).to.deep.equal({ is: 'sent', known: false });
    expect(await scene.chain.transaction(hash)).to.include({ blockNumber: undefined, blockHash: undefined });
    expect(await scene.chain.receipt(hash)).to.equal(undefined);
    expect(await scene.chain.nextNonce(scene.account, 'latest')).to.equal(0);
    expect(await scene.chain.nextNonce(scene.account, 'pending')).to.equal(1);
    await scene.mine(4);
    await headIs(5);
    expect(await minedIn(scene.chain, hash, 3)).to.include({ blockNumber: '0x2' });
  });

  it('waits for the confirmations', async () => {
    await beginByHand();
    const { raw, hash } = scene.signed({});
    await scene.chain.send(raw);
    const order: string[] = [];
    const waits = [3, 1, 2].map((confirmations) =>
      minedIn(scene.chain, hash, confirmations).then(() => order.push(`${confirmations}`)),
    );
    for (const block of [2, 3, 4]) {
      await scene.mine();
      await headIs(block);
      order.push(`block ${block}`);
    }
    await Promise.all(waits);
    expect(order.filter((it) => !it.startsWith('block'))).to.deep.equal(['1', '2', '3']);
    expect(order.indexOf('2')).to.be.above(order.indexOf('block 2'));
    expect(order.indexOf('3')).to.be.above(order.indexOf('block 3'));
  });

  it('ends one wait and continues the others', async () => {
    await beginByHand();
    const { raw, hash } = scene.signed({});
    await scene.chain.send(raw);
    const stop = new AbortController();
    const stopped = minedIn(scene.chain, hash, 1, { signal: stop.signal });
    const other = minedIn(scene.chain, hash, 1);
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await rejectionOf(stopped)).to.equal(reason);
    expect(await rejectionOf(minedIn(scene.chain, hash, 1, { signal: stop.signal }))).to.equal(reason);
    await scene.mine();
    expect(await other).to.include({ transactionHash: hash });
  });

  it('serves many waits at a time', async () => {
    await begin();
    const all = Array.from({ length: 300 }, (_, number) => scene.signed({ number }));
    const receipts = await Promise.all(
      all.map(async ({ raw, hash }) => {
        expect(await scene.chain.send(raw)).to.deep.equal({ is: 'sent', known: false });
        return minedIn(scene.chain, hash, 1);
      }),
    );
    expect(receipts.map((it) => it.transactionHash)).to.deep.equal(all.map((it) => it.hash));
    expect(await scene.chain.nextNonce(scene.account, 'latest')).to.equal(300);
  });

  it('follows a node that makes a block every second', async () => {
    await begin({ args: [...FREE_CHAIN, '--block-time', '1'] });
    const receipts = await Promise.all([scene.record(1), scene.record(2)]);
    expect(new Set(receipts.map(({ status }) => status))).to.deep.equal(new Set(['0x1']));
  });

  it('skips blocks if too many have come', async () => {
    await begin();
    const before = scene.signed({});
    const wait = minedIn(scene.chain, before.hash, 1);
    await scene.node.rpc('evm_setAutomine', [false]);
    await scene.node.rpc('eth_sendRawTransaction', [before.raw]);
    await scene.node.rpc('anvil_mine', ['0x640']);
    expect(await wait).to.include({ blockNumber: '0x2' });
    await headIs(1601);
    await scene.node.rpc('evm_setAutomine', [true]);
    expect(await scene.record(2)).to.include({ blockNumber: '0x642' });
  });

  it('distinguishes a used nonce, a known refusal and an unknown outcome', async () => {
    await begin();
    const mined = scene.signed({});
    await scene.chain.send(mined.raw);
    await minedIn(scene.chain, mined.hash, 1);
    expect(await scene.chain.send(mined.raw)).to.include({ is: 'nonce-used' });
    await scene.node.rpc('evm_setAutomine', [false]);
    const waiting = scene.signed({ nonce: 1 });
    expect(await scene.chain.send(waiting.raw)).to.deep.equal({ is: 'sent', known: false });
    expect(await scene.chain.send(waiting.raw)).to.deep.equal({ is: 'sent', known: true });
    const outcomes = [
      scene.signed({ nonce: 1, number: 2 }),
      scene.signed({ nonce: 2, gasPrice: 1n }),
      { raw: '0x1234' as const },
    ].map(async ({ raw }) => (await scene.chain.send(raw)).is);
    expect(await Promise.all(outcomes)).to.deep.equal(['unknown', 'refused', 'unknown']);
  });

  it('has the price 0 on a chain without a price, and the price times the factor elsewhere', async () => {
    await begin();
    const free = await scene.chain.fees();
    expect(free.gasPrice).to.equal(0n);
    expect(Number(free.gasLimit)).to.be.within(28_000, 32_000);
    const fixed = await scene.open({ gasLimit: 77_777n });
    expect(await fixed.fees()).to.deep.equal({ gasPrice: 0n, gasLimit: 77_777n });

    const node = await startAnvil(['--gas-price', '1000000007', '--base-fee', '7']);
    await node.rpc('anvil_setCode', [
      scene.contract,
      await scene.node.rpc('eth_getCode', [scene.contract, 'latest']),
    ]);
    const priced = await scene.open({ url: urlOf(node) });
    const fees = await priced.fees();
    const price = BigInt((await node.rpc('eth_gasPrice')) as string);
    expect(fees.gasPrice).to.equal((price * 12n + 9n) / 10n);
    const key = Buffer.from(FUNDED.key.slice(2), 'hex');
    const data = wordOf(1);
    const { address: from } = FUNDED;
    const signed = signTransaction({ from, to: scene.contract, data, nonce: 0, chainId: 1337, ...fees }, key);
    expect(await priced.send(signed.raw)).to.deep.equal({ is: 'sent', known: false });
    expect(await minedIn(priced, signed.hash, 1)).to.include({ status: '0x0' });
    expect(await priced.send(scene.signed({ nonce: 0, ...fees }).raw)).to.include({ reason: 'funds' });
    await priced.close();
    await node.stop();
  });

  it('throws ChainMisfit if the contract is missing', async () => {
    await begin();
    const error = await rejectionOf((await scene.open({ contract: ELSEWHERE })).ping());
    expect(error).to.be.an.instanceOf(ChainMisfit);
    expect(error.message).to.match(new RegExp(`${ELSEWHERE}.*CHAIN_CONTRACT`));
  });

  it('notices that the node is on another chain', async () => {
    await begin();
    await scene.node.kill('SIGKILL');
    await scene.node.restart();
    const other = await eventually(pinged, SOON_MS, () => 'no answer');
    expect(other).to.be.an.instanceOf(ChainMisfit);
    expect((other as Error).message).to.contain('no contract');
    await scene.node.rpc('anvil_setChainId', [5]);
    expect((await rejectionOf(scene.chain.ping())).message).to.match(/chain 5, .* 1337/);
  });

  /** Returns the fault of the chain; undefined while the node does not answer. */
  async function pinged(): Promise<unknown> {
    const error = await rejectionOf(scene.chain.ping());
    return error instanceof ChainUnavailable ? undefined : error;
  }

  it('throws ChainUnavailable while the node is away; waits go on when it is back', async () => {
    await begin();
    const state = await scene.node.rpc('anvil_dumpState');
    await scene.node.kill('SIGKILL');
    const { raw, hash } = scene.signed({});
    const wait = minedIn(scene.chain, hash, 1);
    const calls = [
      scene.chain.ping(),
      scene.chain.send(raw),
      scene.chain.fees(),
      scene.chain.receipt(hash),
      scene.chain.nextNonce(scene.account, 'pending'),
    ];
    for (const error of await Promise.all(calls.map(rejectionOf))) {
      expect(error).to.be.an.instanceOf(ChainUnavailable);
      expect(error.message).to.contain('CHAIN_RPC_URL');
    }
    const told = new Promise<number>((resolve) => scene.chain.onReorganisation(resolve));
    await scene.node.restart();
    await scene.node.rpc('anvil_loadState', [state]);
    await told;
    await eventually(
      async () => (await scene.chain.send(raw).catch(() => undefined))?.is,
      SOON_MS,
      () => 'not sent',
    );
    expect(await wait).to.include({ transactionHash: hash });
  });

  it('does not open without a node', async () => {
    await begin();
    await scene.node.kill('SIGKILL');
    const error = await rejectionOf(scene.open());
    expect(error).to.be.an.instanceOf(ChainUnavailable);
  });
}
