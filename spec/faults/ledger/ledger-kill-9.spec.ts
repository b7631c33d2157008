import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { deployTimestamper } from '../../../src/chain/deploy.js';
import type { Hex } from '../../../src/chain/port.js';
import type { ChainNode } from '../../../src/embedded/chain/node.js';
import { request } from '../../e2e/api-client.js';
import { type MongoServer, startMongo } from '../../servers/mongodb.js';
import { eventually } from '../stage/eventually.js';
import { keptChain } from './kept-chain.js';
import { ask, type Asked, audit, listed, rpc } from './ledger-books.js';
import { seeded } from '../stage/random.js';
import { launcher, type Launcher } from '../stage/service-process.js';

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
const TOKEN = 'spec-token';

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
    const contract = await deployTimestamper(chain!.url);
    return { LEDGER: 'on', CHAIN_RPC_URL: chain!.url, CHAIN_CONTRACT: contract, WALLET_DEV_TOKEN: TOKEN };
  }

  async function survive(from: Launcher, nodes: number, seed: number): Promise<void> {
    const random = seeded(seed);
    const running = await Promise.all(Array.from({ length: nodes }, () => from.start()));
    const accounts: Hex[] = [];
    for (const name of ['a', 'b', 'c']) {
      const address = `${running[0]!.url}/vault/v1/ethereum/accounts/${name}`;
      const { body } = await request(address, 'POST', {}, { 'x-vault-token': TOKEN });
      accounts.push((body as unknown as { data: { address: Hex } }).data.address.toLowerCase() as Hex);
    }
    const all: Asked[] = [];
    const load = { on: true };

    /** Returns a wallet at the requested node: another node may be down. */
    const named = (url: string, n: number): Record<string, string> => ({
      'wallet-type': 'vault',
      'wallet-token': TOKEN,
      'wallet-address': `${url}/vault/v1/ethereum/accounts/${'abc'[n % 3]!}`,
    });
    const send = async (node: number, n: number): Promise<void> => {
      const entityId = `urn:ngsi-ld:Car:${n}`;
      const body = { id: entityId, type: 'Car', speed: { type: 'Property', value: n } };
      const key = n % 2 === 0 ? `key-${n}` : undefined;
      const { url } = running[node]!;
      const asked: Asked = { entityId, body, key, wallet: named(url, n), transactionHash: undefined };
      all.push(asked);
      await ask(url, asked);
    };
    const client = async (c: number): Promise<void> => {
      while (load.on) await send(c % nodes, all.length);
    };

    const kills = nodes === 1 ? KILLS.oneNode : KILLS.twoNodes;
    for (let kill = 1; kill <= kills.service; kill += 1) {
      load.on = true;
      const clients = Array.from({ length: CLIENTS }, (_, c) => client(c));
      await pause(100 + random() * 400);
      if (kill % (kills.service / kills.chain) === 0) {
        process.kill(chain!.pid(), 'SIGKILL');
        await pause(500);
      }
      const victim = kill % nodes;
      load.on = false;
      await running[victim]!.kill('SIGKILL');
      await Promise.all(clients);
      running[victim] = await from.start();
    }

    // Clients send interrupted operations with a key again.
    const { url } = running[0]!;
    const open = all.filter(({ key, transactionHash }) => key !== undefined && transactionHash === undefined);
    const sendAgain = async (asked: Asked): Promise<void> => {
      const again = { ...asked, wallet: named(url, all.indexOf(asked)) };
      let last = { status: 0, text: '' };
      await eventually(
        async () => ((last = await ask(url, again)).status === 200 ? true : undefined),
        60_000,
        () => `${asked.entityId} was not recorded: ${last.status} ${last.text}`,
      );
      asked.transactionHash = again.transactionHash;
    };
    await Promise.all(open.map(sendAgain));
    // An interrupted operation without a key may still be in flight.
    await eventually(
      async () => {
        const counts = await Promise.all(
          accounts.map((account) => rpc(chain!.url, 'eth_getTransactionCount', [account, 'latest'])),
        );
        const mined = counts.reduce<number>((sum, count) => sum + Number(count), 0);
        let recorded = 0;
        for (const { entityId } of all) recorded += (await listed(url, entityId)).length;
        return recorded === mined ? true : undefined;
      },
      60_000,
      () => 'the list and the chain do not agree',
    );
    const { answered, transactions } = await audit(url, chain!.url, all, accounts);
    expect(answered).to.be.above(kills.service);
    console.log(`      ${all.length} operations, ${answered} answered, ${transactions} transactions`);
  }
});
