import { inspect } from 'node:util';
import { expect } from 'chai';
import {
  type EmbeddedWalletOptions,
  type EmbeddedWallet,
  embeddedWallet,
} from '../../../src/embedded/wallet/wallet.js';
import { Refusal } from '../../../src/errors.js';
import { rejectionOf } from '../../rejection.js';
import { web3Decoded } from '../../wallets/transactions.js';
import { accountsInMemory } from './accounts.js';

const SECRET = new Uint8Array(32).fill(7);
const MNEMONIC = 'test test test test test test test test test test test junk';
const REQUEST = {
  to: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
  data: '0102',
  encoding: 'hex',
  amount: '0',
  nonce: '7',
  gas_limit: '60000',
  gas_price: '2000000000',
};

describe('embedded wallet', () => {
  let accounts: ReturnType<typeof accountsInMemory>;
  let wallet: EmbeddedWallet;

  beforeEach(() => {
    accounts = accountsInMemory();
    wallet = open();
  });

  const open = (changes: Partial<EmbeddedWalletOptions> = {}): EmbeddedWallet =>
    embeddedWallet({ accounts, secret: SECRET, chainId: () => 31_337, ...changes });

  const addressOf = async (name: string, at = wallet): Promise<string> =>
    String((await at.read(name))['address']);

  it('creates an account with an address in mixed case, and reads it', async () => {
    const made = await wallet.create('a', {});
    expect(made).to.have.all.keys('address', 'exclusions', 'inclusions');
    expect(made['address'])
      .to.match(/^0x[0-9a-fA-F]{40}$/)
      .and.not.equal(made['address']?.toLowerCase());
    expect(await wallet.read('a')).to.deep.equal(made);
  });

  it('has the same accounts after a restart with the same secret', async () => {
    await wallet.create('a', {});
    await wallet.create('b', { mnemonic: MNEMONIC });
    for (const name of ['a', 'b']) expect(await addressOf(name, open())).to.equal(await addressOf(name));
    expect(await open().list()).to.deep.equal(['a', 'b']);
  });

  it('has a different account for each name and each secret', async () => {
    await wallet.create('a', {});
    await wallet.create('b', {});
    const other = open({ secret: new Uint8Array(32).fill(8) });
    const addresses = [await addressOf('a'), await addressOf('b'), await addressOf('a', other)];
    expect(new Set(addresses)).to.have.length(3);
  });

  it('creates the account of a mnemonic with its standard address', async () => {
    expect(await wallet.create('a', { mnemonic: MNEMONIC })).to.include({
      address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    });
    expect(await wallet.create('b', { mnemonic: MNEMONIC, index: 1 })).to.include({
      address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    });
  });

  it('keeps an existing account', async () => {
    const { address } = await wallet.create('a', {});
    expect(await wallet.create('a', { mnemonic: MNEMONIC })).to.include({ address });
    expect(await wallet.create('a', {})).to.include({ address });
  });

  it('creates one account for two concurrent requests', async () => {
    const made = await Promise.all([wallet.create('a', {}), wallet.create('a', { mnemonic: MNEMONIC })]);
    expect(made[0]).to.deep.equal(made[1]);
  });

  it('stores neither keys nor mnemonics in plain text', async () => {
    await wallet.create('a', {});
    await wallet.create('b', { mnemonic: MNEMONIC });
    const kept = inspect([...accounts.kept]);
    expect(kept).not.to.contain('junk');
    const key = Buffer.from('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', 'hex');
    for (const encoding of ['hex', 'base64'] as const)
      expect(kept).not.to.contain(key.toString(encoding).slice(0, 20));
  });

  it('signs a transaction, and returns what it signed', async () => {
    await wallet.create('a', {});
    const signed = await wallet.sign('a', REQUEST);
    const raw = signed['signed_transaction'] as `0x${string}`;
    const decoded = web3Decoded(raw);
    const from = await addressOf('a');
    expect(decoded).to.deep.include({
      from: from.toLowerCase(),
      to: REQUEST.to,
      data: '0x0102',
      nonce: 7,
      gasLimit: 60_000n,
      gasPrice: 2_000_000_000n,
      value: 0n,
      chainId: 31_337,
    });
    expect(signed).to.deep.equal({
      amount: '0',
      from,
      gas_limit: '60000',
      gas_price: '2000000000',
      nonce: '7',
      signed_transaction: raw,
      to: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      transaction_hash: decoded['hash'],
    });
  });

  for (const [what, changes, expected] of [
    [
      'numbers for texts',
      { nonce: 7, gas_limit: 60_000, gas_price: 5 },
      { nonce: 7, gasLimit: 60_000n, gasPrice: 5n },
    ],
    ['numbers in hexadecimal', { nonce: '0x7', gas_price: '0x5' }, { nonce: 7, gasPrice: 5n }],
    ['no gas price', { gas_price: undefined }, { gasPrice: 0n }],
    ['the gas price 0', { gas_price: '0' }, { gasPrice: 0n }],
    ['no gas limit', { gas_limit: undefined }, { gasLimit: 21_000n }],
    ['no amount', { amount: undefined }, { value: 0n }],
    ['no data', { data: undefined }, { data: '0x' }],
    ['a text as data', { data: '0x', encoding: undefined }, { data: '0x3078' }],
    ['a receiver in capitals', { to: `0x${'AB'.repeat(20)}` }, { to: `0x${'ab'.repeat(20)}` }],
  ] as const) {
    it(`signs ${what}`, async () => {
      await wallet.create('a', {});
      const signed = await wallet.sign('a', { ...REQUEST, ...changes });
      expect(web3Decoded(signed['signed_transaction'] as `0x${string}`)).to.deep.include(expected);
    });
  }

  for (const [what, changes, fault] of [
    ['no receiver', { to: undefined }, /^to must/],
    ['an empty receiver', { to: '' }, /^to must/],
    ['another encoding', { encoding: 'base64' }, /encoding hex or utf8/],
    ['data that is not a string', { data: 7 }, /^data must/],
    ['data with 0x', { data: '0x0102' }, /without 0x/],
    ['half a byte', { data: '010' }, /even number/],
    ['an amount', { amount: '1' }, /^amount must be 0/],
    ['no nonce', { nonce: undefined }, /^nonce must/],
    ['a nonce of another kind', { nonce: {} }, /^nonce must/],
    ['a negative nonce', { nonce: -1 }, /^nonce must/],
    ['half a nonce', { nonce: 1.5 }, /^nonce must/],
    ['a nonce that no number can be', { nonce: '9007199254740992' }, /^nonce must not be above/],
    ['a gas price that is not a number', { gas_price: '1e9' }, /^gas_price must/],
    ['a gas price of 257 bits', { gas_price: String(1n << 256n) }, /^gas_price must/],
    ['a gas limit of 65 bits', { gas_limit: String(1n << 64n) }, /^gas_limit must/],
  ] as const) {
    it(`refuses ${what}`, async () => {
      await wallet.create('a', {});
      const error = await rejectionOf(wallet.sign('a', { ...REQUEST, ...changes }));
      expect(error).to.be.instanceOf(Refusal).and.to.include({ code: 'bad-request' });
      expect((error as Refusal).message).to.match(fault);
    });
  }

  for (const body of [null, [], 'text', 7]) {
    it(`refuses the body ${JSON.stringify(body)} to sign`, async () => {
      await wallet.create('a', {});
      for (const work of [wallet.create('b', body), wallet.sign('a', body)]) {
        expect(await rejectionOf(work)).to.include({ code: 'bad-request' });
      }
    });
  }

  for (const body of [
    { mnemonic: 'test test' },
    { mnemonic: MNEMONIC.toUpperCase() },
    { mnemonic: 7 },
    { mnemonic: MNEMONIC, index: -1 },
    { mnemonic: MNEMONIC, index: 2 ** 31 },
    { mnemonic: MNEMONIC, index: '1' },
    { inclusions: ['0x'] },
    { exclusions: '0x' },
  ]) {
    it(`refuses the account ${JSON.stringify(body)}`, async () => {
      const error = await rejectionOf(wallet.create('a', body));
      expect(error).to.include({ code: 'bad-request' });
      expect(inspect(error)).not.to.contain('junk');
      expect(await wallet.list()).to.deep.equal([]);
    });
  }

  it('ignores unknown members, as Vault does', async () => {
    expect(
      await wallet.create('a', { private_key: '0x11', inclusions: null, exclusions: [] }),
    ).to.have.property('address');
  });

  it('answers not-found for an unknown account', async () => {
    for (const work of [wallet.read('a'), wallet.sign('a', REQUEST)]) {
      expect(await rejectionOf(work)).to.include({ code: 'not-found' });
    }
  });

  it('refuses a secret under 32 bytes', () => {
    expect(() => open({ secret: new Uint8Array(31) })).to.throw(/at least 32 bytes/);
  });
});
