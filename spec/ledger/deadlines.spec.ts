import { expect } from 'chai';
import type { Chain } from '../../src/chain/port.js';
import type { Refusal } from '../../src/errors.js';
import type { Wallet } from '../../src/wallets/port.js';
import { memoryStore } from '../actors/stage/memory-store.js';
import { anyWallet, creation, type LedgerNode, ledgerScene, until } from './scene.js';

const ID = 'urn:ngsi-ld:Car:1';
const WAIT_MS = 300;
const forEver = (): Promise<never> => new Promise(() => undefined);

describe('a request that is not ready to be signed at its deadline is 503, and nothing was done', () => {
  const scene = ledgerScene();

  const refused = async (node: LedgerNode, wallet: Wallet, key?: string): Promise<Refusal> => {
    const startedAt = Date.now();
    const error = (await node.record(creation(ID), wallet, key).catch((e: unknown) => e)) as Refusal;
    expect(Date.now() - startedAt, 'ms').to.be.below(WAIT_MS + 5_000);
    expect(error.code, error.message).to.equal('unavailable');
    expect(error.message).to.contain('nothing was done');
    expect(await node.transactions(ID)).to.equal(undefined);
    return error;
  };

  it('if the wallet does not give its address', async () => {
    const node = await scene.node({ waitMs: WAIT_MS });
    const error = await refused(node, { ...anyWallet(), account: forEver });
    expect(error.message).to.contain('the wallet did not answer');
  });

  it('if the node of the chain does not answer', async () => {
    const node = await scene.node({ waitMs: WAIT_MS });
    (node.chain as { ping: Chain['ping'] }).ping = forEver;
    const error = await refused(node, anyWallet());
    expect(error.message).to.contain('the node of the chain did not answer');
  });

  it('if the nonces of the account are not known', async () => {
    const node = await scene.node({ waitMs: WAIT_MS });
    (node.chain as { nextNonce: Chain['nextNonce'] }).nextNonce = forEver;
    await refused(node, anyWallet());
  });

  it('if the store does not answer the claim of its Idempotency-Key, which is free afterwards', async () => {
    const store = memoryStore();
    const node = await scene.node({ store, waitMs: WAIT_MS });
    let open!: () => void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    store.between.commit = async (_batch, apply) => {
      await opened;
      return apply();
    };
    const wallet = anyWallet();
    await refused(node, wallet, 'key');
    open();
    let transactionHash: string | undefined;
    await until(async () => ({ transactionHash } = await node.record(creation(ID), wallet, 'key')));
    expect((await node.transactions(ID))!.map((receipt) => receipt.transactionHash)).to.deep.equal([
      transactionHash,
    ]);
    expect(await node.chain.nextNonce(await wallet.account(), 'latest')).to.equal(1);
  });
});
