import { expect } from 'chai';
import { decodeTransaction } from '../../../../src/wallets/transaction-bytes.js';
import { type Gateway, startGateway } from '../../../chain/gateway.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { FUNDED } from '../../../servers/chain.js';
import { startWeb3Signer, type Web3SignerStandIn } from '../../../wallets/web3signer-stand-in.js';
import { raisedPrice, type Market, offerOf, openMarket, PRICE } from './market.js';
import type { ApiAnswer } from '../../api-client.js';
import { type RunningService, runService } from '../../running-service.js';
import { expectProblem } from '../problem.js';
import {
  anyId,
  building,
  deployed,
  ENTITIES,
  fund,
  ledgerClient,
  type LedgerClient,
  type Receipt,
  receiptIn,
  settingsFor,
  UPSERT,
} from '../scene.js';

const KEY = 'Idempotency-Key';

describe('a price that rises while a transaction waits for a block', () => {
  let market: Market;
  let gateway: Gateway;
  let signer: Web3SignerStandIn;
  let running: RunningService;
  let ledger: LedgerClient;

  async function open(settings: Readonly<Record<string, string>>): Promise<void> {
    const contract = await deployed(market.anvil);
    await market.set(PRICE);
    running = await runService({
      ...settingsFor(gateway.url, contract),
      DEFAULT_ACCOUNT_KEY: FUNDED.key,
      GAS_LIMIT: '100000',
      GAS_BUMP_AFTER_S: '1.5',
      ...settings,
    });
    ledger = ledgerClient(running.url);
  }

  beforeEach(async () => {
    market = await openMarket();
    gateway = await startGateway(market.anvil.url);
    signer = await startWeb3Signer();
  });
  afterEach(async () => {
    await running.close();
    await signer.close();
    await gateway.close();
    await market.close();
  });

  /** Has an operation sent, and the price raised to so many hundredths of what it offers. */
  async function risen(
    ask: () => Promise<ApiAnswer>,
    hundredths: bigint,
  ): Promise<{ readonly answer: Promise<ApiAnswer> }> {
    const answer = ask();
    await gateway.untilSent(1);
    market.resume((prices()[0]! * hundredths) / 100n);
    return { answer };
  }

  /** The transactions that the service sent, each once. */
  const signed = () => [...new Set(gateway.sent)].map((raw) => decodeTransaction(raw));
  const prices = (): bigint[] => signed().map(({ raw }) => offerOf(raw));

  /** Asserts that all are one transaction of a type. */
  function expectSame(type: 'legacy' | 'EIP-1559'): void {
    const all = signed();
    const [first] = all;
    for (const { nonce, data, to, gasLimit, ...rest } of all) {
      expect('gasPrice' in rest).to.equal(type === 'legacy');
      expect({ nonce, data, to, gasLimit }).to.deep.equal({
        nonce: first!.nonce,
        data: first!.data,
        to: first!.to,
        gasLimit: first!.gasLimit,
      });
    }
  }

  /** Asserts that each signature offers an eighth more than the one before: of both fees, if it has two. */
  function expectRaised(): void {
    const fees = signed().map((one) =>
      'gasPrice' in one ? [one.gasPrice] : [one.maxFeePerGas, one.maxPriorityFeePerGas],
    );
    for (const [i, offered] of fees.slice(1).entries())
      for (const [which, fee] of offered.entries())
        expect(fee >= raisedPrice(fees[i]![which]!, 1), fees.join(' ')).to.equal(true);
  }

  async function expectListed(receipt: Receipt, entity: { readonly id: string }): Promise<void> {
    expect(await ledger.trace(entity.id)).to.deep.equal([receipt]);
    const { transactionHash } = receipt;
    const { body } = await ledger.ask('POST /ledger/verify', { transactionHash, entity });
    expect(body).to.include({ verified: true, hash: receipt.additionalInformation.hash });
  }

  const listedLater = (id: string): Promise<Receipt> =>
    eventually(
      async () => (await ledger.trace(id))[0],
      SOON_MS,
      () => `${id} is not listed`,
    );

  /** Makes a wallet that signs legacy transactions, with funds. */
  async function legacyWallet(): Promise<Record<string, string>> {
    const { address, headers } = await ledger.account();
    await fund(market.anvil, address);
    return { ...headers };
  }

  it('a caller’s wallet signs it again at 1.125 times its price until it is in a block', async () => {
    await open({});
    const headers = { ...(await legacyWallet()), [KEY]: 'k1' };
    const entity = building();
    const create = () => ledger.ask(`POST ${ENTITIES}`, entity, headers);
    const { answer } = await risen(create, 120n);
    const receipt = receiptIn(await answer);
    expectSame('legacy');
    expect(prices()).to.deep.equal(prices().map((_, times) => raisedPrice(prices()[0]!, times)));
    expect(signed().map(({ hash }) => hash)[2], 'after two times').to.equal(receipt.transactionHash);
    await expectListed(receipt, entity);
    expect(receiptIn(await create()), 'the same key').to.deep.equal(receipt);
    expect(signed()).to.have.length(3);
  });

  const DYNAMIC: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
    'the default account': async () => ({}),
    async 'a key in Web3Signer'() {
      const { address, headers } = signer.key();
      await fund(market.anvil, address);
      return { ...headers };
    },
  };
  for (const [account, headersOf] of Object.entries(DYNAMIC)) {
    it(`${account} signs it again once, with both fees raised to what the chain asks`, async () => {
      await open({});
      const headers = { ...(await headersOf()), [KEY]: 'k1' };
      const entity = building();
      const create = () => ledger.ask(`POST ${ENTITIES}`, entity, headers);
      const { answer } = await risen(create, 120n);
      const receipt = receiptIn(await answer);
      expectSame('EIP-1559');
      expectRaised();
      expect(signed().map(({ hash }) => hash)).to.have.length(2);
      expect(signed()[1]!.hash).to.equal(receipt.transactionHash);
      // After an empty block the node asks an eighth less, until the market sets the price again.
      expect(prices()[1]! > (2n * market.price() * 7n) / 8n).to.equal(true);
      await expectListed(receipt, entity);
      expect(receiptIn(await create()), 'the same key').to.deep.equal(receipt);
      expect(signed()).to.have.length(2);
    });
  }

  it('a batch is verified by its stored proofs, and listed once under each entity', async () => {
    await open({});
    const batch = [building(), building(), building()];
    const { answer } = await risen(() => ledger.ask(`POST ${UPSERT}`, batch), 120n);
    const { transactionHash } = receiptIn(await answer);
    expect(signed().at(-1)!.hash).to.equal(transactionHash);
    for (const entity of batch) {
      const [listed, ...more] = await ledger.trace(entity.id);
      expect([listed!.transactionHash, more]).to.deep.equal([transactionHash, []]);
      const { body } = await ledger.ask('POST /ledger/verify', { transactionHash, entity });
      expect(body, JSON.stringify(body)).to.include({ verified: true });
    }
  });

  it('the first signature is the receipt if that one is in a block', async () => {
    await open({});
    const entity = building();
    const { answer } = await risen(() => ledger.ask(`POST ${ENTITIES}`, entity), 1_100n);
    await eventually(
      () => (signed().length > 1 ? true : undefined),
      SOON_MS,
      () => 'it is not signed again',
    );
    // From now on the node has the first one alone.
    gateway.become({ passesOn: false, answers: { message: 'transaction underpriced' } });
    await market.halt();
    await market.anvil.rpc('anvil_dropAllTransactions');
    await market.set(PRICE);
    await market.anvil.rpc('eth_sendRawTransaction', [gateway.sent[0]]);
    await market.anvil.rpc('evm_mine');
    market.resume(PRICE);
    const receipt = receiptIn(await answer);
    expect(receipt.transactionHash).to.equal(decodeTransaction(gateway.sent[0]!).hash);
    await expectListed(receipt, entity);
  });

  it('no signature of the default account offers more than GAS_PRICE_MAX, the first one included', async () => {
    const most = (PRICE * 12n) / 10n;
    await open({ GAS_PRICE_MAX: String(most), GAS_PRICE_FACTOR: '1', LEDGER_WAIT_S: '2' });
    const id = anyId();
    const { answer } = await risen(() => ledger.ask(`POST ${ENTITIES}`, building(id)), 400n);
    expectProblem(await answer, 504, 'about:blank');
    await market.halt();
    market.resume(most - 1n);
    expect((await listedLater(id)).transactionHash).to.equal(signed()[0]!.hash);
    expect(prices()).to.deep.equal([most]);
  });

  it('no signature of a wallet offers more than GAS_PRICE_MAX; it is recorded when the price falls', async () => {
    const most = (PRICE * 12n) / 10n;
    await open({ GAS_PRICE_MAX: String(most), GAS_PRICE_FACTOR: '1', LEDGER_WAIT_S: '4' });
    const id = anyId();
    const headers = await legacyWallet();
    const { answer } = await risen(() => ledger.ask(`POST ${ENTITIES}`, building(id), headers), 400n);
    expectProblem(await answer, 504, 'about:blank');
    const offered = await eventually(
      () => (prices().length > 2 ? prices() : undefined),
      SOON_MS,
      () => `${prices().join()} are offered`,
    );
    expect(offered).to.deep.equal([offered[0], raisedPrice(offered[0]!, 1), most]);
    expect(await ledger.trace(id)).to.deep.equal([]);
    await market.halt();
    market.resume(most);
    expect((await listedLater(id)).transactionHash).to.equal(signed().at(-1)!.hash);
    expect(prices()).to.deep.equal(offered);
  });

  it('GAS_BUMP_AFTER_S=0 never signs again; it is recorded when the price falls', async () => {
    await open({ GAS_BUMP_AFTER_S: '0', LEDGER_WAIT_S: '4' });
    const id = anyId();
    const { answer } = await risen(() => ledger.ask(`POST ${ENTITIES}`, building(id)), 120n);
    const late = await answer;
    expectProblem(late, 504, 'about:blank');
    expect(signed()).to.have.length(1);
    await market.halt();
    market.resume(PRICE);
    const { transactionHash } = await listedLater(id);
    expect(transactionHash).to.equal(late.body['transactionHash']);
    expect(signed()).to.have.length(1);
  });
});
