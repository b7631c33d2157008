import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { Refusal } from '../../src/errors.js';
import type { Wallets } from '../../src/wallets/named-wallet.js';
import type { Wallet } from '../../src/wallets/port.js';
import { openWallets } from '../../src/wallets/select.js';
import { rejectionOf } from '../rejection.js';
import { type StandIn, answerJson } from '../identity/stand-in.js';
import { type Vault, type VaultAccount, startVault } from '../servers/vault.js';
import { CHAIN_ID, transactionOf, web3Decoded } from './transactions.js';
import { vaultScene } from './vault-scene.js';
import { walletFeatures } from './wallet.features.js';

const FROM = `0x${'ab'.repeat(20)}` as const;

describe('a wallet in a real Vault', () => {
  const scene = vaultScene();
  let vault: Vault;
  let wallets: Wallets;

  before(async function () {
    const found = await startVault({ chainId: CHAIN_ID });
    if (found === undefined) this.skip();
    vault = found;
  });
  after(() => vault?.stop());

  beforeEach(() => {
    wallets = openWallets({
      addresses: [`${vault.url}/v1`],
      production: true,
      defaultKey: undefined,
      now: Date.now,
    });
  });
  afterEach(() => wallets?.close());

  const open = ({ url }: VaultAccount, token = vault.token): Promise<Wallet> =>
    wallets.open({ type: 'vault', address: url, token });

  /** A chain's node that knows nothing but its price for gas. */
  const nodeOfPrice = (result: string): Promise<StandIn> =>
    scene.vault((request, response) => {
      const { id } = JSON.parse(request.body) as { id: number };
      answerJson(response, 200, { jsonrpc: '2.0', id, result });
    });

  /** How a wallet refuses, without a word of the token. */
  async function refusal(work: Promise<unknown>, token = vault.token): Promise<Refusal> {
    const error = await rejectionOf(work);
    expect(error).to.be.instanceOf(Refusal);
    expect(inspect(error, { depth: 9 })).not.to.contain(token);
    return error as Refusal;
  }

  describe('of vault-ethereum', () => {
    walletFeatures(
      async () => {
        const account = await vault.account();
        return { wallet: await open(account), address: account.address };
      },
      { freeOfCharge: false },
    );

    it('signs with the account of a given mnemonic', async () => {
      const words = 'test test test test test test test test test test test junk';
      const account = await vault.account({ mnemonic: words });
      expect(await (await open(account)).account()).to.equal('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266');
    });

    it('signs the gas price 0 if the engine’s own node names that price', async () => {
      const node = await nodeOfPrice('0x0');
      const account = await vault.account({}, await vault.mount({ rpcUrl: node.url, chainId: CHAIN_ID }));
      const transaction = transactionOf(account.address, { gasPrice: 0n });
      const { raw } = await (await open(account)).sign(transaction);
      expect(web3Decoded(raw)).to.deep.include(transaction);
    });

    it('refuses the gas price 0 if the engine’s own node names another price, or none', async () => {
      const node = await nodeOfPrice('0x5');
      const account = await vault.account({}, await vault.mount({ rpcUrl: node.url, chainId: CHAIN_ID }));
      const free = transactionOf(account.address, { gasPrice: 0n });
      const another = await refusal((await open(account)).sign(free));
      expect(another).to.include({ code: 'bad-gateway' });
      expect(another.message).to.match(/gas price than 0.*rpc_url/);
      await node.close();
      const none = await refusal((await open(account)).sign(free));
      expect(none).to.include({ code: 'bad-gateway' });
      expect(none.message).to.match(/rpc_url.*gas price is 0/);
    });

    it('refuses a transaction that the engine signed for another chain than the ledger’s', async () => {
      const account = await vault.account();
      const error = await refusal((await open(account)).sign(transactionOf(account.address, { chainId: 1 })));
      expect(error).to.include({ code: 'bad-gateway' });
      expect(error.message).to.match(/chain id than 1.*chain_id must be 1/);
    });

    it('says that the account may not send to the contract', async () => {
      const account = await vault.account({ inclusions: `0x${'11'.repeat(20)}` });
      const error = await refusal((await open(account)).sign(transactionOf(account.address)));
      expect(error).to.include({ code: 'bad-gateway' });
      expect(error.message).to.match(/inclusions and exclusions/);
    });

    it('is not found if the engine does not list it, reading and signing', async () => {
      const wallet = await open({
        ...(await vault.account()),
        url: `${vault.url}/v1/ethereum/accounts/none`,
      });
      for (const work of [() => wallet.account(), () => wallet.sign(transactionOf(FROM))]) {
        const error = await refusal(work());
        expect(error).to.include({ code: 'not-found' });
        expect(error.message).to.match(/no account of the name/);
      }
    });

    it('does not find an account of an engine that has none', async () => {
      const mount = await vault.mount({ rpcUrl: 'http://127.0.0.1:1', chainId: 1 });
      const wallet = await wallets.open({
        type: 'vault',
        address: `${vault.url}/v1/${mount}/accounts/none`,
        token: vault.token,
      });
      expect(await refusal(wallet.account())).to.include({ code: 'not-found' });
    });

    it('names the likely cause if the token may not list', async () => {
      const token = await vault.narrowToken({ 'ethereum/accounts/none': ['read'] });
      const wallet = await wallets.open({
        type: 'vault',
        address: `${vault.url}/v1/ethereum/accounts/none`,
        token,
      });
      const error = await refusal(wallet.account(), token);
      expect(error).to.include({ code: 'bad-gateway' });
      expect(error.message).to.match(/most likely there is no account.*may list/);
    });

    it('works while other callers end the engine', async () => {
      const account = await vault.account();
      const missing = await wallets.open({
        type: 'vault',
        address: `${vault.url}/v1/ethereum/accounts/none`,
        token: await vault.narrowToken({ 'ethereum/accounts/none': ['read'] }),
      });
      const crashes = [missing.account(), missing.account(), missing.account()].map(rejectionOf);
      const wallet = await open(account);
      const signed = await Promise.all(
        [1, 2, 3].map((nonce) => wallet.sign(transactionOf(account.address, { nonce }))),
      );
      expect(signed.map(({ raw }) => web3Decoded(raw)['nonce'])).to.deep.equal([1, 2, 3]);
      await Promise.all(crashes);
    });

    it('needs a token that may read, and one that may sign', async () => {
      const account = await vault.account();
      const reading = await vault.narrowToken({ [account.path]: ['read'] });
      const updating = await vault.narrowToken({ [`${account.path}/sign-tx`]: ['update'] });
      const signing = await vault.narrowToken({ [`${account.path}/sign-tx`]: ['create', 'update'] });
      expect(await (await open(account, reading)).account()).to.equal(account.address);
      for (const [token, work] of [
        [reading, async () => (await open(account, reading)).sign(transactionOf(account.address))],
        [updating, async () => (await open(account, updating)).sign(transactionOf(account.address))],
        [signing, async () => (await open(account, signing)).account()],
      ] as const) {
        const error = await refusal(work(), token);
        expect(error).to.include({ code: 'forbidden' });
        expect(error.message).to.match(/create and update on the account’s sign-tx/);
      }
      expect(await (await open(account, signing)).sign(transactionOf(account.address))).to.have.property(
        'raw',
      );
    });

    it('refuses a token that Vault does not know', async () => {
      const token = 'hvs.unknown';
      const wallet = await open(await vault.account(), token);
      expect(await refusal(wallet.account(), token)).to.include({ code: 'forbidden' });
      expect(await refusal(wallet.sign(transactionOf(FROM)), token)).to.include({ code: 'forbidden' });
    });

    it('does not give a cached address to another token', async () => {
      const account = await vault.account();
      await (await open(account)).account();
      const stranger = await open(account, 'hvs.stranger');
      expect(await refusal(stranger.account(), 'hvs.stranger')).to.include({ code: 'forbidden' });
    });

    it('is not found under a path without a mount', async () => {
      const wallet = await wallets.open({
        type: 'vault',
        address: `${vault.url}/v1/nowhere/accounts/a`,
        token: vault.token,
      });
      const error = await refusal(wallet.account());
      expect(error).to.include({ code: 'not-found' });
      expect(error.message).to.match(/mount or its path is wrong/);
    });
  });

  describe('of ethsign', () => {
    walletFeatures(async () => {
      const account = await vault.ethsignAccount(randomBytes(32).toString('hex'));
      return { wallet: await open(account), address: account.address };
    });

    it('is found by its address in any letter case', async () => {
      const account = await vault.ethsignAccount(
        '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318',
      );
      const url = account.url.replace(account.address, '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23');
      expect(await (await open({ ...account, url })).account()).to.equal(account.address);
    });

    it('does not find an account that is not there, reading and signing', async () => {
      const wallet = await wallets.open({
        type: 'vault',
        address: `${vault.url}/v1/ethsign/accounts/${FROM}`,
        token: vault.token,
      });
      for (const work of [() => wallet.account(), () => wallet.sign(transactionOf(FROM))]) {
        expect(await refusal(work())).to.include({ code: 'not-found' });
      }
    });
  });
});

describe('a wallet in a real Vault that is sealed', () => {
  let vault: Vault;

  before(async function () {
    const found = await startVault({ chainId: CHAIN_ID });
    if (found?.seal === undefined) this.skip();
    vault = found;
  });
  after(() => vault?.stop());

  it('is unavailable, and says so', async () => {
    const account = await vault.account();
    await vault.seal?.();
    const wallets = openWallets({
      addresses: undefined,
      production: false,
      defaultKey: undefined,
      now: Date.now,
    });
    const wallet = await wallets.open({ type: 'vault', address: account.url, token: vault.token });
    for (const work of [() => wallet.account(), () => wallet.sign(transactionOf(account.address))]) {
      const error = await rejectionOf(work());
      expect(error).to.be.instanceOf(Refusal).and.to.include({ code: 'unavailable', retryAfterS: 1 });
      expect((error as Refusal).message).to.contain('sealed');
    }
    await wallets.close();
  });
});
