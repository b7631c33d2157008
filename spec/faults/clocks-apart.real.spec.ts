import { expect } from 'chai';
import { deployTimestamper } from '../../src/embedded/chain/deploy.js';
import {
  anyId,
  building,
  ENTITIES,
  ledgerClient,
  type LedgerClient,
  receiptIn,
  settingsFor,
} from '../e2e/ledger/scene.js';
import { type Anvil, startAnvil } from '../servers/chain.js';
import { mongoOfSuite } from '../servers/mongodb.js';
import { type HeldVault, startHeldVault } from './ledger/held-vault.js';
import { launcher, type Launcher } from './stage/service-process.js';

const CLOCK_AHEAD = new URL('stage/clock-ahead-child.js', import.meta.url).href;
/** Longer than the lifetime of another process’s claim. */
const AHEAD_MS = 20_000;
const ROUNDS = 6;

describe('two nodes on one database with clocks 20 s apart', () => {
  let anvil: Anvil;
  let vault: HeldVault;
  let services: Launcher;
  /** The clock of the second node is ahead. */
  let right: LedgerClient;
  let ahead: LedgerClient;

  const mongo = mongoOfSuite();

  beforeEach(async () => {
    [anvil, vault] = await Promise.all([startAnvil(), startHeldVault()]);
    const contract = await deployTimestamper(anvil.url);
    services = await launcher({ ...settingsFor(anvil.url, contract), MONGODB_URL: mongo.database() });
    const shifted = { CLOCK_AHEAD_MS: String(AHEAD_MS) };
    const nodes = await Promise.all([services.start(), services.start(shifted, ['--import', CLOCK_AHEAD])]);
    [right, ahead] = [ledgerClient(nodes[0].url), ledgerClient(nodes[1].url)];
  });
  afterEach(async () => {
    await services.close();
    await vault.close();
    await anvil.stop();
  });

  it('sign one transaction for an Idempotency-Key, even if a node learns late that its claim was taken over', async () => {
    let once = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const entity = building();
      const headers = { ...vault.headers, 'Idempotency-Key': anyId('Key') };
      const ask = (node: LedgerClient) => node.ask(`POST ${ENTITIES}`, entity, headers);

      const first = ask(right);
      const firstSignature = await vault.asked();
      // To the node ahead the claim looks 20 s old. It takes over, its wallet fails, and the key is released.
      const second = ask(ahead);
      (await vault.asked()).refuse();
      expect((await second).status).not.to.equal(200);
      const third = ask(ahead);
      const thirdSignature = await vault.asked();
      // Only now the wallet fails the first node, which releases the claim that it has lost.
      firstSignature.refuse();
      expect((await first).status).not.to.equal(200);
      thirdSignature.sign();
      const { transactionHash } = receiptIn(await third);

      vault.hold(false);
      const repeated = receiptIn(await ask(right)).transactionHash;
      vault.hold(true);
      // The other node may show what it read half a second ago.
      if (repeated === transactionHash && (await ahead.trace(entity.id)).length === 1) once += 1;
    }
    console.log(`      ${once} of ${ROUNDS} keys signed one transaction`);
    expect(once).to.equal(ROUNDS);
  });
});
