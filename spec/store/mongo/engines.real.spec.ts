import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { StartError } from '../../../src/errors.js';
import { openMongo } from '../../../src/store/mongo/mongo.js';
import { type Store, Unstorable } from '../../../src/store/port.js';
import { rejectionOf } from '../../rejection.js';
import { dropDatabase } from '../../servers/drop-database.js';
import { type Changes, type MongoRelay, startMongoRelay } from '../../servers/mongo-relay.js';
import { type MongoServer, startMongo } from '../../servers/mongodb.js';
import { change, commitAll, create, creation } from '../documents.js';

type Message = Record<string, unknown>;

/** Codes of a document that is too large: MongoDB's, those inside DocumentDB, and that of Azure Cosmos DB. */
const TOO_LARGE = [10_334, 17_419, 17_420, 285_999_133, 302_776_349, 302_252_061, 16];

/** Answers like those of other engines, and the ability that the start reports as missing. */
const ENGINES: readonly { readonly title: string; readonly says: RegExp; readonly changes: Changes }[] = [
  {
    title: 'reads of the majority',
    says: /lacks .*: reads of what a majority has \(read concern "majority"\): not supported\. Use/,
    changes: { answer: refusing('find', 148) },
  },
  {
    title: 'writes of the majority',
    says: /lacks .*: writes that a majority confirms with its journal .*: not supported\. Use/,
    changes: {
      answer: (answer, { insert, update }) =>
        insert === undefined && update === undefined
          ? answer
          : { ...answer, writeConcernError: { code: 100, errmsg: 'not supported' } },
    },
  },
  {
    title: 'partial indexes',
    says: /lacks .*: partial indexes .*: not supported\. Use/,
    changes: { answer: refusing('createIndexes', 238) },
  },
  {
    title: 'compare-and-set',
    says: /lacks .*: compare-and-set .*\. Use/,
    changes: {
      command: (command) => eachUpdate(command, ({ q, ...rest }) => ({ q: without(q, 'rev'), ...rest })),
    },
  },
  {
    title: '$unset',
    says: /lacks .*: \$unset in an update\. Use/,
    changes: {
      command: (command) => eachUpdate(command, ({ u, ...rest }) => ({ u: without(u, '$unset'), ...rest })),
    },
  },
  {
    title: 'bulk writes that go on after a failure',
    says: /lacks .*: unordered bulk writes .*\. Use/,
    changes: { command: (command) => ('ordered' in command ? { ...command, ordered: true } : command) },
  },
  {
    title: 'the code of an id that exists',
    says: /lacks .*: unordered bulk writes .* \(with the codes 11000 and 28\): .*\. Use/,
    changes: { answer: recoded([11_000], 1) },
  },
  {
    title: 'groups',
    says: /lacks .*: sorted listings, groups and counts .*: not supported\. Use/,
    changes: { answer: refusing('aggregate', 238) },
  },
  {
    title: 'counters',
    says: /lacks .*: counters .*\. Use/,
    changes: {
      answer: (answer, { findAndModify }) =>
        findAndModify === undefined ? answer : { ...answer, value: null },
    },
  },
  {
    title: 'counts of deletions',
    says: /lacks .*: deletions that tell whether they found a document\. Use/,
    changes: {
      answer: (answer, command) => (command['delete'] === undefined ? answer : { ...answer, n: 1 }),
    },
  },
];

describe('the store on an engine that speaks MongoDB’s protocol', () => {
  let server: MongoServer;
  let url: string;
  let relay: MongoRelay;

  before(async function () {
    const found = await startMongo();
    if (found?.kill === undefined) {
      console.log('Skipping specs: a relay needs a server on this machine');
      this.skip();
    }
    server = found;
  });
  after(() => server?.stop());
  beforeEach(() => {
    url = server.database();
  });
  afterEach(async () => {
    await relay.close();
    await dropDatabase(url);
  });

  const openBehind = async (changes: Changes): Promise<Store> => {
    relay = await startMongoRelay(url, changes);
    return openMongo({ url: relay.through(url) });
  };
  const stored = async (): Promise<readonly string[]> => {
    const client = await MongoClient.connect(url);
    const found = await client.db().collection<{ _id: string }>('actors').find().sort({ _id: 1 }).toArray();
    await client.close();
    return found.map(({ _id: id }) => id);
  };

  for (const code of TOO_LARGE) {
    it(`refuses alone a commit whose document is too large, with the code ${code}`, async () => {
      let changes: Changes = {};
      const store = await openBehind({ answer: (...given) => changes.answer?.(...given) ?? given[0] });
      const first = await create(store, 'k/t/a');
      await create(store, 'k/t/b');
      changes = { answer: recoded([11_000], code, 'Size 17000000 is larger than MaxDocumentSize 16777216') };
      const results = await commitAll(store, [
        change('k/t/a', first, { frequent: 'H' }),
        creation('k/t/b'),
        creation('k/t/c'),
      ]);
      await store.close();
      expect(results.map(nameOf)).to.deep.equal(['won', 'Unstorable', 'won']);
      expect(results[1]).to.include({
        tooLarge: true,
        message: 'MongoDB refuses a document: Size 17000000 is larger than MaxDocumentSize 16777216',
      });
      expect(await stored()).to.include.members(['k/t/a', 'k/t/b', 'k/t/c']);
    });
  }

  it('refuses alone a commit for which the engine refuses the whole call', async () => {
    const isLarge = ({ documents }: Message): boolean => JSON.stringify(documents ?? []).includes('huge');
    const store = await openBehind({
      answer: (answer, command) =>
        isLarge(command) ? { ok: 0, code: 16, errmsg: 'Request size is too large' } : answer,
      command: (command) => (isLarge(command) ? { ...command, insert: 'nowhere' } : command),
    });
    const names = ['k/t/a', 'k/t/b', 'k/t/c', 'k/t/d', 'k/t/e'];
    const results = await commitAll(
      store,
      names.map((id) => creation(id, { frequent: id === 'k/t/d' ? 'huge' : 'small' })),
    );
    await store.close();
    expect(results.map(nameOf)).to.deep.equal(['won', 'won', 'won', 'Unstorable', 'won']);
    expect(results[3]).to.include({ tooLarge: true });
  });

  it('takes the codes inside DocumentDB for an id that exists and for a missing revision', async () => {
    const store = await openBehind({
      answer: (answer, command) =>
        recoded([28], 285_212_701)(recoded([11_000], 319_029_277)(answer, command), command),
    });
    const first = await create(store, 'k/t/a');
    const late = change('k/t/a', { ...first, revision: 7 });
    expect(await commitAll(store, [creation('k/t/a'), late, creation('k/t/b')])).to.deep.equal([
      'lost',
      'lost',
      'won',
    ]);
    await store.close();
  });

  for (const { title, says, changes } of ENGINES) {
    it(`does not start without ${title}, says so, and leaves no document`, async () => {
      const error = await rejectionOf(openBehind(changes));
      expect(error).to.be.instanceOf(StartError);
      expect(error.message)
        .to.match(says)
        .and.to.match(/\. Use MongoDB 6 or newer as a replica set, or another engine of docs\/scaling\.md/);
      // The format and the counter of revisions are no actors.
      expect((await stored()).filter((id) => !id.startsWith('/'))).to.deep.equal([]);
    });
  }

  it('starts with all of them, and leaves no document and no kind', async () => {
    const store = await openBehind({});
    expect(await store.kinds()).to.deep.equal([]);
    await store.close();
    expect(await stored()).to.deep.equal(['/numbers/format', '/numbers/revisions']);
  });
});

function nameOf(result: 'won' | 'lost' | Error): string {
  return result instanceof Unstorable ? result.name : String(result);
}

/** Refuses a command. */
function refusing(name: string, code: number): NonNullable<Changes['answer']> {
  return (answer, command) => (name in command ? { ok: 0, code, errmsg: 'not supported' } : answer);
}

/** Replaces codes of failed writes. */
function recoded(codes: readonly number[], to: number, errmsg?: string): NonNullable<Changes['answer']> {
  return (answer) => {
    const writeErrors = answer['writeErrors'] as readonly Message[] | undefined;
    if (writeErrors === undefined) return answer;
    const changed = writeErrors.map((one) =>
      codes.includes(Number(one['code']))
        ? { ...one, code: to, ...(errmsg !== undefined && { errmsg }) }
        : one,
    );
    return { ...answer, writeErrors: changed };
  };
}

function updatesOf(command: Message): readonly Message[] {
  return (command['updates'] ?? []) as readonly Message[];
}

function eachUpdate(command: Message, to: (update: Message) => Message): Message {
  return 'update' in command ? { ...command, updates: updatesOf(command).map(to) } : command;
}

function without(document: unknown, name: string): Message {
  const { [name]: _, ...rest } = document as Message;
  return rest;
}
