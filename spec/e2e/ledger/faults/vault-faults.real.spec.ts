import { expect } from 'chai';
import type { Hex } from '../../../../src/chain/port.js';
import type { ApiAnswer } from '../../api-client.js';
import { startVault, type Vault } from '../../../servers/vault.js';
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

const create = (ledger: LedgerService, { headers }: Signer, id = anyId()): Promise<ApiAnswer> =>
  ledger.ask(`POST ${ENTITIES}`, building(id), headers);

describe('HashiCorp Vault that refuses', () => {
  const ledger = sharedLedger();
  let vault: Vault | undefined;
  before(async function () {
    vault = await startVault({ chainId: 1337, rpcUrl: ledger().anvil.url });
    if (vault === undefined) this.skip();
  });
  after(() => vault?.stop());

  it('a token that it does not know: 403', async () => {
    const { url } = await vault!.account();
    const answer = await create(ledger(), { address: ADDRESS, headers: walletHeaders(url, 'hvs.nobody') });
    expectProblem(answer, 403, 'about:blank', 'Vault refuses Wallet-Token');
    expect(answer.text).not.to.include('hvs.nobody');
  });

  it('a token that may read and not sign: 403, the next one goes on with the nonce', async () => {
    const account = await vault!.account();
    const narrow = await vault!.narrowToken({ [account.path]: ['read'] });
    const by = (token: string): Signer => ({ ...account, headers: walletHeaders(account.url, token) });
    expectProblem(await create(ledger(), by(narrow)), 403, 'about:blank', 'may not sign');
    receiptIn(await create(ledger(), by(vault!.token)));
    expect(await ledger().nonceOf(account.address)).to.equal(1);
  });

  it('an account that is not there: 404', async () => {
    for (const path of [`ethereum/accounts/none`, `ethsign/accounts/${ADDRESS}`]) {
      const headers = walletHeaders(`${vault!.url}/v1/${path}`, vault!.token);
      const answer = await create(ledger(), { address: ADDRESS, headers });
      expectProblem(answer, 404, 'ResourceNotFound', 'no account');
    }
  });

  it('is 503 while it is sealed or gone; callers of other wallets are served', async function () {
    const own = await startVault({ chainId: 1337, rpcUrl: ledger().anvil.url });
    if (own?.seal === undefined) return this.skip();
    const account = await own.account();
    const signer = { ...account, headers: walletHeaders(account.url, own.token) };
    receiptIn(await create(ledger(), signer));
    await own.seal();
    expectProblem(await create(ledger(), signer), 503, 'about:blank', 'sealed');
    await own.stop();
    expectProblem(await create(ledger(), signer), 503, 'about:blank', 'nothing was done');
    receiptIn(await create(ledger(), await ledger().account()));
    expect(await ledger().nonceOf(account.address)).to.equal(1);
  });
});
