import { expect } from 'chai';
import { type ProofFile, verifyProof } from '../../../src/library/proof.js';
import { OPERATION, transactionAddress } from '../../../src/ledger/addresses.js';
import type { AcceptedContext } from '../../../src/ledger/accepted/accepted-machine.js';
import { notificationDigest, notifyKey } from '../../../src/ledger/content/notification.js';
import { operationOf } from '../../../src/ledger/content/operations.js';
import type { Operation } from '../../../src/ledger/operation.js';
import { contextIn } from '../../../src/actors/behavior.js';
import type { TransactionEvent } from '../../../src/ledger/transaction/transaction-machine.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import { type Gateway, HONEST, startGateway } from '../../chain/gateway.js';
import { anyWallet, idle, type LedgerNode, ledgerScene, type Receipt, until } from '../scene.js';

const entities = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `urn:ngsi-ld:Car:${n}`, type: 'Car', speed: n }));

function notification(id: string, data: readonly object[] = entities(1), tenant?: string): Operation {
  const body = { id, type: 'Notification', subscriptionId: 'urn:ngsi-ld:Subscription:1', data };
  const common = { tenant, link: undefined, ldJson: false };
  return operationOf({ name: 'notify', bytes: Buffer.from(JSON.stringify(body)), common });
}

const ID = 'urn:ngsi-ld:Notification:1';
const FIRST = notification(ID);

describe('an accepted operation', () => {
  const scene = ledgerScene();
  const wallet = anyWallet();
  let gateway: Gateway | undefined;
  afterEach(async () => {
    await gateway?.close();
    gateway = undefined;
  });

  const recorded = async (node: LedgerNode, id: string): Promise<Receipt> => {
    let receipt: Receipt | undefined;
    await until(async () => {
      const state = await node.operation(id, undefined);
      if (state?.is !== 'recorded') throw new Error(`it is ${JSON.stringify(state)}`);
      receipt = JSON.parse([...state.receipt].join('')) as Receipt;
    });
    return receipt!;
  };
  const sentOnChain = async (): Promise<number> =>
    Number(await scene.anvil.rpc('eth_getTransactionCount', [await wallet.account(), 'latest']));
  const contextOf = async ({ store }: LedgerNode): Promise<AcceptedContext> => {
    const { items } = await store.list({ kind: OPERATION, limit: 10 });
    expect(items).to.have.length(1);
    return contextIn(items[0]!) as AcceptedContext;
  };
  const waits = (node: LedgerNode, why: string): Promise<void> =>
    until(async () => expect((await contextOf(node)).detail).to.include(why));
  const fails = (node: LedgerNode, id: string, why: string): Promise<void> =>
    until(async () => {
      const state = await node.operation(id, undefined);
      expect(state).to.have.property('is', 'failed');
      expect(state).to.have.property('detail').that.includes(why);
    });

  it('is recorded by the default account as one batch, each entity of which is proven', async () => {
    const node = await scene.node({ defaultWallet: wallet, finality: 1, finalMs: 0 });
    const data = entities(3);
    const receipt = await recorded(node, await node.accept(notification(ID, data, 'acme')));
    expect(receipt.from).to.equal(await wallet.account());
    expect(receipt.statusOK).to.equal(true);
    expect(receipt.additionalInformation).to.deep.include({ operation: 'notify', tenant: 'acme' });
    for (const entity of data) {
      const [listed, ...more] = (await node.transactions(entity.id, {}, 'acme'))!;
      expect([listed!.transactionHash, more]).to.deep.equal([receipt.transactionHash, []]);
      const file: ProofFile = await node.proofs(node.actors)({
        transactionHash: receipt.transactionHash,
        entityId: entity.id,
        tenant: 'acme',
        client: undefined,
      });
      expect(file.operation).to.equal('notify');
      const verdict = verifyProof(file, { entity }, { blockHash: receipt.blockHash });
      expect(verdict.verified, JSON.stringify(verdict)).to.equal(true);
      const other = verifyProof(file, { entity: { ...entity, speed: -1 } }, { blockHash: receipt.blockHash });
      expect(other.verified).to.equal(false);
    }
    expect(node.faults).to.deep.equal([]);
  });

  it('is the same one while it is pending, after it is recorded, and after a restart', async () => {
    const store = memoryStore();
    const first = await scene.node({ store, defaultWallet: wallet });
    await scene.anvil.rpc('evm_setAutomine', [false]);
    const id = await first.accept(FIRST);
    expect(await first.accept(notification(ID))).to.equal(id);
    expect(await first.operation(id, undefined)).to.deep.equal({ is: 'pending' });
    await scene.anvil.rpc('evm_setAutomine', [true]);
    const receipt = await recorded(first, id);
    expect(await first.accept(FIRST)).to.equal(id);
    await idle(first);
    await first.stop();
    const second = await scene.node({ store, defaultWallet: wallet });
    expect(await second.accept(FIRST)).to.equal(id);
    expect((await recorded(second, id)).transactionHash).to.equal(receipt.transactionHash);
    const other = await second.accept(notification('urn:ngsi-ld:Notification:2'));
    expect(other).not.to.equal(id);
    await recorded(second, other);
    await idle(second);
    expect(await sentOnChain()).to.equal(2);
    expect(await second.transactions('urn:ngsi-ld:Car:0')).to.have.length(2);
  });

  it('is one with the same notification of a caller who names the same account', async () => {
    const node = await scene.node({ defaultWallet: wallet });
    const id = await node.accept(FIRST);
    const receipt = await node.record(FIRST, wallet, notifyKey(notificationDigest(FIRST)));
    expect((await recorded(node, id)).transactionHash).to.equal(receipt.transactionHash);
    await idle(node);
    expect(await sentOnChain()).to.equal(1);
  });

  it('is continued by the next start with the transaction that was signed, however late that is', async () => {
    const store = memoryStore();
    const first = await scene.node({ store, defaultWallet: wallet, keyTtlMs: 1 });
    await scene.anvil.rpc('evm_setAutomine', [false]);
    const id = await first.accept(FIRST);
    const signed = async (): Promise<void> => {
      const { pending } = (await scene.anvil.rpc('txpool_status')) as { pending: string };
      expect(Number(pending)).to.equal(1);
    };
    await until(signed);
    await until(async () =>
      expect((await store.list({ kind: 'key', limit: 1 })).items[0]?.state).to.equal('signed'),
    );
    await first.stop();
    await scene.anvil.rpc('evm_mine');
    await scene.anvil.rpc('evm_setAutomine', [true]);
    const second = await scene.node({ store, defaultWallet: wallet, keyTtlMs: 3_600_000 });
    await recorded(second, id);
    await idle(second);
    expect(await sentOnChain()).to.equal(1);
    expect((await store.list({ kind: 'key', limit: 1 })).items[0]?.wakeAt, 'its key ends').to.be.a('number');
  });

  it('waits while the chain is away, and says why', async () => {
    gateway = await startGateway(scene.anvil.url);
    const node = await scene.node({ url: gateway.url, defaultWallet: wallet });
    const { url } = gateway;
    await gateway.close();
    gateway = undefined;
    const id = await node.accept(FIRST);
    await waits(node, 'the node of the chain');
    // Pages of a batch that nobody keeps are deleted after a while.
    const { items: pages } = await node.store.list({ kind: 'page', limit: 10 });
    expect(pages.map((page) => page.state)).to.deep.equal(['kept']);
    expect(await node.operation(id, undefined)).to.deep.equal({ is: 'pending' });
    gateway = await startGateway(scene.anvil.url, Number(new URL(url).port));
    await recorded(node, id);
    expect(await sentOnChain()).to.equal(1);
  });

  it('counts in the limit of those that wait during its back-off, after a restart too', async () => {
    gateway = await startGateway(scene.anvil.url);
    const { url } = gateway;
    const store = memoryStore();
    const settings = { url, store, defaultWallet: wallet, accepted: { most: 1, waiting: 1 } };
    let node = await scene.node(settings);
    await gateway.close();
    gateway = undefined;
    const [first, second, third] = [1, 2, 3].map((n) => notification(`urn:ngsi-ld:Notification:${n}`));
    const ids = [await node.accept(first!), await node.accept(second!)];
    const refused = async (): Promise<void> => {
      const error: unknown = await node.accept(third!).catch((thrown: unknown) => thrown);
      expect(error).to.include({ code: 'unavailable' });
      expect((error as Error).message).to.include('2 of them for another try');
    };
    await until(refused);
    expect(await node.accept(first!)).to.equal(ids[0]);
    await node.stop();
    gateway = await startGateway(scene.anvil.url, Number(new URL(url).port));
    await gateway.close();
    node = await scene.node(settings);
    await refused();
    gateway = await startGateway(scene.anvil.url, Number(new URL(url).port));
    for (const id of ids) await recorded(node, id);
    await recorded(node, await node.accept(third!));
  });

  it('fails if the chain refuses it, and is recorded if it is sent again', async () => {
    gateway = await startGateway(scene.anvil.url);
    gateway.become({ passesOn: false, answers: { message: 'intrinsic gas too low' } });
    const node = await scene.node({ url: gateway.url, defaultWallet: wallet });
    const id = await node.accept(FIRST);
    await fails(node, id, 'intrinsic gas too low');
    gateway.become(HONEST);
    expect(await node.accept(FIRST)).to.equal(id);
    await recorded(node, id);
    expect(await sentOnChain()).to.equal(1);
  });

  /** Starts a node whose transactions have a price, which the account cannot pay. */
  const pricedNode = (more: { readonly waitMs?: number; readonly keyTtlMs?: number }): Promise<LedgerNode> =>
    scene.node({
      defaultWallet: wallet,
      watched: (chain) => {
        const fees = async () => ({ gasPrice: 1n, gasLimit: 100_000n });
        return Object.assign(Object.create(chain) as typeof chain, { fees });
      },
      ...more,
    });

  it('waits while the account has no funds, longer than a caller does', async () => {
    const node = await pricedNode({ waitMs: 100 });
    const id = await node.accept(FIRST);
    await waits(node, 'is out of funds');
    await until(async () => expect((await contextOf(node)).tries).to.be.above(1));
    expect(await node.operation(id, undefined)).to.deep.equal({ is: 'pending' });
    await scene.anvil.rpc('anvil_setBalance', [await wallet.account(), '0xde0b6b3a7640000']);
    await recorded(node, id);
  });

  it('fails if the account has no funds for the time to live of its key', async () => {
    const node = await pricedNode({ keyTtlMs: 500 });
    const id = await node.accept(FIRST);
    await fails(node, id, 'is out of funds');
  });

  it('waits for the account that it was accepted for', async () => {
    const store = memoryStore();
    const without = await scene.node({ store, url: 'http://127.0.0.1:9', defaultWallet: wallet });
    const id = await without.accept(FIRST);
    await without.stop();
    const changed = await scene.node({ store, defaultWallet: anyWallet() });
    await waits(changed, 'was accepted for the default account');
    expect(await changed.operation(id, undefined)).to.deep.equal({ is: 'pending' });
    await changed.stop();
    const back = await scene.node({ store, defaultWallet: wallet });
    await recorded(back, id);
  });

  it('is pending again while its block has left the chain', async () => {
    const node = await scene.node({ defaultWallet: wallet });
    const id = await node.accept(FIRST);
    const { transactionHash: hash } = await recorded(node, id);
    await idle(node);
    await scene.anvil.rpc('evm_setAutomine', [false]);
    await scene.anvil.rpc('anvil_reorg', [1, []]);
    const recheck: TransactionEvent = { type: 'recheck', now: Date.now() };
    await node.actors.ask(transactionAddress(node.chain.name, hash), recheck);
    await until(async () => expect(await node.operation(id, undefined)).to.deep.equal({ is: 'pending' }));
    await scene.anvil.rpc('evm_setAutomine', [true]);
    await scene.anvil.rpc('evm_mine');
    expect((await recorded(node, id)).transactionHash).to.equal(hash);
  });

  it('is recorded if it is sent again after another transaction has taken its place on the chain', async () => {
    const node = await scene.node({ defaultWallet: wallet });
    const id = await node.accept(FIRST);
    const { transactionHash: hash } = await recorded(node, id);
    await idle(node);
    await scene.anvil.rpc('evm_setAutomine', [false]);
    await scene.anvil.rpc('anvil_reorg', [1, []]);
    await scene.anvil.rpc('anvil_dropTransaction', [hash]);
    await scene.anvil.rpc('anvil_setNonce', [await wallet.account(), '0x1']);
    const recheck: TransactionEvent = { type: 'recheck', now: Date.now() };
    await node.actors.ask(transactionAddress(node.chain.name, hash), recheck);
    await until(async () => expect((await node.operation(id, undefined))?.is).to.equal('failed'));
    await scene.anvil.rpc('evm_setAutomine', [true]);
    expect(await node.accept(FIRST)).to.equal(id);
    const again = await recorded(node, id);
    expect(again.transactionHash).not.to.equal(hash);
    expect(await node.accept(FIRST)).to.equal(id);
    await idle(node);
    expect(await sentOnChain()).to.equal(2);
  });

  it('is known to its tenant alone, and to callers without a tenant', async () => {
    const node = await scene.node({ defaultWallet: wallet });
    const own = await node.accept(notification(ID, entities(1), 'acme'));
    const nobodys = await node.accept(FIRST);
    expect(own).to.match(/\.acme$/);
    const found = async (id: string, tenant?: string) => (await node.operation(id, tenant)) !== undefined;
    expect(await found(own, 'acme')).to.equal(true);
    expect(await found(own)).to.equal(true);
    expect(await found(nobodys)).to.equal(true);
    expect(await found(own, 'other')).to.equal(false);
    expect(await found(nobodys, 'acme')).to.equal(false);
    for (const id of [
      'x',
      '',
      '0'.repeat(64),
      own.replace('.acme', ''),
      own.replace('.acme', '.*'),
      `${own}/x`,
    ])
      expect(await found(id), id).to.equal(false);
  });
});
