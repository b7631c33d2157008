import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChainNode } from '../../../src/embedded/chain/node.js';
import { type MongoServer, startMongo } from '../../servers/mongodb.js';
import { keptChain, ledgerOn } from './kept-chain.js';
import { ledgerLoad, WALLET_TOKEN } from './ledger-load.js';
import { seeded } from '../stage/random.js';
import { launcher, type Launcher } from '../stage/service-process.js';
import { SOON_MS } from '../stage/eventually.js';

/**
 * Number of kills of the service and of the chain's node. Fewer with two nodes, unless FAULTS=full: the other node takes
 * over the work of a killed one after nine seconds, for which its clients wait.
 */
const FULL = { service: 50, chain: 5 };
const KILLS = {
  oneNode: FULL,
  twoNodes: process.env['FAULTS'] === 'full' ? FULL : { service: 10, chain: 2 },
};
const CLIENTS = 9;

describe('kill -9 under operations of the ledger', function () {
  this.timeout(900_000);
  let mongo: MongoServer | undefined;
  let services: Launcher | undefined;
  let chain: ChainNode | undefined;

  beforeEach(async () => {
    chain = await keptChain();
  });
  afterEach(async () => {
    await services?.close();
    await chain?.close();
    await mongo?.stop();
    services = chain = mongo = undefined;
  });

  it('of the service and of the chain’s node loses nothing and records nothing twice: embedded store', async () => {
    services = await launcher(await settings());
    await survive(services, 1, 20_263);
  });

  it('of one of two nodes loses nothing and records nothing twice: MongoDB', async function () {
    mongo = await startMongo();
    if (mongo === undefined) return this.skip();
    services = await launcher({ ...(await settings()), MONGODB_URL: mongo.database() });
    await survive(services, 2, 20_264);
  });

  async function settings(): Promise<Record<string, string>> {
    return { ...(await ledgerOn(chain!)), WALLET_DEV_TOKEN: WALLET_TOKEN };
  }

  async function survive(from: Launcher, nodes: number, seed: number): Promise<void> {
    const random = seeded(seed);
    const running = await Promise.all(Array.from({ length: nodes }, () => from.start()));
    const load = await ledgerLoad(() => running.map(({ url }) => url), chain!.url);

    const kills = nodes === 1 ? KILLS.oneNode : KILLS.twoNodes;
    for (let kill = 1; kill <= kills.service; kill += 1) {
      const clients = load.run(CLIENTS);
      await pause(100 + random() * 400);
      if (kill % (kills.service / kills.chain) === 0) {
        process.kill(chain!.pid(), 'SIGKILL');
        await pause(500);
      }
      const victim = kill % nodes;
      load.stop();
      await running[victim]!.kill('SIGKILL');
      await clients;
      running[victim] = await from.start();
    }

    const { operations, answered, transactions } = await load.audit(SOON_MS);
    expect(answered).to.be.above(kills.service);
    console.log(`      ${operations} operations, ${answered} answered, ${transactions} transactions`);
  }
});
