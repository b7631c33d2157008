import { expect } from 'chai';
import type { Hex } from '../../../../src/chain/port.js';
import { type ApiAnswer, request } from '../../api-client.js';
import { type FickleVault, type Habit, startFickleVault } from './fickle-vault.js';
import { expectProblem } from '../problem.js';
import {
  anyId,
  building,
  ENTITIES,
  type LedgerService,
  receiptIn,
  sharedLedger,
  type Signer,
  walletHeaders,
} from '../scene.js';

const ADDRESS: Hex = `0x${'ab'.repeat(20)}`;

/** Faults of wallets, with the answers to their callers. */
const HABITS: readonly (readonly [string, Habit, number, ...string[]])[] = [
  ['another nonce', { is: 'lying', changes: { nonce: 7 } }, 502, 'nonce'],
  ['another key', { is: 'lying', changes: {}, otherKey: true }, 502, 'sender'],
  ['another contract', { is: 'lying', changes: { to: ADDRESS } }, 502, 'signed with another'],
  ['other data', { is: 'lying', changes: { data: '0x00' } }, 502, 'data'],
  ['another chain', { is: 'lying', changes: { chainId: 1 } }, 502, 'chain id'],
  ['another price', { is: 'lying', changes: { gasPrice: 5n } }, 502, 'gas price'],
  ['another limit', { is: 'lying', changes: { gasLimit: 21_000n } }, 502, 'gas limit'],
  ['rubbish', { is: 'answering', status: 200, body: { data: { signed_transaction: '0xc0ffee' } } }, 502],
  ['no transaction', { is: 'answering', status: 200, body: {} }, 502, 'no signed transaction'],
  ['a 500', { is: 'answering', status: 500, body: { errors: ['oops'] } }, 502, '500'],
  ['a redirect', { is: 'answering', status: 307, body: {} }, 502, 'redirects'],
  ['a 403', { is: 'answering', status: 403, body: { errors: ['permission denied'] } }, 403, 'Wallet-Token'],
  ['a 404', { is: 'answering', status: 404, body: { errors: [] } }, 404, 'Wallet-Address'],
  ['a 429', { is: 'answering', status: 429, body: {} }, 503, 'nothing was done'],
  ['a 503, as when sealed', { is: 'answering', status: 503, body: { errors: ['sealed'] } }, 503, 'sealed'],
  ['a closed connection', { is: 'closing' }, 503, 'nothing was done'],
];

const create = (ledger: LedgerService, { headers }: Signer, id = anyId()): Promise<ApiAnswer> =>
  ledger.ask(`POST ${ENTITIES}`, building(id), headers);

describe('a wallet that does not do as it should', () => {
  const ledger = sharedLedger();
  let vault: FickleVault;
  beforeEach(async () => {
    vault = await startFickleVault();
  });
  afterEach(() => vault.close());

  for (const [name, habit, status, ...words] of HABITS) {
    it(`${name}: ${status}, nothing on the chain, no nonce burnt, other wallets undisturbed`, async () => {
      const other = await ledger().account();
      receiptIn(await create(ledger(), vault));
      vault.become(habit);
      const id = anyId();
      const [refused, ...others] = await Promise.all([
        create(ledger(), vault, id),
        ...Array.from({ length: 5 }, () => create(ledger(), other)),
      ]);
      const type = status === 404 ? 'ResourceNotFound' : 'about:blank';
      expectProblem(refused, status, type, ...words);
      expect(refused.text).not.to.include('any-token');
      for (const answer of others) receiptIn(answer);
      expect(await ledger().trace(id)).to.deep.equal([]);
      expect(await ledger().nonceOf(vault.address)).to.equal(1);
      vault.become({ is: 'honest' });
      const { transactionHash } = receiptIn(await create(ledger(), vault, id));
      const transaction = await ledger().anvil.rpc('eth_getTransactionByHash', [transactionHash]);
      expect(transaction).to.include({ nonce: '0x1', from: vault.address });
      expect(ledger().running.logged.join('')).not.to.include('any-token');
    });
  }

  it('amid others of the same account: those it signs are recorded without a gap', async () => {
    receiptIn(await create(ledger(), vault));
    const pending = Array.from({ length: 40 }, async (_, n) => {
      if (n === 10) vault.become({ is: 'lying', changes: { nonce: 99 } });
      if (n === 25) vault.become({ is: 'honest' });
      const answer = await create(ledger(), vault);
      return answer.status;
    });
    const statuses = await Promise.all(pending);
    expect(new Set([...statuses, 200, 502])).to.have.property('size', 2);
    vault.become({ is: 'honest' });
    receiptIn(await create(ledger(), vault));
    const recorded = statuses.filter((status) => status === 200).length;
    expect(await ledger().nonceOf(vault.address)).to.equal(recorded + 2);
  });

  it('of another host is not asked at all', async () => {
    const away = walletHeaders('http://192.0.2.1/v1/ethereum/accounts/a', 'any-token');
    expectProblem(
      await ledger().ask(`POST ${ENTITIES}`, building(), away),
      403,
      'about:blank',
      'WALLET_ADDRESSES',
    );
  });

  it('gets no request of a caller who is refused for another reason', async () => {
    expectProblem(
      await ledger().ask(`POST ${ENTITIES}`, { id: 'no uri' }, vault.headers),
      400,
      'BadRequestData',
    );
    expect(vault.requests).to.have.length(0);
  });
});

describe('WALLET_ADDRESSES', () => {
  let vault: FickleVault;
  before(async () => {
    vault = await startFickleVault();
  });
  after(() => vault?.close());
  const ledger = sharedLedger({ WALLET_ADDRESSES: 'http://127.0.0.1:9/v1/ethereum' });

  it('refuses every other wallet, and names the setting', async () => {
    expectProblem(await create(ledger(), vault), 403, 'about:blank', 'WALLET_ADDRESSES');
    expect(vault.requests).to.have.length(0);
  });
});

describe('the development wallet', () => {
  const ledger = sharedLedger();

  it('refuses a wrong token and an account that was never made, as Vault does', async () => {
    const { headers } = await ledger().account();
    const wrong = await ledger().ask(`POST ${ENTITIES}`, building(), { ...headers, 'Wallet-Token': 'no' });
    expectProblem(wrong, 403, 'about:blank', 'Wallet-Token');
    const none = walletHeaders(`${ledger().url}/vault/v1/ethereum/accounts/none`, headers['Wallet-Token']!);
    const missing = await ledger().ask(`POST ${ENTITIES}`, building(), none);
    expectProblem(missing, 404, 'ResourceNotFound');
    const direct = await request(`${ledger().url}/vault/v1/ethereum/accounts/none`, 'GET');
    expect(direct.status).to.equal(403);
  });
});
