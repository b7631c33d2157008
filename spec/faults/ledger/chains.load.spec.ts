import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import type { Hex } from '../../../src/chain/port.js';
import { request } from '../../e2e/api-client.js';
import { anyId, building, ENTITIES, type LedgerService, openLedger } from '../../e2e/ledger/scene.js';
import { type Anvil, FREE_CHAIN, FUNDED } from '../../servers/chain.js';
import { eventually, SOON_MS } from '../stage/eventually.js';
import { listed, rpc } from './ledger-books.js';

const CALLERS = 64;
/** Duration of the load, ms. */
const LOAD_MS = process.env['FAULTS'] === 'full' ? 60_000 : 6_000;
/** Duration in which what was answered with 504 must be in a block, ms. */
const SETTLE_MS = 120_000;
/** Base fee at the start, on the chain with a price, wei. After 60 blocks it is still far above anvil's tip of 1 gwei. */
const PRICE = 10_000_000_000_000n;
/** Entities that are looked up at a time, and blocks that are read at a time. */
const AT_ONCE = 32;

/** The answers to the load: the hash of each entity's transaction, and how many answers had each status. */
interface Answers {
  readonly hashes: ReadonlyMap<string, Hex>;
  readonly statuses: Readonly<Record<string, number>>;
}

describe('64 callers of L1', function () {
  this.timeout(LOAD_MS + SETTLE_MS + 600_000);
  let ledger: LedgerService | undefined;

  afterEach(async () => {
    await ledger?.close();
    ledger = undefined;
  });

  for (const [chain, args, waitS] of [
    ['a block for each transaction', [], '30'],
    ['blocks of 1 s', ['--block-time', '1'], '30'],
    ['blocks of 12 s', ['--block-time', '12'], '60'],
  ] as const) {
    it(`on a chain with ${chain}: none fails, none is lost, none is recorded twice`, async () => {
      ledger = await openLedger({ LEDGER_WAIT_S: waitS }, [...FREE_CHAIN, ...args]);
      await judge(chain, ledger, await load(ledger));
    });
  }

  it('on a chain whose price doubles: none fails, none is lost, none is recorded twice', async () => {
    const args = ['--block-time', '1', '--base-fee', String(PRICE)];
    const settings = { LEDGER_WAIT_S: '30', DEFAULT_ACCOUNT_KEY: FUNDED.key, GAS_PRICE_FACTOR: '1' };
    ledger = await openLedger(settings, args);
    const { anvil } = ledger;
    let waiting = 0;
    const double = async (): Promise<void> => {
      // Signed at the old price, and in no block yet.
      waiting = await eventually(
        () => pendingAt(anvil),
        SOON_MS,
        () => 'no transaction waits for a block',
      );
      const { baseFeePerGas } = (await anvil.rpc('eth_getBlockByNumber', ['latest', false])) as Priced;
      const twice = 2n * BigInt(baseFeePerGas);
      await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${twice.toString(16)}`]);
    };
    await judge('a price that doubles', ledger, await load(ledger, double));
    expect(waiting).to.be.above(0);
  });
});

/** How many transactions wait in the pool; undefined if fewer than half of the callers have one there. */
async function pendingAt(anvil: Anvil): Promise<number | undefined> {
  const { pending } = (await anvil.rpc('txpool_status')) as { readonly pending: Hex };
  return Number(pending) >= CALLERS / 2 ? Number(pending) : undefined;
}

/** A block of a chain with a price. */
interface Priced {
  readonly baseFeePerGas: Hex;
}

/** Has 64 callers record entities, one after the other. `halfway` is called in the middle. */
async function load(
  { url }: LedgerService,
  halfway = async (): Promise<void> => undefined,
): Promise<Answers> {
  const hashes = new Map<string, Hex>();
  const statuses: Record<string, number> = {};
  const end = performance.now() + LOAD_MS;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      const id = anyId();
      const { status, body, text } = await request(`${url}${ENTITIES}`, 'POST', building(id));
      statuses[status] = (statuses[status] ?? 0) + 1;
      expect(status, text).to.be.oneOf([200, 504]);
      hashes.set(id, body['transactionHash'] as unknown as Hex);
    }
  };
  const middle = pause(LOAD_MS / 2).then(halfway);
  await Promise.all([middle, ...Array.from({ length: CALLERS }, caller)]);
  return { hashes, statuses };
}

/** Compares the answers with what L7 lists and with what the chain has, once everything is in a block. */
async function judge(chain: string, ledger: LedgerService, { hashes, statuses }: Answers): Promise<void> {
  const startedAt = performance.now();
  const ids = [...hashes.keys()];
  await inTurns(ids, (id) =>
    eventually(
      async () => ((await listed(ledger.url, id)).length > 0 ? true : undefined),
      SETTLE_MS,
      () => `${id} is lost`,
    ),
  );
  const settledMs = performance.now() - startedAt;
  const recorded = await transactionsOf(ledger.anvil.url, ledger.contract);
  const onChain = new Set(recorded);
  await inTurns(ids, async (id) => {
    const [hash, ...others] = await listed(ledger.url, id);
    expect(others, `${id} is listed twice`).to.deep.equal([]);
    expect(onChain.has(hash!), `${id} is listed and not on the chain`).to.equal(true);
  });
  expect(onChain.size, 'transactions').to.equal(recorded.length);
  expect(recorded, 'one transaction for each entity').to.have.length(ids.length);
  console.log(
    `      ${chain}: ${ids.length} recorded in ${LOAD_MS / 1_000} s, answers ${JSON.stringify(statuses)}, ` +
      `0 lost, 0 twice, settled after ${(settledMs / 1_000).toFixed(1)} s`,
  );
}

/** The hashes of the contract's transactions in all blocks. */
async function transactionsOf(chainUrl: string, contract: Hex): Promise<readonly Hex[]> {
  const head = Number(await rpc(chainUrl, 'eth_blockNumber', []));
  const found: Hex[] = [];
  await inTurns(
    Array.from({ length: head + 1 }, (_, number) => number),
    async (number) => {
      const block = await rpc(chainUrl, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, true]);
      const { transactions } = block as { transactions: { hash: Hex; to: Hex | null }[] };
      for (const { hash, to } of transactions) if (to === contract) found.push(hash);
    },
  );
  return found;
}

async function inTurns<T>(items: readonly T[], visit: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) await visit(items[at]!);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
