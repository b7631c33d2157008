import { randomBytes } from 'node:crypto';
import { startVault, type Vault } from '../../../servers/vault.js';
import { clientOfTheOriginal } from './original-client.features.js';
import { type LedgerService, openLedger, walletHeaders } from '../scene.js';

describe('a client of the original, with HashiCorp Vault', () => {
  let ledger: LedgerService;
  let vault: Vault | undefined;
  before(async function () {
    ledger = await openLedger();
    vault = await startVault({ chainId: 1337, rpcUrl: ledger.anvil.url });
    if (vault === undefined) this.skip();
  });
  after(async () => {
    await ledger?.close();
    await vault?.stop();
  });

  describe('and its engine vault-ethereum', () => {
    clientOfTheOriginal(() => ({
      ledger,
      async signer() {
        const mount = await vault!.mount({ rpcUrl: ledger.anvil.url, chainId: 1337 });
        const { url, address } = await vault!.account({}, mount);
        return { address, headers: walletHeaders(url, vault!.token) };
      },
    }));
  });

  describe('and its engine ethsign', () => {
    clientOfTheOriginal(() => ({
      ledger,
      async signer() {
        const { url, address } = await vault!.ethsignAccount(randomBytes(32).toString('hex'));
        return { address, headers: walletHeaders(url, vault!.token) };
      },
    }));
  });
});
