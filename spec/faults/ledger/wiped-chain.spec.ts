import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import type { Hex } from '../../../src/chain/port.js';
import { TOPIC } from '../../../src/chain/timestamp-call.js';
import { keyWallet } from '../../../src/wallets/key-wallet.js';
import { request } from '../../e2e/api-client.js';
import { type RunningService, runService } from '../../e2e/running-service.js';
import {
  anyId,
  building,
  ENTITIES,
  ledgerClient,
  type LedgerClient,
  type Receipt,
  settingsFor,
  type Signer,
} from '../../e2e/ledger/scene.js';
import { type Anvil, startAnvil } from '../../servers/chain.js';
import { eventually, SOON_MS } from '../stage/eventually.js';
import { seeded } from '../stage/random.js';
import { type Asked, audit, rpc } from './ledger-books.js';

const ROUNDS = process.env['FAULTS'] === 'full' ? 20 : 2;
/** Times between the node's return and the contract's, ms. */
const DELAYS_MS = [0, 3_000, 8_000];
/** Operations that are answered before the chain is wiped, and clients that go on meanwhile. */
const BEFORE = 12;
const CLIENTS = 4;
/** Accounts whose first operation comes at the moment in which the node is back: the empty chain takes it at once. */
const NEWCOMERS = 3;

interface Figures {
  operations: number;
  /** Answers 502 and 503. */
  refused: number;
  /** Answers 504, or none. */
  open: number;
}

/** Fails if a receipt is good without the event of its operation. */
function judge({ statusOK, logs, additionalInformation: { assetId, hash } }: Receipt, to: Hex): void {
  const isRecorded = logs.some(
    (log) => log.address === to && log.topics.join() === [TOPIC, assetId, hash].join(),
  );
  expect(isRecorded, 'statusOK and event').to.equal(statusOK);
}

/** A round: the chain is wiped under load, and has everything once in the end. `restarts`: so does the service meanwhile. */
async function round(
  delayMs: number,
  random: () => number,
  figures: Figures,
  restarts: boolean,
): Promise<void> {
  const anvil = await startAnvil();
  const contract = await deployTimestamper(anvil.url);
  const key: Hex = `0x${randomBytes(32).toString('hex')}`;
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-wiped-'));
  const start = (): Promise<RunningService> =>
    runService({
      ...settingsFor(anvil.url, contract),
      DATA_DIR: folder,
      DEFAULT_ACCOUNT_KEY: key,
      LEDGER_WAIT_S: '3',
    });
  let service = await start();
  try {
    let ledger = ledgerClient(service.url);
    const newcomers = Array.from({ length: NEWCOMERS }, (_, n) => `newcomer-${n}`);
    const named = ['other', ...newcomers];
    /** The address of the wallet is the service's. */
    let signers = await signersOf(ledger, named);
    const all: Asked[] = [];
    const load = { on: true };

    /** Sends an operation with a key until it has a receipt. */
    const record = async (name?: string): Promise<void> => {
      const n = all.length;
      const entityId = anyId();
      const signer = name ?? (n % 2 === 0 ? undefined : 'other');
      const asked: Asked = {
        entityId,
        body: building(entityId),
        key: `key-${n}`,
        wallet: {},
        transactionHash: undefined,
      };
      all.push(asked);
      await eventually(
        async () => {
          const wallet = signer === undefined ? {} : signers.get(signer)!.headers;
          const status = await sent(ledger, { asked, wallet }, contract);
          if (status === 502 || status === 503) figures.refused += 1;
          else if (status !== 200) figures.open += 1;
          return status === 200 ? true : undefined;
        },
        SOON_MS,
        async () =>
          `${entityId} has no receipt: ${(await request(`${service.url}/operator/accounts`, 'GET')).text}`,
      );
    };

    for (let n = 0; n < BEFORE; n += 1) await record();
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (load.on) await record();
    });
    await pause(random() * 300);
    await anvil.kill('SIGKILL');
    await pause(random() * 500);
    await anvil.restart();
    const first = newcomers.map((name) => record(name));
    if (restarts) {
      await pause(random() * 500);
      await service.close();
      service = await start();
      ledger = ledgerClient(service.url);
      signers = await signersOf(ledger, named);
    }
    await pause(delayMs);
    expect(await deployTimestamper(anvil.url)).to.equal(contract);
    await pause(random() * 300);
    load.on = false;
    await Promise.all([...clients, ...first]);
    figures.operations += all.length;
    await settled(anvil, ledger, all, contract);

    const accounts = [await keyWallet(key).account(), ...[...signers.values()].map(({ address }) => address)];
    const { answered, transactions } = await audit(service.url, anvil.url, all, accounts);
    expect([answered, transactions]).to.deep.equal([all.length, all.length]);
    const events = (await rpc(anvil.url, 'eth_getLogs', [
      { address: contract, fromBlock: '0x0', toBlock: 'latest' },
    ])) as { readonly topics: readonly Hex[] }[];
    const assets = events.map(({ topics }) => topics[1]);
    expect([assets.length, new Set(assets).size], 'events').to.deep.equal([all.length, all.length]);
  } finally {
    await service.close();
    await anvil.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Makes accounts in the development wallet, or finds them there, and gives them by their names. */
async function signersOf(
  ledger: LedgerClient,
  names: readonly string[],
): Promise<ReadonlyMap<string, Signer>> {
  const signers = await Promise.all(names.map((name) => ledger.account(name)));
  return new Map(names.map((name, i) => [name, signers[i]!]));
}

/** Sends an operation and judges its receipt. Gives the status, 0 without an answer. */
async function sent(
  { url }: LedgerClient,
  { asked, wallet }: { readonly asked: Asked; readonly wallet: Asked['wallet'] },
  contract: Hex,
): Promise<number> {
  const headers = { ...wallet, 'idempotency-key': asked.key! };
  const answer = await request(`${url}${ENTITIES}`, 'POST', asked.body, headers).catch(() => undefined);
  if (answer?.status !== 200) return answer?.status ?? 0;
  const receipt = answer.body as unknown as Receipt;
  judge(receipt, contract);
  if (asked.transactionHash !== undefined) expect(receipt.transactionHash).to.equal(asked.transactionHash);
  asked.transactionHash = receipt.transactionHash;
  return 200;
}

/** Waits until every operation has a good receipt of the chain as it is now. Judges each receipt on the way. */
async function settled(
  anvil: Anvil,
  ledger: LedgerClient,
  all: readonly Asked[],
  contract: Hex,
): Promise<void> {
  for (const { entityId } of all) {
    let last: readonly Receipt[] = [];
    await eventually(
      async () => {
        last = await ledger.trace(entityId);
        for (const receipt of last) judge(receipt, contract);
        const [receipt] = last;
        if (receipt === undefined) return undefined;
        const number = `0x${receipt.blockNumber.toString(16)}`;
        const block = (await rpc(anvil.url, 'eth_getBlockByNumber', [number, false])) as {
          readonly hash: Hex;
        } | null;
        return block?.hash === receipt.blockHash ? true : undefined;
      },
      SOON_MS,
      () => `${entityId} is not on the chain: ${JSON.stringify(last)}`,
    );
    expect(
      last.map(({ statusOK }) => statusOK),
      entityId,
    ).to.deep.equal([true]);
  }
}

describe('a chain that is wiped, and whose contract is back later', function () {
  this.timeout(ROUNDS * 30_000 + 600_000);

  it(`after ${DELAYS_MS.join(', ')} ms: no receipt is good without its event, nothing is lost or twice`, async () => {
    const lines = await Promise.all(
      DELAYS_MS.map(async (delayMs) => {
        const random = seeded(24 + delayMs);
        const figures: Figures = { operations: 0, refused: 0, open: 0 };
        for (let n = 0; n < ROUNDS; n += 1) await round(delayMs, random, figures, n % 2 === 1);
        const { operations, refused, open } = figures;
        return `      ${delayMs} ms: ${ROUNDS} rounds, ${operations} operations, ${refused} answers 502 or 503, ${open} others without a receipt`;
      }),
    );
    console.log(lines.join('\n'));
  });
});
