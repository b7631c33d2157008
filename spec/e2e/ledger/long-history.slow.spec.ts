import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import { launcher, type Launcher } from '../../faults/stage/service-process.js';
import { type Anvil, startAnvil } from '../../servers/chain.js';
import { type Figures, figuresOf } from './process-figures.js';
import {
  building,
  ledgerClient,
  type LedgerClient,
  type Receipt,
  receiptIn,
  settingsFor,
  UPSERT,
} from './scene.js';

const RECEIPTS = 100_000;
/** Of them in a batch. */
const TOGETHER = 2_000;
/** Readers at once: all of them together ask for far more than the service may hold. */
const READERS = 16;
/** So that what is garbage does not count: MiB of heap that the service may have before it must collect it. */
const HEAP = 96;
/** Bytes that each client reads before it stops. */
const BEGINNING = 200_000;
const ID = 'urn:ngsi-ld:Building:old';

/** An answer whose reader stops after its beginning. */
async function stalled(url: string): Promise<{
  readonly received: () => number;
  readonly whole: () => Promise<string>;
  readonly leave: () => void;
}> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  let size = 0;
  const begun = new Promise<void>((resolve) => {
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < BEGINNING) return;
      response.pause();
      resolve();
    });
  });
  await begun;
  return {
    received: () => size,
    leave: () => response.destroy(),
    async whole() {
      response.removeAllListeners('data').on('data', (chunk: Buffer) => chunks.push(chunk));
      const ended = once(response, 'end');
      response.resume();
      await ended;
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}

describe('an entity with 100,000 receipts', () => {
  let anvil: Anvil;
  let services: Launcher;
  let ledger: LedgerClient;
  let built: Figures;
  const entities: unknown[] = [];
  before(async () => {
    anvil = await startAnvil();
    const settings = settingsFor(anvil.url, await deployTimestamper(anvil.url));
    services = await launcher({ ...settings, NODE_OPTIONS: `--max-old-space-size=${HEAP}` });
    ledger = ledgerClient((await services.start()).url);
    // An id that comes twice in a batch is two entries, each of which is a receipt of its own.
    for (let first = 0; first < RECEIPTS; first += TOGETHER) {
      const batch = Array.from({ length: TOGETHER }, (_, n) => building(ID, `Barn ${first + n}`));
      const { additionalInformation } = receiptIn(
        await ledger.ask(`POST ${UPSERT}`, JSON.stringify(batch), { 'content-type': 'application/json' }),
      );
      entities.push(...additionalInformation.entities!);
    }
    built = await figuresOf(ledger.url);
  });
  after(async () => {
    await services?.close();
    await anvil?.stop();
  });

  const entriesIn = (text: string): unknown[] => {
    const { txDetails } = JSON.parse(text) as { txDetails: Receipt[] };
    return txDetails.map(({ additionalInformation }) => additionalInformation.entities![0]);
  };

  it('is answered whole and in order, and in parts', async () => {
    const { text } = await ledger.ask(`GET /entity/${ID}`);
    expect(entriesIn(text)).to.deep.equal(entities);
    for (const [offset, limit] of [
      [0, 1],
      [49, 2],
      [1_234, 500],
      [99_990, 50],
    ] as const) {
      const part = await ledger.ask(`GET /entity/${ID}?offset=${offset}&limit=${limit}`);
      expect(entriesIn(part.text)).to.deep.equal(entities.slice(offset, offset + limit));
    }
    expect(entriesIn((await ledger.ask(`GET /entity/${ID}?offset=${RECEIPTS}`)).text)).to.deep.equal([]);
  });

  it('is not held in memory by L7 and L6, however many read slowly', async () => {
    const paths = Array.from({ length: READERS }, (_, n) => (n % 2 === 0 ? `/entity/${ID}` : '/entity'));
    const { text } = await ledger.ask(`GET /entity/${ID}`);
    const readers = await Promise.all(paths.map((path) => stalled(ledger.url + path)));
    const meanwhile = await figuresOf(ledger.url);
    const asked = READERS * text.length;
    const grown = meanwhile.held - built.held;
    const mb = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
    console.log(`      ${READERS} answers of ${mb(text.length)}; the process has grown by ${mb(grown)}`);
    expect(asked).to.be.greaterThan(2 * HEAP * 1024 ** 2);
    // Nothing like one of the answers.
    expect(grown).to.be.lessThan(text.length / 4);
    for (const reader of readers) expect(reader.received()).to.be.lessThan(text.length / 2);
    expect(await readers[0]!.whole()).to.equal(text);
    for (const reader of readers) reader.leave();
  });
});
