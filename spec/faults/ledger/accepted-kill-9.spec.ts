import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Hex } from '../../../src/chain/port.js';
import type { ChainNode } from '../../../src/embedded/chain/node.js';
import { keyWallet } from '../../../src/wallets/key-wallet.js';
import { request } from '../../e2e/api-client.js';
import { eventually, SOON_MS } from '../stage/eventually.js';
import { seeded } from '../stage/random.js';
import { launcher, type Launcher } from '../stage/service-process.js';
import { keptChain, ledgerOn } from './kept-chain.js';
import { listed, noncesOf } from './ledger-books.js';

/** Number of kills. Each costs a start of the service. */
const KILLS = process.env['FAULTS'] === 'full' ? 100 : 10;
/** Longest time from an answer to the kill, ms: the operation is being signed, sent or listed meanwhile. */
const LONGEST_MS = 60;

/** A notification that was answered with 202. */
interface Accepted {
  readonly body: object;
  readonly ids: readonly string[];
  readonly operation: string;
}

describe('kill -9 after a notification of a broker was accepted', function () {
  this.timeout(600_000 + 10_000 * KILLS);
  let services: Launcher | undefined;
  let chain: ChainNode | undefined;

  beforeEach(async () => {
    chain = await keptChain();
  });
  afterEach(async () => {
    await services?.close();
    await chain?.close();
    services = chain = undefined;
  });

  it('records it once, also if the broker sends it again', async () => {
    const random = seeded(20_268);
    const key: Hex = `0x${randomBytes(32).toString('hex')}`;
    services = await launcher({ ...(await ledgerOn(chain!)), DEFAULT_ACCOUNT_KEY: key });
    const all: Accepted[] = [];
    let service = await services.start();
    let pending = 0;

    const send = async (body: object): Promise<string> => {
      const answer = await request(`${service.url}/ledger/notify`, 'POST', body);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
      return (answer.body as unknown as { operation: string }).operation;
    };
    const stateOf = (operation: string) => request(`${service.url}/ledger/operations/${operation}`, 'GET');

    for (let kill = 0; kill < KILLS; kill += 1) {
      const ids = Array.from({ length: 1 + (kill % 3) }, (_, n) => `urn:ngsi-ld:Car:${kill}-${n}`);
      const body = {
        id: `urn:ngsi-ld:Notification:${kill}`,
        type: 'Notification',
        subscriptionId: 'urn:ngsi-ld:Subscription:cars',
        data: ids.map((id) => ({ id, type: 'Car', speed: { type: 'Property', value: kill } })),
      };
      all.push({ body, ids, operation: await send(body) });
      // Half of the kills follow the answer at once.
      if (kill % 2 === 1) await pause(random() * LONGEST_MS);
      await service.kill('SIGKILL');
      service = await services.start();
      const again = all[Math.floor(random() * all.length)]!;
      expect(await send({ ...again.body, notifiedAt: new Date().toISOString() })).to.equal(again.operation);
      if ((await stateOf(all.at(-1)!.operation)).status === 202) pending += 1;
    }

    const hashes = new Set<unknown>();
    for (const { body, ids, operation } of all) {
      const { body: receipt } = await eventually(
        async () => {
          const answer = await stateOf(operation);
          return answer.status === 200 ? answer : undefined;
        },
        SOON_MS,
        () => `${operation} is not recorded`,
      );
      expect(receipt, JSON.stringify(receipt)).to.include({ statusOK: true });
      hashes.add(receipt['transactionHash']);
      for (const id of ids)
        expect(await listed(service.url, id), id).to.deep.equal([receipt['transactionHash']]);
      expect(await send(body)).to.equal(operation);
    }
    const account = await keyWallet(key).account();
    expect(await noncesOf(chain!.url, account), 'transactions').to.deep.equal(all.map((_, n) => n));
    expect(hashes.size).to.equal(all.length);
    console.log(
      `      ${KILLS} kills, ${all.length} notifications, ${pending} of them pending after the restart, ${hashes.size} transactions`,
    );
    expect(pending, 'found pending by the next start').to.be.above(0);
  });
});
