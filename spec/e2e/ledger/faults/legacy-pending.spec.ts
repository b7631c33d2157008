import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { decodeTransaction } from '../../../../src/wallets/transaction-bytes.js';
import { type Gateway, HONEST, startGateway } from '../../../chain/gateway.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { FUNDED } from '../../../servers/chain.js';
import { runService } from '../../running-service.js';
import { expectProblem } from '../problem.js';
import { building, deployed, ENTITIES, ledgerClient, receiptIn, settingsFor } from '../scene.js';
import { raisedPrice, type Market, openMarket } from './market.js';

/** Above what a legacy transaction offers here, and below that times 1.125. */
const BASE_FEE = 1_300_000_000n;
/** What the node proposes above it. */
const TIP = 1_000_000_000n;

describe('a legacy transaction that waits when the chain gets a base fee', () => {
  let market: Market;
  let gateway: Gateway;
  let folder: string;

  beforeEach(async () => {
    market = await openMarket(0n);
    gateway = await startGateway(market.anvil.url);
    folder = await mkdtemp(join(tmpdir(), 'mirzam-legacy-'));
  });
  afterEach(async () => {
    await gateway.close();
    await market.close();
    await rm(folder, { recursive: true, force: true });
  });

  const priceAt = (baseFee: bigint): bigint => ((baseFee + TIP) * 12n) / 10n;
  // The node lowers the base fee by an eighth after an empty block, until the market has set it again.
  const newPrices = [priceAt(BASE_FEE), priceAt(BASE_FEE - BASE_FEE / 8n)];

  for (const [what, factor, price, raised] of [
    ['is replaced at 1.125 times its price', '1.2', 1_200_000_000n, [raisedPrice(1_200_000_000n, 1)]],
    ['without a price is replaced at that of a new one', '0', 0n, newPrices],
  ] as const) {
    it(`${what}, and recorded once after a restart; the next one is of EIP-1559`, async () => {
      const settings = {
        ...settingsFor(gateway.url, await deployed(market.anvil)),
        DATA_DIR: folder,
        DEFAULT_ACCOUNT_KEY: FUNDED.key,
      };
      gateway.become({ passesOn: false, answers: { message: 'transaction underpriced' } });
      market.resume(0n);
      const before = await runService({
        ...settings,
        LEDGER_WAIT_S: '3',
        GAS_BUMP_AFTER_S: '0',
        GAS_PRICE_FACTOR: factor,
      });
      const [old, next] = [building(), building()];
      const late = await ledgerClient(before.url).ask(`POST ${ENTITIES}`, old);
      await before.close();
      expectProblem(late, 504, 'about:blank');
      await market.halt();
      market.resume(BASE_FEE);
      gateway.become(HONEST);
      const after = await runService({ ...settings, GAS_BUMP_AFTER_S: '0.5' });
      try {
        const ledger = ledgerClient(after.url);
        const receipt = receiptIn(await ledger.ask(`POST ${ENTITIES}`, next));
        const signed = [...new Set(gateway.sent)].map((raw) => decodeTransaction(raw));
        const [own, others] = [0n, 1n].map((at) =>
          signed.filter(({ nonce }) => nonce === signed[0]!.nonce + at),
        );
        const [first] = own!;
        expect(first!.hash).to.equal(late.body['transactionHash']);
        const prices = own!.map((one) => 'gasPrice' in one && one.gasPrice);
        expect(prices).to.have.length(2);
        expect(prices[0]).to.equal(price);
        expect(raised).to.include(prices[1]);
        expect(others!.map((one) => 'maxFeePerGas' in one)).not.to.include(false);
        expect(others!.map(({ hash }) => hash)).to.include(receipt.transactionHash);
        const listed = await eventually(
          async () => (await ledger.trace(old.id)).map(({ transactionHash }) => transactionHash)[0],
          SOON_MS,
          () => 'it is not listed',
        );
        expect(listed).to.equal(own![1]!.hash);
        expect(await ledger.trace(old.id)).to.have.length(1);
      } finally {
        await after.close();
      }
    });
  }
});
