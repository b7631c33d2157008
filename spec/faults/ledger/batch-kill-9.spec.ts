import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Hex } from '../../../src/chain/port.js';
import type { ChainNode } from '../../../src/embedded/chain/node.js';
import { keyWallet } from '../../../src/wallets/key-wallet.js';
import { request } from '../../e2e/api-client.js';
import { UPSERT } from '../../e2e/ledger/scene.js';
import { eventually, SOON_MS } from '../stage/eventually.js';
import { keptChain, ledgerOn } from './kept-chain.js';
import { listed, noncesOf } from './ledger-books.js';
import { seeded } from '../stage/random.js';
import { launcher, type Launcher } from '../stage/service-process.js';

const KILLS = 12;
/** The chain's node is killed with every n-th kill of the service. */
const CHAIN_EVERY = 6;
const CLIENTS = 6;
/** Few entities: each occurs often in a batch, and soon has a history of many pages. */
const ENTITIES = 12;
const ENTRIES = 130;

const idOf = (n: number): string => `urn:ngsi-ld:Car:${n % ENTITIES}`;

/** A batch that a client sent with its own key. */
interface Batch {
  readonly ids: readonly string[];
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Hash in the receipt. undefined until the answer. */
  hash: Hex | undefined;
}

/** Counts equal texts. */
function countsOf(texts: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

describe('kill -9 under batches', () => {
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

  it('lists every entry of each batch once, for repeated entities and long histories', async () => {
    const random = seeded(20_265);
    const key: Hex = `0x${randomBytes(32).toString('hex')}`;
    services = await launcher({ ...(await ledgerOn(chain!)), DEFAULT_ACCOUNT_KEY: key });
    let service = await services.start();
    const all: Batch[] = [];

    const ask = async (batch: Batch): Promise<number> => {
      const answer = await request(`${service.url}${UPSERT}`, 'POST', batch.text, batch.headers).catch(
        () => undefined,
      );
      if (answer?.status !== 200) return answer?.status ?? 0;
      const { transactionHash } = answer.body as unknown as { transactionHash: Hex };
      if (batch.hash !== undefined) expect(transactionHash).to.equal(batch.hash);
      batch.hash = transactionHash;
      return 200;
    };
    const send = async (): Promise<void> => {
      const n = all.length;
      const ids = Array.from({ length: ENTRIES }, () => idOf(Math.floor(random() * ENTITIES)));
      const entities = ids.map((id, i) => ({ id, type: 'Car', speed: { type: 'Property', value: n + i } }));
      const headers = { 'content-type': 'application/json', 'idempotency-key': `batch-${n}` };
      const batch: Batch = { ids, text: JSON.stringify(entities), headers, hash: undefined };
      all.push(batch);
      await ask(batch);
    };

    const answered = () => all.filter(({ hash }) => hash !== undefined).length;
    const load = { on: true };
    for (let kill = 1; kill <= KILLS; kill += 1) {
      load.on = true;
      const clients = Array.from({ length: CLIENTS }, async () => {
        while (load.on) await send();
      });
      const before = answered();
      await eventually(
        () => answered() >= before + 2 || undefined,
        SOON_MS,
        () => 'no two batches were answered',
      );
      await pause(random() * 500);
      if (kill % CHAIN_EVERY === 0) {
        process.kill(chain!.pid(), 'SIGKILL');
        await pause(300);
      }
      load.on = false;
      await service.kill('SIGKILL');
      await Promise.all(clients);
      service = await services.start();
    }
    const beforeLastKill = answered();
    // Interrupted and answered batches are sent again.
    for (const batch of all) {
      let last = 0;
      await eventually(
        async () => ((last = await ask(batch)) === 200 ? true : undefined),
        SOON_MS,
        () => `a batch was not recorded: ${last}`,
      );
    }

    const account = await keyWallet(key).account();
    expect(await noncesOf(chain!.url, account)).to.deep.equal(all.map((_, n) => n));
    for (let n = 0; n < ENTITIES; n += 1) {
      const id = idOf(n);
      const expected = all.flatMap(({ ids, hash }) => ids.filter((one) => one === id).map(() => hash!));
      await eventually(
        async () => ((await listed(service.url, id)).length >= expected.length ? true : undefined),
        SOON_MS,
        () => `${id} lacks transactions`,
      );
      expect(countsOf(await listed(service.url, id)), id).to.deep.equal(countsOf(expected));
    }
    const { body } = await request(`${service.url}/entity?limit=1`, 'GET');
    expect(body['count']).to.equal(ENTITIES);
    console.log(
      `      ${all.length} batches of ${ENTRIES} entries, ${beforeLastKill} answered before the last kill`,
    );
    expect(beforeLastKill).to.be.above(KILLS);
  });
});
