import { expect } from 'chai';
import type { Hex } from '../../../src/chain/port.js';
import { decodeTransaction } from '../../../src/wallets/transaction-bytes.js';
import { type Gateway, startGateway } from '../../chain/gateway.js';
import {
  building,
  deployed,
  ENTITIES,
  fund,
  ledgerClient,
  type LedgerClient,
  receiptIn,
  settingsFor,
} from '../../e2e/ledger/scene.js';
import { FUNDED } from '../../servers/chain.js';
import { type Market, offerOf, openMarket, PRICE } from '../../e2e/ledger/faults/market.js';
import { eventually, SOON_MS } from '../stage/eventually.js';
import { type Launched, launcher, type Launcher } from '../stage/service-process.js';
import { noncesOf } from './ledger-books.js';

/** Answer of a node that does not take a transaction. */
const UNDERPRICED = { passesOn: false, answers: { message: 'transaction underpriced' } } as const;
const NO_BUMP = { GAS_BUMP_AFTER_S: '0' };
const BUMP = { GAS_BUMP_AFTER_S: '0.1', LEDGER_WAIT_S: '30' };

describe('kill -9 while a transaction’s price is too low', () => {
  let market: Market;
  let gateway: Gateway;
  let services: Launcher;
  let service: Launched;
  let ledger: LedgerClient;

  beforeEach(async () => {
    market = await openMarket();
    gateway = await startGateway(market.anvil.url);
    const contract = await deployed(market.anvil);
    await market.set(PRICE);
    services = await launcher({
      ...settingsFor(gateway.url, contract),
      DEFAULT_ACCOUNT_KEY: FUNDED.key,
      GAS_LIMIT: '100000',
      LEDGER_WAIT_S: '5',
    });
  });
  afterEach(async () => {
    await services.close();
    await gateway.close();
    await market.close();
  });

  async function start(settings: Readonly<Record<string, string>>): Promise<void> {
    const started = await services.start(settings);
    service = started;
    ledger = ledgerClient(started.url);
  }

  const signatures = (): Hex[] => [...new Set(gateway.sent)];
  const listed = async (id: string): Promise<Hex[]> =>
    (await ledger.trace(id)).map(({ transactionHash }) => transactionHash);
  const listedLater = (id: string): Promise<Hex[]> =>
    eventually(
      async () => ((await listed(id)).length > 0 ? listed(id) : undefined),
      SOON_MS,
      () => `${id} is lost`,
    );

  /** Has an entity recorded, the transaction signed again, and the service killed when that is sent. Gives its bytes. */
  async function bumpedAndKilled(entity: object): Promise<Hex> {
    await start(BUMP);
    gateway.become(UNDERPRICED);
    market.resume(10n * PRICE);
    const asked = ledger.ask(`POST ${ENTITIES}`, entity, { 'Idempotency-Key': 'k1' }).catch(() => undefined);
    const replacement = await eventually(
      () => signatures()[1],
      SOON_MS,
      () => 'it is not signed again',
    );
    await service.kill('SIGKILL');
    await asked;
    await market.halt();
    return replacement;
  }

  it('a replacement that another node has in a block meanwhile is the receipt', async () => {
    const entity = building();
    const raw = await bumpedAndKilled(entity);
    await market.set(PRICE);
    await market.anvil.rpc('eth_sendRawTransaction', [raw]);
    await market.anvil.rpc('evm_mine');
    gateway.become({ passesOn: true, answers: 'node' });
    await start(NO_BUMP);
    market.resume(PRICE);
    const { hash } = decodeTransaction(raw);
    expect(await listedLater(entity.id)).to.deep.equal([hash]);
    const again = await ledger.ask(`POST ${ENTITIES}`, entity, { 'Idempotency-Key': 'k1' });
    expect(receiptIn(again).transactionHash).to.equal(hash);
    expect(await noncesOf(market.anvil.url, FUNDED.address)).to.deep.equal([0, 1]);
    expect(await listed(entity.id)).to.deep.equal([hash]);
  });

  it('a replacement that no node has is sent again, and is the only transaction', async () => {
    const entity = building();
    await bumpedAndKilled(entity);
    const before = signatures();
    // Too high for the first signature, low enough for the newest.
    await market.set(offerOf(before.at(-1)!));
    gateway.become({ passesOn: true, answers: 'node' });
    await start(NO_BUMP);
    market.resume(offerOf(before.at(-1)!));
    const [hash, ...more] = await listedLater(entity.id);
    expect(more).to.deep.equal([]);
    // The newest may have been durable and not sent when the service was killed.
    expect(
      signatures()
        .slice(1)
        .map((raw) => decodeTransaction(raw).hash),
    ).to.include(hash);
    expect(await noncesOf(market.anvil.url, FUNDED.address)).to.deep.equal([0, 1]);
  });

  it('a caller’s wallet that is not in memory any more signs nothing again; the first signature is recorded', async () => {
    await start(NO_BUMP);
    const { address, headers } = await ledger.account();
    await fund(market.anvil, address);
    const entity = building();
    gateway.become(UNDERPRICED);
    market.resume(2n * PRICE);
    expect((await ledger.ask(`POST ${ENTITIES}`, entity, headers)).status).to.equal(504);
    await service.kill('SIGKILL');
    const [first] = signatures();
    const attempts = gateway.sent.length;
    await start(BUMP);
    // After the time for a replacement, and blocks.
    await gateway.untilSent(attempts + 4);
    expect(signatures()).to.deep.equal([first]);
    await market.halt();
    await market.set(PRICE);
    gateway.become({ passesOn: true, answers: 'node' });
    market.resume(PRICE);
    expect(await listedLater(entity.id)).to.deep.equal([decodeTransaction(first!).hash]);
    expect(signatures()).to.deep.equal([first]);
  });
});
