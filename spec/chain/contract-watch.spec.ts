import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { contractWatch, type ContractWatch } from '../../src/chain/contract-watch.js';
import { NodeError, NodeUnreachable, unreachable } from '../../src/chain/exchange.js';
import { ChainMisfit, ChainUnavailable, type Hex } from '../../src/chain/port.js';
import { TIMESTAMPER_BYTECODE } from '../../src/chain/timestamper.js';

const CONTRACT: Hex = `0x${'c0'.repeat(20)}`;

describe('the watch of a contract', () => {
  /** The questions that the node has not answered yet, the oldest first. */
  let questions: ((answer: unknown) => void)[];
  let changes: boolean[];
  let watch: ContractWatch;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    questions = [];
    changes = [];
    watch = contractWatch({
      call: () =>
        new Promise((resolve, reject) => {
          questions.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
        }),
      contract: CONTRACT,
      chainId: 1337,
      onChange: (isMissing) => changes.push(isMissing),
    });
  });
  afterEach(() => {
    watch.close();
    mock.timers.reset();
  });

  /** Has the node answer its oldest question. */
  const answer = async (given: unknown): Promise<void> => {
    questions.shift()!(given);
    await turn();
  };
  /** Has the node asked and answers. */
  const looked = async (given: unknown): Promise<void> => {
    const looking = watch.check();
    await answer(given);
    await looking;
  };
  /** Whether what is to be sent now has to wait, after a turn. */
  const waits = async (): Promise<boolean> => {
    let isOver = watch.settled() === undefined;
    void watch.settled()?.then(() => (isOver = true));
    await turn();
    return !isOver;
  };

  it('asks before the first transaction, and holds up all until the answer', async () => {
    expect([await waits(), await waits(), questions.length]).to.deep.equal([true, true, 1]);
    await answer(TIMESTAMPER_BYTECODE);
    expect([await waits(), questions.length]).to.deep.equal([false, 0]);
    expect([watch.obstacle(), watch.warning(), changes]).to.deep.equal([undefined, undefined, []]);
  });

  it('asks again after a doubt, also if a question is on its way that was asked before', async () => {
    expect(await waits()).to.equal(true);
    watch.doubt();
    await answer(TIMESTAMPER_BYTECODE);
    expect([await waits(), questions.length]).to.deep.equal([true, 1]);
    await answer('0x');
    expect(await waits()).to.equal(false);
    expect(watch.obstacle()).to.be.instanceOf(ChainMisfit);
  });

  it('holds up nobody without a doubt', async () => {
    await looked(TIMESTAMPER_BYTECODE);
    void watch.check();
    expect([await waits(), questions.length]).to.deep.equal([false, 1]);
  });

  it('asks for a missing contract until it is there, and tells both once', async () => {
    await looked('0x');
    expect(watch.missing()!.message).to.include(CONTRACT).and.include('chain 1337');
    for (let n = 0; n < 3; n += 1) {
      mock.timers.tick(500);
      await answer('0x');
    }
    expect(changes).to.deep.equal([true]);
    mock.timers.tick(500);
    await answer(TIMESTAMPER_BYTECODE);
    expect([watch.missing(), changes]).to.deep.equal([undefined, [true, false]]);
    mock.timers.tick(10_000);
    expect(questions).to.deep.equal([]);
  });

  for (const [what, given] of [
    ['an error', new NodeError(-32_601, 'no such method')],
    ['no answer in time', new ChainUnavailable('no answer in 5 s')],
    ['a status of a gateway', new ChainUnavailable('it answered 403')],
    ['something else', null],
  ] as const) {
    it(`does not take a contract for missing after ${what}`, async () => {
      await looked(given);
      expect([await waits(), watch.obstacle(), questions]).to.deep.equal([false, undefined, []]);
      expect(changes).to.deep.equal([]);
    });
  }

  it('sends nothing on a guess if the node cannot be reached: the next one may be empty', async () => {
    await looked(unreachable('http://127.0.0.1:1', undefined));
    expect(watch.obstacle()).to.be.instanceOf(NodeUnreachable);
    expect([watch.missing(), await waits(), questions.length]).to.deep.equal([undefined, true, 1]);
    await answer('0x');
    expect(watch.obstacle()).to.be.instanceOf(ChainMisfit);
  });

  it('goes on asking for a missing contract while the node cannot be reached', async () => {
    await looked('0x');
    mock.timers.tick(500);
    await answer(unreachable('http://127.0.0.1:1', undefined));
    mock.timers.tick(500);
    await answer(TIMESTAMPER_BYTECODE);
    expect(changes).to.deep.equal([true, false]);
  });

  it('warns of a contract that cannot emit the event, as long as its code is there', async () => {
    await looked('0x00');
    expect(watch.warning()).to.include(CONTRACT).and.include('CHAIN_CONTRACT');
    expect([watch.obstacle(), await waits()]).to.deep.equal([undefined, false]);
    await looked(TIMESTAMPER_BYTECODE);
    expect(watch.warning()).to.equal(undefined);
  });
});
