import { expect } from 'chai';
import type { CommandStartedEvent } from 'mongodb';
import { openMongo } from '../../src/store/mongo/mongo.js';
import type { Store } from '../../src/store/port.js';
import { dropDatabase } from '../servers/drop-database.js';
import { mongoOfSuite } from '../servers/mongodb.js';
import { type Node, nodes } from './stage/nodes.js';

const NAMES = Array.from({ length: 40 }, (_, i) => `n${i}`);
const ROUNDS = 25;

/** The fields of commands that write or read actors by id. */
interface ActorCommand {
  readonly updates?: readonly unknown[];
  readonly filter?: { readonly _id?: { readonly $in?: readonly string[] } };
}

describe('two nodes on one database', () => {
  const start = nodes();
  let url: string;
  let stores: readonly Store[];
  let pair: readonly [Node, Node];
  /** Calls of the server by both nodes that read or write actors, and the documents in them. */
  const used = { calls: 0, documents: 0 };

  const onCommand = ({ command }: CommandStartedEvent): void => {
    const { updates, filter } = command as ActorCommand;
    const { _id: id } = filter ?? {};
    const documents = updates?.length ?? id?.$in?.length ?? 0;
    used.documents += documents;
    if (documents > 0) used.calls += 1;
  };

  const server = mongoOfSuite();

  beforeEach(async () => {
    url = server.database();
    stores = [await openMongo({ url, onCommand }), await openMongo({ url, onCommand })];
    pair = [start({ store: stores[0]! }), start({ store: stores[1]! })];
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await dropDatabase(url);
  });

  /** Sends an event to each actor in each round; `nodeOf` chooses the node. Resolves with the cost of an event. */
  async function costOf(nodeOf: (round: number, index: number) => number): Promise<typeof used> {
    Object.assign(used, { calls: 0, documents: 0 });
    for (let round = 0; round < ROUNDS; round += 1)
      await Promise.all(
        NAMES.map((name, index) => pair[nodeOf(round, index)]!.ask(name, { type: 'add', amount: 1 })),
      );
    const { calls, documents } = used;
    return { calls: calls / ROUNDS, documents: documents / (ROUNDS * NAMES.length) };
  }

  it('write a document for an event, in a call that many share, where each actor has its node', async () => {
    const { calls, documents } = await costOf((_, index) => index % 2);
    expect(documents).to.be.within(1, 1.1);
    // Each node has a call for its commits.
    expect(calls).to.be.below(2 * 1.2);
  });

  it('read a document before, in a call that many share, where the other node always wrote last', async () => {
    const { calls, documents } = await costOf((round) => round % 2);
    expect(documents).to.be.within(2, 2.2);
    expect(calls).to.be.below(2.4);
  });

  it('read or lose no more where each event finds any node', async () => {
    const { documents } = await costOf(() => Math.floor(Math.random() * 2));
    expect(documents).to.be.below(2.2);
  });

  it('refuse and lose no event of 32 clients that change two actors at both', async () => {
    const client = async (index: number): Promise<void> => {
      for (let sent = 0; sent < 20; sent += 1)
        await pair[Math.floor(Math.random() * 2)]!.ask(NAMES[index % 2]!, { type: 'add', amount: 1 });
    };
    await Promise.all(Array.from({ length: 32 }, (_, index) => client(index)));
    const counts = await Promise.all(
      NAMES.slice(0, 2).map(async (name) => (await start({ store: stores[0]! }).look(name))?.count),
    );
    expect(counts).to.deep.equal([320, 320]);
  });
});
