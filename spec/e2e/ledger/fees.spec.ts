import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import { FREE_CHAIN, FUNDED, startAnvil } from '../../servers/chain.js';
import { runService } from '../running-service.js';
import { expectProblem } from './problem.js';
import {
  anyId,
  building,
  ENTITIES,
  fund,
  ledgerClient,
  type LedgerService,
  type Receipt,
  receiptIn,
  settingsFor,
  sharedLedger,
} from './scene.js';

const GWEI = 1_000_000_000n;

/** Returns the transaction of a receipt as the chain has it. The fees are those of its type; others are 0. */
async function onChain({ anvil }: LedgerService, { transactionHash }: Receipt) {
  const found = (await anvil.rpc('eth_getTransactionByHash', [transactionHash])) as Record<string, string>;
  const { type, nonce, gas, gasPrice, maxFeePerGas = 0, maxPriorityFeePerGas = 0 } = found;
  return {
    type: Number(type),
    nonce: Number(nonce),
    gas: BigInt(gas!),
    gasPrice: BigInt(gasPrice!),
    maxFee: BigInt(maxFeePerGas),
    tip: BigInt(maxPriorityFeePerGas),
  };
}

/** Reads what the next block asks for. */
async function nextBaseFee({ anvil }: LedgerService): Promise<bigint> {
  const { baseFeePerGas } = (await anvil.rpc('eth_feeHistory', ['0x1', 'latest', []])) as {
    readonly baseFeePerGas: readonly string[];
  };
  return BigInt(baseFeePerGas.at(-1)!);
}

const hex = (value: bigint): string => `0x${value.toString(16)}`;

describe('a chain without a price for gas', () => {
  const ledger = sharedLedger();

  it('records for accounts that have nothing, and offers nothing', async () => {
    const { address, headers } = await ledger().account();
    expect(await ledger().anvil.rpc('eth_getBalance', [address, 'latest'])).to.equal('0x0');
    const receipt = receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(), headers));
    const { type, gasPrice, gas } = await onChain(ledger(), receipt);
    expect([type, gasPrice]).to.deep.equal([0, 0n]);
    expect(Number(gas)).to.be.greaterThan(receipt['gasUsed' as never]);
  });
});

describe('a chain with a price for gas', () => {
  const priced = [...FREE_CHAIN.slice(0, 2), '--gas-price', String(2n * GWEI)];
  const ledger = sharedLedger({ DEFAULT_ACCOUNT_KEY: FUNDED.key }, priced);

  it('is offered the price of its node times 1.2', async () => {
    const receipt = receiptIn(await ledger().ask(`POST ${ENTITIES}`, building()));
    expect(await ledger().anvil.rpc('eth_gasPrice')).to.equal(hex(2n * GWEI));
    expect(await onChain(ledger(), receipt)).to.include({ type: 0, gasPrice: 2_400_000_000n });
    expect(receipt.from).to.equal(FUNDED.address);
  });

  it('refuses an account without funds with 502 that says so, until it has some', async () => {
    const { address, headers } = await ledger().account();
    const id = anyId();
    const create = () => ledger().ask(`POST ${ENTITIES}`, building(id), headers);
    const refused = await create();
    expectProblem(refused, 502, 'about:blank', address, 'out of funds', 'nothing was done');
    expect(await ledger().trace(id)).to.deep.equal([]);
    expect(await ledger().nonceOf(address)).to.equal(0);
    await fund(ledger().anvil, address);
    const receipt = receiptIn(await create());
    expect((await onChain(ledger(), receipt)).nonce).to.equal(0);
  });

  it('accepts as many of many concurrent transactions as the account can pay, and refuses the others without a gap', async () => {
    const { address, headers } = await ledger().account();
    const probe = receiptIn(await ledger().ask(`POST ${ENTITIES}`, building()));
    const most = (await onChain(ledger(), probe)).gas * 2_400_000_000n;
    await ledger().anvil.rpc('anvil_setBalance', [address, hex(most * 4n)]);
    const ids = Array.from({ length: 12 }, () => anyId());
    const create = (id: string) => ledger().ask(`POST ${ENTITIES}`, building(id), headers);
    const answers = await Promise.all(ids.map(create));
    const refused = ids.filter((_, i) => answers[i]!.status !== 200);
    for (const answer of answers)
      if (answer.status !== 200) expectProblem(answer, 502, 'about:blank', 'out of funds');
    expect(refused.length).to.be.within(1, 11);
    expect(await ledger().nonceOf(address)).to.equal(12 - refused.length);
    await fund(ledger().anvil, address);
    for (const answer of await Promise.all(refused.map(create))) receiptIn(answer);
    expect(await ledger().nonceOf(address)).to.equal(12);
    for (const id of ids) expect(await ledger().trace(id)).to.have.length(1);
  });
});

describe('a chain whose blocks have a base fee of 0', () => {
  const ledger = sharedLedger({ DEFAULT_ACCOUNT_KEY: FUNDED.key }, ['--base-fee', '0']);

  it('is offered 1.2 times the price, in legacy transactions', async () => {
    const receipt = receiptIn(await ledger().ask(`POST ${ENTITIES}`, building()));
    expect(await onChain(ledger(), receipt)).to.include({ type: 0, gasPrice: 1_200_000_000n });
  });
});

describe('a chain with a base fee, as its node makes it by default', () => {
  const ledger = sharedLedger({ DEFAULT_ACCOUNT_KEY: FUNDED.key }, []);

  it('is offered twice its base fee and the usual priority fee, and is paid the two; a legacy wallet 1.2 times its price', async () => {
    const { address, headers } = await ledger().account();
    await fund(ledger().anvil, address);
    const price = BigInt((await ledger().anvil.rpc('eth_gasPrice')) as string);
    const baseFee = await nextBaseFee(ledger());
    const create = async (by?: Readonly<Record<string, string>>) =>
      receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(), by));
    const [own, walletsOne] = await Promise.all([create(), create(headers)]);
    const { gasPrice, ...offered } = await onChain(ledger(), own);
    expect(offered).to.include({ type: 2, maxFee: 2n * baseFee + GWEI, tip: GWEI });
    const { baseFeePerGas } = (await ledger().anvil.rpc('eth_getBlockByHash', [own.blockHash, false])) as {
      readonly baseFeePerGas: string;
    };
    expect(gasPrice).to.equal(BigInt(baseFeePerGas) + GWEI);
    expect(await onChain(ledger(), walletsOne)).to.include({
      type: 0,
      gasPrice: (price * 12n + 9n) / 10n,
    });
  });
});

describe('a default account that can pay the price but not the maximum fee', () => {
  const ledger = sharedLedger({ DEFAULT_ACCOUNT_KEY: `0x${'71'.repeat(32)}` }, []);

  it('is refused with 502 that says what a transaction may cost', async () => {
    const entity = building();
    const refused = await ledger().ask(`POST ${ENTITIES}`, entity);
    const [, from] = /account (0x[0-9a-f]{40}) is out of funds/.exec(refused.text) ?? [];
    const [, cost] = /costs up to (\d+) wei/.exec(refused.text) ?? [];
    await ledger().anvil.rpc('anvil_setBalance', [from, hex(BigInt(cost!) - 1n)]);
    expectProblem(await ledger().ask(`POST ${ENTITIES}`, entity), 502, 'about:blank', 'out of funds');
    await ledger().anvil.rpc('anvil_setBalance', [from, hex(BigInt(cost!))]);
    const { type, gas, maxFee } = await onChain(
      ledger(),
      receiptIn(await ledger().ask(`POST ${ENTITIES}`, entity)),
    );
    expect([type, gas * maxFee]).to.deep.equal([2, BigInt(cost!)]);
  });
});

describe('a transaction that the node of the chain refuses', () => {
  it('is 502, and burns no nonce, however often the same is asked for', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mirzam-e2e-'));
    const anvil = await startAnvil();
    const settings = {
      ...settingsFor(anvil.url, await deployTimestamper(anvil.url)),
      DATA_DIR: folder,
      LEDGER_WAIT_S: '5',
    };
    const entity = building();
    // More than a block has room for.
    let running = await runService({ ...settings, GAS_LIMIT: '900000000' });
    try {
      for (let i = 0; i < 3; i += 1) {
        const refused = await ledgerClient(running.url).ask(`POST ${ENTITIES}`, entity);
        expectProblem(refused, 502, 'about:blank', 'the chain refuses', 'nothing was recorded');
      }
      await running.close();
      running = await runService(settings);
      const ledger = ledgerClient(running.url);
      const receipt = receiptIn(await ledger.ask(`POST ${ENTITIES}`, entity));
      expect(await ledger.trace(entity.id)).to.deep.equal([receipt]);
      expect(await anvil.rpc('eth_getTransactionCount', [receipt.from, 'latest'])).to.equal('0x1');
    } finally {
      await running.close();
      await anvil.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('GAS_PRICE_FACTOR and GAS_LIMIT', () => {
  const settings = { DEFAULT_ACCOUNT_KEY: FUNDED.key, GAS_PRICE_FACTOR: '2.5', GAS_LIMIT: '123456' };
  const ledger = sharedLedger(settings, []);

  it('name the maximum fee and the gas that are offered', async () => {
    const price = (await nextBaseFee(ledger())) + GWEI;
    const receipt = receiptIn(await ledger().ask(`POST ${ENTITIES}`, building()));
    expect(await onChain(ledger(), receipt)).to.include({
      type: 2,
      gas: 123_456n,
      maxFee: (price * 5n + 1n) / 2n,
      tip: GWEI,
    });
  });
});
