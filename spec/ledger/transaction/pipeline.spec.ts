import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';
import { accountAddress } from '../../../src/ledger/addresses.js';
import type { AccountContext } from '../../../src/ledger/account/account-machine.js';
import { StoreUnavailable } from '../../../src/store/port.js';
import type { Wallet } from '../../../src/wallets/port.js';
import { holdCommits, memoryStore } from '../../actors/stage/memory-store.js';
import { rejectionOf } from '../../rejection.js';
import { SOON_MS } from '../../faults/stage/eventually.js';
import { anyWallet, creation, idle, ledgerScene, until, walletAtDeadline } from '../scene.js';

const id = (n: number | string): string => `urn:ngsi-ld:Car:${n}`;

describe('the ledger', () => {
  const scene = ledgerScene();

  it('records an operation on the chain and answers its receipt', async () => {
    const node = await scene.node();
    const wallet = anyWallet();
    const operation = creation(id(1));
    const receipt = await node.record(operation, wallet);
    expect(receipt).to.deep.include({
      status: '0x1',
      statusOK: true,
      from: await wallet.account(),
      to: scene.contract,
    });
    expect(receipt.additionalInformation).to.deep.equal({
      operation: 'create',
      assetId: operation.assetId,
      hash: operation.hash,
      canonicalization: 'RFC8785',
    });
    const onChain = await node.chain.receipt(receipt.transactionHash);
    expect(onChain!.logs[0]!.topics.slice(1)).to.deep.equal([operation.assetId, operation.hash]);
    expect(await node.transactions(id(1))).to.deep.equal([receipt]);
  });

  it('records every request, in order, and lists each entity at its first one', async () => {
    const node = await scene.node();
    const wallet = anyWallet();
    const hashes: string[] = [];
    for (const n of [1, 2, 1, 3, 2]) {
      hashes.push((await node.record(creation(id(n)), wallet)).transactionHash);
    }
    expect(new Set(hashes).size).to.equal(5);
    const listed = await node.transactions(id(1));
    expect(listed!.map(({ transactionHash }) => transactionHash)).to.deep.equal([hashes[0], hashes[2]]);
    expect(await node.entities(0, 1000)).to.deep.equal({ count: 3, ids: [id(1), id(2), id(3)] });
    expect(await node.entities(1, 1)).to.deep.equal({ count: 3, ids: [id(2)] });
    expect(await node.transactions(id(9))).to.equal(undefined);
  });

  it('uses the nonces of an account without gap or repeat under concurrent callers', async () => {
    const node = await scene.node();
    const wallets = [anyWallet(), anyWallet(), anyWallet()];
    const asked = Array.from({ length: 150 }, (_, n) =>
      node.record(creation(id(n % 40), n), wallets[n % 3]!),
    );
    const receipts = await Promise.all(asked);
    expect(new Set(receipts.map(({ transactionHash }) => transactionHash)).size).to.equal(150);
    for (const wallet of wallets) {
      const account = await wallet.account();
      expect(await node.chain.nextNonce(account, 'latest')).to.equal(50);
    }
    expect((await node.entities(0, 1000)).count).to.equal(40);
    expect(node.faults).to.deep.equal([]);
  });

  it('sends a transaction once the commit of its account is durable, and not before', async () => {
    const store = memoryStore();
    const node = await scene.node({ store });
    const wallet = anyWallet();
    await node.record(creation(id(1)), wallet);
    await idle(node);
    const held = holdCommits(store);
    const recorded = node.record(creation(id(2)), wallet);
    const sent = async () => node.chain.nextNonce(await wallet.account(), 'pending');
    let commit = await held.next();
    try {
      expect(commit.batch.map((item) => item.id.split('/')[0])).to.deep.equal(['account']);
      expect(await sent()).to.equal(1);
      commit.pass();
      commit = await held.next();
      await until(async () => expect(await sent()).to.equal(2));
    } finally {
      void (async () => {
        for (; ; commit = await held.next()) commit.pass();
      })();
    }
    expect((await recorded).statusOK).to.equal(true);
  });

  it('uses no nonce for a wallet that fails among others', async () => {
    const node = await scene.node();
    const good = anyWallet();
    let turns = 0;
    const flaky: Wallet = {
      account: () => good.account(),
      sign: (transaction) =>
        (turns += 1) % 3 === 0
          ? Promise.reject(new Refusal('forbidden', 'not this one'))
          : good.sign(transaction),
    };
    const asked = Array.from({ length: 60 }, (_, n) => node.record(creation(id(n)), flaky));
    const outcomes = await Promise.allSettled(asked);
    const answered = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(answered).to.be.within(1, 59);
    expect(await node.chain.nextNonce(await good.account(), 'latest')).to.equal(answered);
    expect((await node.entities(0, 1000)).count).to.equal(answered);
  });

  it('continues after a nonce that another program has used', async () => {
    const node = await scene.node();
    const wallet = anyWallet();
    await node.record(creation(id(1)), wallet);
    const from = await wallet.account();
    const gas = { gasPrice: 0n, gasLimit: 60_000n, chainId: node.chain.id };
    const outside = await wallet.sign({
      from,
      to: scene.contract,
      data: '0x',
      nonce: 1,
      ...gas,
      gasLimit: 60_000n,
    });
    await scene.anvil.rpc('eth_sendRawTransaction', [outside.raw]).catch(() => undefined);
    const receipt = await node.record(creation(id(2)), wallet);
    expect(receipt.statusOK).to.equal(true);
    expect(await node.chain.nextNonce(from, 'latest')).to.equal(3);
    expect(await node.transactions(id(2))).to.have.length(1);
  });

  it('answers 504 with the hash if no block comes, and the receipt appears later', async () => {
    const { wallet, now } = walletAtDeadline(SOON_MS);
    const node = await scene.node({ waitMs: SOON_MS, now });
    await scene.anvil.rpc('evm_setAutomine', [false]);
    const error = (await node.record(creation(id(1)), wallet).catch((e: unknown) => e)) as Refusal;
    expect(error.code).to.equal('gateway-timeout');
    const { transactionHash } = error.members;
    expect(await node.transactions(id(1))).to.equal(undefined);
    await scene.anvil.rpc('evm_mine');
    await until(async () => {
      const listed = await node.transactions(id(1));
      expect(listed?.map((receipt) => receipt.transactionHash)).to.deep.equal([transactionHash]);
    });
  });

  it('waits for the given number of confirmations', async () => {
    const node = await scene.node({ confirmations: 3 });
    const answered = node.record(creation(id(1)), anyWallet());
    await until(async () => expect(node.chain.head()).to.be.above(1));
    for (let i = 0; i < 2; i += 1) await scene.anvil.rpc('evm_mine');
    const { blockNumber } = await answered;
    expect(node.chain.head()! - blockNumber).to.be.at.least(2);
  });

  it('records once for one Idempotency-Key, at once, later and after a restart', async () => {
    const store = memoryStore();
    const node = await scene.node({ store });
    const wallet = anyWallet();
    const both = await Promise.all([1, 2].map(() => node.record(creation(id(1)), wallet, 'k1')));
    expect(both[0]).to.deep.equal(both[1]);
    await node.stop();
    const again = await scene.node({ store });
    expect(await again.record(creation(id(1)), wallet, 'k1')).to.deep.equal(both[0]);
    expect(await again.transactions(id(1))).to.have.length(1);
    const other = (await again.record(creation(id(1), 2), wallet, 'k1').catch((e: unknown) => e)) as Refusal;
    expect(other.code).to.equal('unprocessable');
    const elsewhere = await again.record(creation(id(1), 2), anyWallet(), 'k1');
    expect(elsewhere.transactionHash, 'a key is its account’s').not.to.equal(both[0]!.transactionHash);
  });

  it('does not use up an Idempotency-Key if the wallet refuses', async () => {
    const node = await scene.node();
    const good = anyWallet();
    const closed: Wallet = {
      account: () => good.account(),
      sign: () => Promise.reject(new Refusal('forbidden', 'no')),
    };
    const refused = await node.record(creation(id(1)), closed, 'k1').catch((e: unknown) => e);
    expect((refused as Refusal).code).to.equal('forbidden');
    expect((await node.record(creation(id(1), 2), good, 'k1')).statusOK).to.equal(true);
  });

  it('reports an unknown outcome if the answer of the database is lost, and records once in the end', async () => {
    const store = memoryStore();
    const node = await scene.node({ store });
    const wallet = anyWallet();
    await node.record(creation(id(1)), wallet);
    await idle(node);
    const commit = store.between.commit.bind(store.between);
    let lost = 0;
    store.between.commit = (batch, apply) => {
      if (lost > 0 || !batch.some((item) => item.id.startsWith('account/'))) return commit(batch, apply);
      lost += 1;
      apply();
      return Promise.reject(new StoreUnavailable('the answer was lost'));
    };
    const error = (await node.record(creation(id(2)), wallet, 'k1').catch((e: unknown) => e)) as Refusal;
    expect(error.code).to.equal('unavailable');
    expect(error.message).to.include('the outcome is unknown');
    const receipt = await node.record(creation(id(2)), wallet, 'k1');
    await until(async () => expect(await node.transactions(id(2))).to.deep.equal([receipt]));
    expect(await node.chain.nextNonce(await wallet.account(), 'latest')).to.equal(2);
  });

  it('continues after a stop before the block', async () => {
    const store = memoryStore();
    const node = await scene.node({ store });
    await scene.anvil.rpc('evm_setAutomine', [false]);
    const wallet = anyWallet();
    const account = await wallet.account();
    const unanswered = [1, 2, 3].map((n) => rejectionOf(node.record(creation(id(n)), wallet)));
    await until(async () => expect(await node.chain.nextNonce(account, 'pending')).to.equal(3));
    await node.stop();
    await Promise.all(unanswered);
    await scene.anvil.rpc('evm_mine');
    const again = await scene.node({ store });
    await until(async () => expect((await again.entities(0, 10)).count).to.equal(3));
    const { context } = (await again.actors.read<AccountContext>(accountAddress(again.chain.name, account)))!;
    expect(context).to.deep.include({ next: 3, free: [] });
  });

  it('lists only the entities of a tenant if asked for one', async () => {
    const node = await scene.node();
    const wallet = anyWallet();
    await node.record(creation(id(1), 1, 'acme'), wallet);
    await node.record(creation(id(1), 2), wallet);
    await node.record(creation(id(2), 1, 'other'), wallet);
    expect(await node.entities(0, 10)).to.deep.equal({ count: 2, ids: [id(1), id(2)] });
    expect(await node.entities(0, 10, 'acme')).to.deep.equal({ count: 1, ids: [id(1)] });
    expect(await node.transactions(id(1), {}, 'acme')).to.have.length(1);
    expect(await node.transactions(id(1))).to.have.length(2);
    expect(await node.transactions(id(2), {}, 'acme')).to.equal(undefined);
  });
});
