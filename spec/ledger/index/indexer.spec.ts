import { expect } from 'chai';
import { contextIn } from '../../../src/actors/behavior.js';
import { transactionAddress } from '../../../src/ledger/addresses.js';
import { createBatchPages, type ListedBatch } from '../../../src/ledger/index/batch-pages.js';
import { createBodyOperations } from '../../../src/ledger/content/body-operations.js';
import { createIndexer } from '../../../src/ledger/index/indexer.js';
import { createLists } from '../../../src/ledger/index/lists.js';
import { pageAddress } from '../../../src/ledger/index/page-machine.js';
import type { MinedTransaction } from '../../../src/ledger/signed-transaction.js';
import type { TransactionContext } from '../../../src/ledger/transaction/transaction-machine.js';
import { actorId } from '../../../src/store/port.js';
import { memoryStore, type MemoryStore } from '../../actors/stage/memory-store.js';
import { anyWallet, idle, type LedgerNode, ledgerScene, type Receipt } from '../scene.js';

const OLD = 'urn:ngsi-ld:Car:old';
const NEW = 'urn:ngsi-ld:Car:new';
/** Transactions of the old entity: three pages, and the newest items. */
const HISTORY = 230;

describe('the entry of a batch', () => {
  const scene = ledgerScene();
  const operations = createBodyOperations();
  after(() => operations.close());
  let store: MemoryStore;
  let node: LedgerNode;

  const upsert = async (...ids: readonly string[]): Promise<Receipt> => {
    const entities = ids.map((id, n) => ({ id, type: 'Car', speed: { type: 'Property', value: n } }));
    const common = { tenant: undefined, link: undefined, ldJson: false };
    const bytes = Buffer.from(JSON.stringify(entities));
    return node.record(await operations.of({ bytes, name: 'upsert', common }), anyWallet());
  };
  const often = (count: number): string[] => Array.from({ length: count }, () => OLD);
  const pagesRead = (): string[] => store.loads.filter((id) => id.startsWith('page/entity/'));

  beforeEach(async () => {
    store = memoryStore();
    node = await scene.node({ store });
    await upsert(...often(HISTORY));
    await idle(node);
    store.loads.length = 0;
  });

  const transactionOf = ({ transactionHash }: Receipt): MinedTransaction => {
    const stored = store.documents.get(actorId(transactionAddress(node.chain.name, transactionHash)))!;
    const { signed, receipt } = contextIn(stored) as TransactionContext;
    return { signed: signed!, receipt: receipt! };
  };
  const listedIn = ({ signed }: MinedTransaction): ListedBatch => signed.operation.listed as ListedBatch;

  /** As a node after a crash, which cannot know whether the transaction was listed. */
  const indexAgain = async (transaction: MinedTransaction): Promise<void> => {
    const indexer = createIndexer(createBatchPages(store, Date.now), createLists(store), Date.now);
    await (
      await indexer.index(node.actors, node.chain.name, transaction)
    ).indexed;
  };

  it('is listed without a search of the pages of its entity', async () => {
    await upsert(NEW, OLD, 'urn:ngsi-ld:Car:third');
    await idle(node);
    expect(pagesRead()).to.deep.equal([]);
    expect(await node.transactions(OLD)).to.have.length(HISTORY + 1);
  });

  it('is listed once, even if its entity has new pages before it is indexed again', async () => {
    const transaction = transactionOf(await upsert(NEW, OLD));
    await upsert(...often(HISTORY));
    await idle(node);
    store.loads.length = 0;
    await indexAgain(transaction);
    expect(pagesRead(), 'the page it is in').to.include(
      actorId(pageAddress('entity', OLD, Math.floor(HISTORY / 50))),
    );
    expect(pagesRead(), 'a page from before it').not.to.include(actorId(pageAddress('entity', OLD, 0)));
    expect(await node.transactions(OLD)).to.have.length(2 * HISTORY + 1);
    expect(await node.transactions(NEW)).to.have.length(1);
  });

  it('is listed once, even if the count of its entity has expired', async () => {
    const transaction = transactionOf(await upsert(NEW, OLD));
    await upsert(...often(HISTORY));
    await idle(node);
    const { paged } = listedIn(transaction);
    expect(store.documents.delete(actorId(pageAddress('paged', paged!, 0)))).to.equal(true);
    await indexAgain(transaction);
    expect(await node.transactions(OLD)).to.have.length(2 * HISTORY + 1);
  });

  it('is stored once, however often its batch comes', async () => {
    const pagesOf = (what: string) =>
      [...store.documents.keys()].filter((id) => id.startsWith(`page/${what}/`));
    await upsert(NEW, OLD);
    const before = pagesOf('batch').length;
    await upsert(...often(HISTORY));
    await upsert(NEW, OLD);
    await idle(node);
    expect(pagesOf('batch')).to.have.length(before);
    expect(pagesOf('paged')).to.have.length(3);
  });

  it('of entities without pages has no counts stored', async () => {
    const { paged } = listedIn(transactionOf(await upsert(NEW, 'urn:ngsi-ld:Car:third')));
    expect(paged).to.equal(undefined);
    expect([...store.documents.keys()].filter((id) => id.startsWith('page/paged/'))).to.deep.equal([]);
  });
});
