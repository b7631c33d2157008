import { expect } from 'chai';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { addRule, factsBody, okBody, subscribe, windowSize } from '../e2e/policy/actions.js';
import { type MongoServer, startMongo } from '../servers/mongodb.js';
import { seeded } from './stage/random.js';
import { launcher, type Launcher } from './stage/service-process.js';
import { eventually, SOON_MS } from './stage/eventually.js';

const KILLS = 15;
const SERVERS = ['web-1', 'web-2', 'web-3'];
const RULE = {
  name: 'busy',
  condition: { cpu: { value: 50, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

/** What a client knows of the facts of one server. */
interface Book {
  readonly server: string;
  /** The values of the facts by number; the first has number 1. */
  readonly values: number[];
  /** The value of a fact whose answer did not come. */
  unknown: number | undefined;
}

describe('kill -9 between a fact, its transition, and the history and trend of its server', () => {
  let services: Launcher | undefined;
  let mongo: MongoServer | undefined;
  afterEach(async () => {
    await services?.close();
    await mongo?.stop();
    services = mongo = undefined;
  });

  it('loses no transition and no value, and has none twice: embedded store', async () => {
    services = await launcher();
    await survive(services, 20_263);
  });

  it('loses no transition and no value, and has none twice: MongoDB', async function () {
    mongo = await startMongo();
    if (mongo === undefined) return this.skip();
    services = await launcher({ MONGODB_URL: mongo.database() });
    await survive(services, 20_264);
  });

  it('loses no transition and no value, and has none twice: two nodes, of which one is killed', async function () {
    mongo = await startMongo();
    if (mongo === undefined) return this.skip();
    services = await launcher({ MONGODB_URL: mongo.database() });
    const other = await apiClient((await services.start()).url);
    await survive(services, 20_265, other);
  });
});

/** `other` is a node that is not killed, which the clients call in turns with the one that is. */
async function survive(services: Launcher, seed: number, other?: ApiClient): Promise<void> {
  const random = seeded(seed);
  let service = await services.start();
  let api = await apiClient(service.url);
  await windowSize(api, 1);
  for (const server of SERVERS) {
    await subscribe(api, server, await addRule(api, server, RULE), 'http://127.0.0.1:9/x');
  }
  const books = SERVERS.map((server): Book => ({ server, values: [], unknown: undefined }));
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const run = { on: true };
    const clients = books.map((book) => flap(book, () => (random() < 0.5 && other ? other : api), run));
    const goal = factsIn(books) + 1 + Math.floor(random() * 5 * SERVERS.length);
    await eventually(
      () => factsIn(books) >= goal || undefined,
      SOON_MS,
      () => 'no fact is answered',
    );
    run.on = false;
    await service.kill('SIGKILL');
    await Promise.all(clients);
    service = await services.start();
    api = await apiClient(service.url);
    for (const book of books) {
      await send(book, api, 90);
      for (const node of other === undefined ? [api] : [api, other]) {
        await expectHistory(book, node);
        await expectTrend(book, node);
      }
    }
  }
  expect(factsIn(books)).to.be.above(KILLS * SERVERS.length);
}

function factsIn(books: readonly Book[]): number {
  return books.reduce((sum, { values }) => sum + values.length, 0);
}

/** Sends facts that change the state of the subscription, until one is not answered or the run ends. */
async function flap(book: Book, api: () => ApiClient, run: { readonly on: boolean }): Promise<void> {
  while (run.on) {
    const value = book.values.at(-1) === 90 ? 10 : 90;
    book.unknown = value;
    try {
      await send(book, api(), value);
    } catch {
      return;
    }
  }
}

/** Sends a fact. Its number says whether the one before it, whose answer did not come, was taken. */
async function send(book: Book, api: ApiClient, value: number): Promise<void> {
  const { values } = book;
  const before = book.unknown;
  const answer = await api.call('POST', `/demo/servers/${book.server}`, factsBody({ cpuLoadPct: value }));
  const number = okBody(answer)['id'] as unknown as number;
  book.unknown = undefined;
  if (number === values.length + 2 && before !== undefined) values.push(before);
  expect(number).to.equal(values.length + 1);
  values.push(value);
}

/** Each node has each value of the facts that any node has answered in one bucket, once. */
async function expectTrend(book: Book, api: ApiClient): Promise<void> {
  const path = `/v1.0/demo/servers/${book.server}/trend?metric=cpu`;
  const { buckets } = okBody(await api.call('GET', path)) as unknown as {
    readonly buckets: readonly { readonly count: number; readonly mean: number }[];
  };
  const sums = buckets.map(({ count, mean }) => ({ count, sum: count * mean }));
  expect(sums.reduce((all, { count }) => all + count, 0)).to.equal(book.values.length);
  const sum = book.values.reduce((all, value) => all + value, 0);
  expect(sums.reduce((all, one) => all + one.sum, 0)).to.be.closeTo(sum, 1);
}

/** Each node has the transitions of the facts that any node has answered. */
async function expectHistory(book: Book, api: ApiClient): Promise<void> {
  const expected = transitionsOf(book.values).toReversed().slice(0, 200);
  const path = `/v1.0/demo/servers/${book.server}/history?limit=200`;
  const { history } = okBody(await api.call('GET', path)) as unknown as { history: Transition[] };
  expect(history.map(({ from, to, factId }) => ({ from, to, factId }))).to.deep.equal(expected);
}

interface Transition {
  readonly from: string;
  readonly to: string;
  readonly factId: number | null;
}

function transitionsOf(values: readonly number[]): Transition[] {
  let from = 'filling';
  return values.flatMap((value, i) => {
    const to = value > 50 ? 'firing' : 'calm';
    if (to === from) return [];
    const transition = { from, to, factId: i + 1 };
    from = to;
    return [transition];
  });
}
