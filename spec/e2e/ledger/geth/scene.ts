import { expect } from 'chai';
import type { Hex } from '../../../../src/chain/port.js';
import { runWords } from '../../../command/command-runs.js';
import { FUNDED_TOO } from '../../../ledger/proofs/mixed-block.js';
import { FUNDED } from '../../../servers/chain.js';
import type { Geth } from '../../../servers/geth.js';
import { type RunningService, runService } from '../../running-service.js';
import type { ProofScene } from '../proof-files/scene.js';
import { type LedgerClient, ledgerClient, settingsFor } from '../scene.js';

/** The address of the default account. */
export const DEFAULT_ACCOUNT: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

/** An account with funds for blobs: while one has transactions of another type in the pool, go-ethereum takes no blobs of it. */
export const BLOB_SENDER = {
  address: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  key: '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
} as const;

/** A service whose ledger is on a chain of go-ethereum. */
export interface GethLedger extends LedgerClient, Pick<ProofScene, 'proof'> {
  readonly running: RunningService;
}

/** Puts the contract on a new chain of go-ethereum with `mirzam deploy`, from an account with funds. Returns its address. */
export async function deployOn(geth: Geth): Promise<Hex> {
  const accounts = [FUNDED.address, DEFAULT_ACCOUNT, BLOB_SENDER.address] as const;
  await Promise.all(accounts.map((account) => geth.fund(account)));
  const { code, out, err } = await runWords(['deploy'], {
    CHAIN_RPC_URL: geth.url,
    DEPLOYER_KEY: FUNDED.key,
  });
  expect(code, err).to.equal(0);
  return out.trim() as Hex;
}

/** Starts a service on a chain whose default account has funds. The spec closes it. */
export async function ledgerOn(
  geth: Geth,
  contract: Hex,
  settings: Readonly<Record<string, string>> = {},
): Promise<GethLedger> {
  const running = await runService({
    ...settingsFor(geth.url, contract),
    LEDGER_FINALITY: '1',
    // Blocks of a slow machine come late.
    LEDGER_WAIT_S: '120',
    DEFAULT_ACCOUNT_KEY: FUNDED_TOO,
    ...settings,
  });
  const client = ledgerClient(running.url);
  return {
    ...client,
    running,
    proof: (hash, query) => client.ask(`GET /ledger/proofs/${hash}?${query}`),
  };
}
