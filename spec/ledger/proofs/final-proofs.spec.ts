import { expect } from 'chai';
import type { LateChain } from '../../../src/chain/late-chain.js';
import { type Chain, ChainUnavailable, type Hex } from '../../../src/chain/port.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import {
  anyWallet,
  creation,
  idle,
  type LedgerNode,
  ledgerScene,
  type NodeOptions,
  type Receipt,
  until,
} from '../scene.js';
import { expectProof } from './checked-proof.js';
import { mineWith } from './mixed-block.js';

const ID = 'urn:ngsi-ld:Car:1';

describe('LEDGER_PROOFS=always', () => {
  const scene = ledgerScene();
  /** The blocks that the node was asked for, and what it gave. */
  let asked: Hex[];
  let given: Map<Hex, Awaited<ReturnType<Chain['evidence']>>>;
  let evidence: ((hash: Hex) => ReturnType<Chain['evidence']>) | undefined;
  beforeEach(() => {
    asked = [];
    given = new Map();
    evidence = undefined;
  });

  const watched = (chain: LateChain): LateChain => ({
    ...chain,
    async evidence(hash, known) {
      asked.push(hash);
      const found = await (evidence === undefined ? chain.evidence(hash, known) : evidence(hash));
      given.set(hash, found);
      return found;
    },
  });
  const open = (options: NodeOptions = {}): Promise<LedgerNode> =>
    scene.node({ proofs: 'always', finality: 3, finalMs: 0, watched, ...options });
  const mine = (): Promise<unknown> => scene.anvil.rpc('evm_mine');
  /** The proof of a receipt from the store alone: the node does not give blocks any more. */
  const expectKept = async (node: LedgerNode, receipt: Receipt, entityId: string): Promise<void> => {
    evidence = async () => undefined;
    const request = {
      transactionHash: receipt.transactionHash,
      entityId,
      tenant: undefined,
      client: undefined,
    };
    const file = await node.proofs(node.actors)(request);
    const value = 1;
    const speed = `{"type":"Property","value":${value}}`;
    expectProof(file, `{"id":"${entityId}","speed":${speed},"type":"Car"}`, receipt.blockHash);
  };

  it('makes the proofs of a block once it is final, with one request for all its transactions', async () => {
    const node = await open();
    await scene.anvil.rpc('evm_setAutomine', [false]);
    const [one, two] = [anyWallet(), anyWallet()];
    const ids = [ID, `${ID}1`, `${ID}2`];
    const recording = [
      node.record(creation(ids[0]!), one),
      node.record(creation(ids[1]!), one),
      node.record(creation(ids[2]!), two),
    ];
    await until(async () => {
      const { pending } = (await scene.anvil.rpc('txpool_status')) as { pending: string };
      expect(Number(pending)).to.equal(3);
    });
    await mine();
    const receipts = await Promise.all(recording);
    await idle(node);
    expect(asked).to.deep.equal([]);
    await mine();
    await mine();
    await until(async () => expect(asked).to.have.length(1));
    await until(async () => expect(node.actors.stats().effectsRunning).to.equal(0));
    for (const [i, receipt] of receipts.entries()) await expectKept(node, receipt, ids[i]!);
    expect(asked).to.deep.equal([receipts[0]!.blockHash]);
  });

  it('needs the header alone of a block of its own, and everything of one that has others too', async () => {
    const node = await open({ finality: 1 });
    const madeOf = async ({ blockHash }: Receipt): Promise<void> => {
      await until(async () => expect(given.get(blockHash)).not.to.equal(undefined));
      await idle(node);
    };
    const wallet = anyWallet();
    const own = await node.record(creation(ID), wallet);
    await madeOf(own);
    await expectKeptOf(node, own, ID);
    const [transaction] = given.get(own.blockHash)!.block.transactions;
    expect(transaction).to.deep.equal({ hash: own.transactionHash });
    expect(given.get(own.blockHash)!.receipts).to.equal(undefined);
    const id = `${ID}1`;
    const [mixed] = await mineWith(scene.anvil, 2, [0], [() => node.record(creation(id), wallet)]);
    await madeOf(mixed!);
    await expectKeptOf(node, mixed!, id);
    const { transactions } = given.get(mixed!.blockHash)!.block;
    expect(transactions).to.have.length(3);
    for (const one of transactions) expect(one).to.include.keys('hash', 'nonce', 'input');
  });

  it('asks for the receipts if those that it derives do not have the root in the header, and derives no more', async () => {
    // Receipts that the block's root does not have.
    const other = (chain: LateChain): LateChain => ({
      ...watched(chain),
      mined(...of) {
        const mined = chain.mined(...of);
        const receipt = mined.receipt.then((it): typeof it => ({ ...it, cumulativeGasUsed: '0x1' }));
        return { receipt, stop: (reason) => mined.stop(reason) };
      },
    });
    const node = await open({ finality: 1, watched: other });
    const wallet = anyWallet();
    const one = await node.record(creation(ID), wallet);
    await until(async () => expect(asked).to.have.length(2));
    await idle(node);
    await expectKeptOf(node, one, ID);
    await node.record(creation(`${ID}1`), wallet);
    await until(async () => expect(asked).to.have.length(3));
    expect([...given.values()].every((evidence) => evidence!.receipts !== undefined)).to.equal(true);
  });

  it('carries on after a kill, and while the node does not answer', async () => {
    const store = memoryStore();
    const first = await open({ store });
    const receipt = await first.record(creation(ID), anyWallet());
    evidence = () => new Promise(() => undefined);
    await mine();
    await mine();
    await until(async () => expect(asked).to.have.length(1));
    await first.stop();
    evidence = async () => {
      throw new ChainUnavailable('no answer');
    };
    const second = await open({ store });
    await until(async () => expect(asked.length).to.be.above(1));
    evidence = undefined;
    await until(async () => expectKeptOf(second, receipt, ID));
  });

  it('waits for a node that lacks the block, and gives up a form that is not known', async () => {
    const unproven: string[] = [];
    const node = await open({ onUnproven: (_block, why) => unproven.push(why) });
    evidence = async () => undefined;
    const receipt = await node.record(creation(ID), anyWallet());
    await mine();
    await mine();
    await until(async () => expect(asked.length).to.be.above(0));
    evidence = async () => ({ block: { transactions: [] }, receipts: [], raw: {} });
    await until(async () => expect(unproven).to.have.length(1));
    expect(unproven[0]).to.match(/^no proof can be made: the chain has no bytes as parentHash/);
    expect(node.faults).to.deep.equal([]);
    expect(receipt.statusOK).to.equal(true);
  });

  async function expectKeptOf(node: LedgerNode, receipt: Receipt, id: string): Promise<void> {
    const before = evidence;
    await expectKept(node, receipt, id).finally(() => {
      evidence = before;
    });
  }
});
