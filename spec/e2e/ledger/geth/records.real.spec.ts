import { expect } from 'chai';
import type { Hex } from '../../../../src/chain/port.js';
import { decodeTransaction } from '../../../../src/wallets/transaction-bytes.js';
import { startGateway } from '../../../chain/gateway.js';
import { until } from '../../../ledger/scene.js';
import { type Geth, specGeth } from '../../../servers/geth.js';
import { anyId, building, ENTITIES, type Receipt, receiptIn } from '../scene.js';
import { DEFAULT_ACCOUNT, deployOn, type GethLedger, ledgerOn } from './scene.js';

const PERIOD = ['--dev.period', '1'];

describe('the ledger on go-ethereum', () => {
  const startGeth = specGeth();
  let geth: Geth;
  let contract: Hex;
  let ledger: GethLedger | undefined;
  before(async () => {
    geth = await startGeth(PERIOD);
    contract = await deployOn(geth);
  });
  afterEach(async () => {
    await ledger?.running.close();
    ledger = undefined;
  });

  const onChain = async ({ transactionHash }: Receipt) =>
    (await geth.rpc('eth_getTransactionByHash', [transactionHash])) as Readonly<Record<string, string>>;

  /** Ends the node as SIGTERM does, which keeps its blocks, and starts it again. */
  const restart = async (...args: readonly string[]): Promise<void> => {
    await geth.kill('SIGTERM');
    await geth.restart([...PERIOD, ...args]);
  };

  for (const wire of ['url', 'wsUrl'] as const) {
    it(`records for the default account and for a wallet, many at once (${wire})`, async () => {
      const client = (ledger = await ledgerOn(geth, contract, { CHAIN_RPC_URL: geth[wire] }));
      const { address, headers } = await client.account();
      await geth.fund(address);
      const create = (by?: typeof headers) => client.ask(`POST ${ENTITIES}`, building(), by);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => create(n % 2 === 0 ? headers : undefined)),
      );
      for (const [n, answer] of answers.entries()) {
        const receipt = receiptIn(answer);
        const [from, type] = n % 2 === 0 ? [address, '0x0'] : [DEFAULT_ACCOUNT, '0x2'];
        expect(receipt).to.include({ from, statusOK: true });
        expect(await onChain(receipt)).to.include({ from, type });
      }
    });
  }

  it('has a transaction that no block takes replaced, with both fees higher', async () => {
    const gateway = await startGateway(geth.url);
    try {
      const settings = { CHAIN_RPC_URL: gateway.url, GAS_BUMP_AFTER_S: '1' };
      const client = (ledger = await ledgerOn(geth, contract, settings));
      receiptIn(await client.ask(`POST ${ENTITIES}`, building()));
      const before = new Set(gateway.sent).size;
      // The node takes lower priority fees into its pool than into its blocks, and proposes one of them.
      await restart('--miner.gasprice', '3', '--gpo.maxprice', '2');
      const receipt = receiptIn(await client.ask(`POST ${ENTITIES}`, building()));
      const all = [...new Set(gateway.sent)].slice(before).map(decodeTransaction);
      const offers = all.map((one) => {
        if ('gasPrice' in one) throw new Error('a legacy transaction');
        return one;
      });
      expect(offers.length).to.be.at.least(2);
      for (const [i, { nonce, maxFeePerGas, maxPriorityFeePerGas }] of offers.slice(1).entries()) {
        expect(nonce).to.equal(offers[0]!.nonce);
        expect(maxFeePerGas > offers[i]!.maxFeePerGas).to.equal(true);
        expect(maxPriorityFeePerGas > offers[i]!.maxPriorityFeePerGas).to.equal(true);
      }
      // One more may have been offered before the service knew of the block.
      const taken = offers.find(({ hash }) => hash === receipt.transactionHash);
      expect(taken!.maxPriorityFeePerGas >= 3n).to.equal(true);
      expect(offers[0]!.maxPriorityFeePerGas < 3n).to.equal(true);
    } finally {
      await ledger?.running.close();
      await gateway.close();
    }
  });

  it('sends again what a node loses that is killed', async () => {
    // The node itself would send again what it was sent.
    await restart('--txpool.nolocals');
    const client = (ledger = await ledgerOn(geth, contract, { LEDGER_FINALITY: '12' }));
    const entity = building();
    const receipt = receiptIn(await client.ask(`POST ${ENTITIES}`, entity));
    await geth.kill('SIGKILL');
    await geth.restart([...PERIOD, '--txpool.nolocals']);
    expect(await geth.rpc('eth_getBlockByHash', [receipt.blockHash, false]), 'the block is lost').to.equal(
      null,
    );
    await until(async () => {
      const [found] = await client.trace(entity.id);
      const block = await geth.rpc('eth_getBlockByHash', [found!.blockHash, false]);
      expect(block, 'its block').to.be.an('object');
      expect((block as { transactions: Hex[] }).transactions).to.include(found!.transactionHash);
    });
    const next = receiptIn(await client.ask(`POST ${ENTITIES}`, building(anyId())));
    expect(Number((await onChain(next))['nonce'])).to.equal(Number((await onChain(receipt))['nonce']) + 1);
  });
});
