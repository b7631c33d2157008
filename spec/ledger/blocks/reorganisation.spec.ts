import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import { anyWallet, creation, idle, type LedgerNode, ledgerScene, type Receipt, until } from '../scene.js';

/** No block is checked for its age. */
const NEVER_MS = 3_600_000;
const id = (n: number): string => `urn:ngsi-ld:Car:${n}`;

/** Each operation is listed once, and its block is the chain's. */
async function expectCanonical(node: LedgerNode, answered: readonly Receipt[]): Promise<void> {
  for (const { transactionHash } of answered) {
    const onChain = await node.chain.receipt(transactionHash);
    expect(onChain, `${transactionHash} is in no block`).not.to.equal(undefined);
  }
  const listed: Receipt[] = [];
  const { ids } = await node.entities(0, 1000);
  for (const entityId of ids) listed.push(...(await node.transactions(entityId))!);
  const hashes = listed.map(({ transactionHash }) => transactionHash);
  expect(hashes.toSorted()).to.deep.equal(answered.map(({ transactionHash }) => transactionHash).toSorted());
  for (const { blockNumber, blockHash } of listed) {
    expect((await node.chain.block(blockNumber))!.hash).to.equal(blockHash);
  }
}

describe('a reorganisation', () => {
  const scene = ledgerScene();

  it('of three blocks loses no operation, and every receipt names a block of the chain', async () => {
    const node = await scene.node({ finalMs: NEVER_MS });
    const wallets = [anyWallet(), anyWallet()];
    const answered: Receipt[] = [];
    for (let n = 0; n < 12; n += 1) answered.push(await node.record(creation(id(n)), wallets[n % 2]!));
    await scene.anvil.rpc('anvil_reorg', [3, []]);
    await until(() => expectCanonical(node, answered));
  });

  it('is noticed even if it happens while no node runs, and so is the next one', async () => {
    const store = memoryStore();
    const before = await scene.node({ store, finalMs: NEVER_MS });
    const wallet = anyWallet();
    const answered: Receipt[] = [];
    for (let n = 0; n < 3; n += 1) answered.push(await before.record(creation(id(n)), wallet));
    await idle(before);
    await before.stop();
    await scene.anvil.rpc('anvil_reorg', [2, []]);
    const node = await scene.node({ store, finalMs: NEVER_MS });
    await until(() => expectCanonical(node, answered));
    await idle(node);
    await scene.anvil.rpc('anvil_reorg', [3, []]);
    await until(() => expectCanonical(node, answered));
  });

  it('leaves all operations on the chain, even if a node restarts empty after all blocks were final', async () => {
    const node = await scene.node({ finality: 1, finalMs: 1 });
    const wallet = anyWallet();
    const answered: Receipt[] = [];
    for (let n = 0; n < 3; n += 1) answered.push(await node.record(creation(id(n)), wallet));
    await until(async () => {
      const { items } = await node.store.outline({ kind: 'block', limit: 10 });
      expect(items, 'blocks are watched').to.deep.equal([]);
    });
    await scene.anvil.kill('SIGKILL');
    await scene.anvil.restart();
    await deployTimestamper(scene.anvil.url);
    answered.push(await node.record(creation(id(3)), wallet));
    await until(() => expectCanonical(node, answered));
  });

  it('leaves on the chain what was final, also if more of its account waits after it', async () => {
    const node = await scene.node({ finality: 5, finalMs: 1 });
    const wallet = anyWallet();
    const answered: Receipt[] = [];
    for (let n = 0; n < 5; n += 1) answered.push(await node.record(creation(id(n)), wallet));
    await until(async () => {
      const { items } = await node.store.outline({ kind: 'block', limit: 10 });
      expect(items.length, 'blocks are watched').to.equal(4);
    });
    await scene.anvil.kill('SIGKILL');
    await scene.anvil.restart();
    await deployTimestamper(scene.anvil.url);
    await until(() => expectCanonical(node, answered));
  });

  it('of a whole chain waits for the contract, and leaves each operation once, with two nodes of the service', async () => {
    const store = memoryStore({ shared: true });
    const nodes = [await scene.node({ store }), await scene.node({ store })];
    const wallets = [anyWallet(), anyWallet()];
    const answered: Receipt[] = [];
    for (let n = 0; n < 8; n += 1)
      answered.push(await nodes[n % 2]!.record(creation(id(n)), wallets[(n >> 1) % 2]!));
    await scene.anvil.kill('SIGKILL');
    await scene.anvil.restart();
    for (const node of nodes) {
      // A node without work of its own looks when it is asked: as health does.
      await until(async () => {
        await node.chain.ping().catch(() => undefined);
        expect(node.chain.contractMissing()).not.to.equal(undefined);
      });
      await until(async () => expect(await node.transactions(id(0))).to.deep.equal([]));
    }
    for (const wallet of wallets) {
      expect(await nodes[0]!.chain.nextNonce(await wallet.account(), 'pending')).to.equal(0);
    }
    await deployTimestamper(scene.anvil.url);
    for (const node of nodes) await until(() => expectCanonical(node, answered));
    for (const wallet of wallets) {
      expect(await nodes[0]!.chain.nextNonce(await wallet.account(), 'latest')).to.equal(4);
    }
    const listed = await Promise.all(answered.map((_, n) => nodes[1]!.transactions(id(n))));
    expect(listed.flat().map((receipt) => receipt!.statusOK)).to.deep.equal(answered.map(() => true));
  });

  it('leaves each operation once after three of them under load', async () => {
    const node = await scene.node();
    const wallets = [anyWallet(), anyWallet(), anyWallet()];
    const answered: Receipt[] = [];
    let reorganised = 0;
    const caller = async (c: number): Promise<void> => {
      for (let n = 0; n < 15; n += 1)
        answered.push(await node.record(creation(id(n * 4 + c)), wallets[n % 3]!));
    };
    const reorganise = async (): Promise<void> => {
      for (const after of [10, 25, 40]) {
        await until(async () => expect(answered.length).to.be.at.least(after));
        await scene.anvil.rpc('anvil_reorg', [3, []]);
        reorganised += 1;
      }
    };
    await Promise.all([reorganise(), ...[0, 1, 2, 3].map(caller)]);
    expect(reorganised).to.equal(3);
    await until(() => expectCanonical(node, answered));
    for (const wallet of wallets) {
      expect(await node.chain.nextNonce(await wallet.account(), 'latest')).to.equal(20);
    }
  });
});
