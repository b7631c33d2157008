import { expect } from 'chai';
import type { Store } from '../../src/store/port.js';
import { change, commitAll, commitOne, create, creation, loadExisting, removal } from './documents.js';
import type { Home, MakeHome } from './home.js';

/** The behaviour of every store towards documents: creation, change and deletion by compare-and-set. */
export function storeFeatures(makeHome: MakeHome): void {
  let home: Home;
  let store: Store;
  const id = 'server/tenant/one';

  beforeEach(async () => {
    home = await makeHome();
    store = await home.open();
  });
  afterEach(() => home.remove());

  it('answers a ping', async () => {
    expect(await store.ping()).to.equal(undefined);
  });

  it('keeps a time, the last one given, beside the documents', async () => {
    expect(await store.keptTime()).to.equal(undefined);
    for (const at of [1_900_000_000_000, 5]) {
      await store.keepTime(at);
      expect(await store.keptTime()).to.equal(at);
    }
    await store.close();
    store = await home.open();
    expect(await store.keptTime()).to.equal(5);
  });

  it('has no document that was never created', async () => {
    expect(await store.load(id)).to.equal(undefined);
  });

  it('returns a document as it was created', async () => {
    const next = {
      version: 3,
      state: 'filling',
      wakeAt: 1_900_000_000_000,
      queue: 'a queue',
      frequent: '{"a":1}',
      rare: '{"b":"ü😀"}',
    };
    expect(await commitOne(store, creation(id, next))).to.equal('won');
    expect(await store.load(id)).to.deep.equal({ revision: 1, ...next });
  });

  it('creates a document once', async () => {
    await create(store, id, { frequent: 'first' });
    expect(await commitOne(store, creation(id, { frequent: 'second' }))).to.equal('lost');
    expect((await loadExisting(store, id)).frequent).to.equal('first');
  });

  it('changes a document of the expected revision, and counts revisions', async () => {
    const first = await create(store, id, { wakeAt: 5 });
    const next = {
      version: 2,
      state: 'firing',
      wakeAt: undefined,
      queue: undefined,
      frequent: 'H',
      rare: 'C',
    };
    expect(await commitOne(store, change(id, first, next))).to.equal('won');
    expect(await store.load(id)).to.deep.equal({ revision: 2, ...next });
  });

  for (const [what, fields] of [
    ['frequently written text', { frequent: 'late' }],
    ['state', { state: 'late' }],
    ['rarely written text', { rare: 'late' }],
    ['time to wake', { wakeAt: 9 }],
  ] as const) {
    it(`changes nothing for a ${what} that comes with an old revision`, async () => {
      const first = await create(store, id);
      await commitOne(store, change(id, first, { frequent: 'new' }));
      expect(await commitOne(store, change(id, first, fields))).to.equal('lost');
      expect(await store.load(id)).to.deep.equal({ ...first, revision: 2, frequent: 'new' });
      expect(await store.due(9, 10)).to.deep.equal([]);
      expect((await store.list({ kind: 'server', state: 'late', limit: 10 })).items).to.deep.equal([]);
    });
  }

  it('changes nothing for a future revision, or for a missing document', async () => {
    const first = await create(store, id);
    const ahead = { ...first, revision: 2 };
    expect(await commitOne(store, change(id, ahead))).to.equal('lost');
    expect(await commitOne(store, change('server/tenant/none', first, { state: 'odd' }))).to.equal('lost');
    expect(await store.load('server/tenant/none')).to.equal(undefined);
    expect((await store.list({ kind: 'server', limit: 10 })).items).to.deep.equal([{ ...first, id }]);
  });

  it('deletes a document of the expected revision only, rarely written text and all', async () => {
    const first = await create(store, id, { rare: 'old' });
    await commitOne(store, change(id, first));
    expect(await commitOne(store, removal(id, first))).to.equal('lost');
    expect(await commitOne(store, removal(id, await loadExisting(store, id)))).to.equal('won');
    expect(await store.load(id)).to.equal(undefined);
    expect(await commitOne(store, removal(id, first))).to.equal('lost');
    expect(await create(store, id, { rare: 'new' })).to.include({ revision: 1, rare: 'new' });
  });

  it('accepts the deletion of a document that never existed, and refuses it if the document exists', async () => {
    const nothing = { ...creation(id), next: undefined };
    expect(await commitOne(store, nothing)).to.equal('won');
    expect(await store.load(id)).to.equal(undefined);
    await create(store, id);
    expect(await commitOne(store, nothing)).to.equal('lost');
  });

  it('judges each item of a batch by itself, in their order', async () => {
    const [a, b, c, d, e, f] = ['k/t/a', 'k/t/b', 'k/t/c', 'k/t/d', 'k/t/e', 'k/t/f'] as const;
    const made = await create(store, a);
    for (const other of [b, c, e, f]) await create(store, other);
    await commitOne(store, change(e, made));
    await commitOne(store, change(b, made, { frequent: 'ahead' }));
    const outcomes = await commitAll(store, [
      change(b, made, { frequent: 'late' }),
      change(a, made, { frequent: 'new' }),
      creation(c),
      creation(d),
      removal(e, made),
      change('k/t/none', made),
      removal(f, made),
      creation('k/t/g', { state: 'other', wakeAt: 1 }),
    ]);
    expect(outcomes).to.deep.equal(['lost', 'won', 'lost', 'won', 'lost', 'lost', 'won', 'won']);
    const left = (await store.list({ kind: 'k', limit: 10 })).items.map(({ id, revision, frequent }) => [
      id,
      revision,
      frequent,
    ]);
    expect(left).to.deep.equal([
      [a, 2, 'new'],
      [b, 2, 'ahead'],
      [c, 1, '{}'],
      [d, 1, '{}'],
      [e, 2, '{}'],
      ['k/t/g', 1, '{}'],
    ]);
  });

  it('gives each of many readers its own document, also if they read at once', async () => {
    const names = Array.from({ length: 600 }, (_, i) => `k/t/${i}`);
    await store.commit(names.map((name) => creation(name, { frequent: JSON.stringify(name) })));
    const asked = [...names, 'k/t/none', 'k/t/7', 'k/t'];
    const read = await Promise.all(asked.map((name) => store.load(name)));
    expect(read.map((stored) => stored?.frequent)).to.deep.equal(
      asked.map((name) => (names.includes(name) ? JSON.stringify(name) : undefined)),
    );
  });

  it('has every read see what was committed before it began', async () => {
    const first = await create(store, id);
    const reads: Promise<number | undefined>[] = [];
    for (let revision = 1; revision <= 20; revision += 1) {
      await commitOne(store, change(id, { ...first, revision }));
      reads.push(store.load(id).then((found) => found?.revision));
    }
    const found = await Promise.all(reads);
    for (const [i, revision] of found.entries()) expect(revision).to.be.at.least(i + 2);
  });

  it('takes an empty batch', async () => {
    expect(await store.commit([])).to.deep.equal([]);
  });

  it('reports to each writer of one document exactly the commits that won', async () => {
    const other = store.shared ? await home.open() : store;
    await create(store, id, { frequent: '0' });
    const write = async (through: Store): Promise<number> => {
      let wins = 0;
      for (let i = 0; i < 25; i += 1) {
        const stored = await loadExisting(through, id);
        const next = change(id, stored, { frequent: String(Number(stored.frequent) + 1) });
        if ((await commitOne(through, next)) === 'won') wins += 1;
      }
      return wins;
    };
    const wins = await Promise.all([store, other, store, other, store, other].map(write));
    const total = wins.reduce((sum, won) => sum + won, 0);
    expect(total).to.be.within(25, 150);
    expect(await store.load(id)).to.include({ revision: total + 1, frequent: String(total) });
  });

  it('keeps a megabyte', async () => {
    const [frequent, rare] = ['h'.repeat(1_000_000), 'ü'.repeat(500_000)];
    const stored = await create(store, id, { frequent, rare });
    expect([stored.frequent === frequent, stored.rare === rare]).to.deep.equal([true, true]);
    const items = Array.from({ length: 8 }, (_, i) => creation(`server/big/${i}`, { frequent, rare }));
    expect(await commitAll(store, items)).to.deep.equal(items.map(() => 'won'));
    for (const { id: big } of items) {
      const found = await loadExisting(store, big);
      expect(found.frequent === frequent && found.rare === rare, big).to.equal(true);
    }
  });

  it('finds everything again after it was closed', async () => {
    const stored = await create(store, id, { wakeAt: 7, rare: 'C' });
    await store.close();
    const again = await home.open();
    expect(await again.load(id)).to.deep.equal(stored);
    expect(await again.due(7, 10)).to.deep.equal([id]);
    expect(await commitOne(again, change(id, stored))).to.equal('won');
  });

  it('is unavailable once it is closed', async () => {
    await store.close();
    for (const use of [
      () => store.load(id),
      () => store.ping(),
      () => store.commit([creation(id)]),
      () => store.list({ kind: 'k', limit: 1 }),
      () => store.outline({ kind: 'k', limit: 1 }),
      () => store.due(1, 1),
    ]) {
      const outcome = await use().then(
        () => 'an answer',
        (error: unknown) => (error as Error).name,
      );
      expect(outcome).to.equal('StoreUnavailable');
    }
  });

  for (const [what, commit] of [
    ['an id of 1,001 bytes', creation(`k/t/${'ü'.repeat(498)}x`)],
    ['an id with a NUL', creation('k/t/a\0b')],
    ['an id with half of a surrogate pair', creation('k/t/\ud800')],
    ['a state of 257 bytes', creation('k/t/a', { state: 's'.repeat(257) })],
    ['a new document without a rarely written text', creation('k/t/a', { rare: undefined })],
    ['a new document without a frequently written text', creation('k/t/a', { frequent: undefined })],
    ['a time to wake that is not a whole number', creation('k/t/a', { wakeAt: 1.5 })],
    ['a time to wake before the epoch', creation('k/t/a', { wakeAt: -1 })],
  ] as const) {
    it(`refuses ${what}, and nothing else of its batch`, async () => {
      const outcomes = await commitAll(store, [creation('k/t/good'), commit, creation('k/t/well')]);
      expect(outcomes.map(nameOf)).to.deep.equal(['won', 'Unstorable', 'won']);
      const { items } = await store.list({ kind: 'k', limit: 10 });
      expect(items.map(({ id }) => id)).to.deep.equal(['k/t/good', 'k/t/well']);
    });
  }

  it('counts bytes: 20 commits in one call with an oversized document all win', async () => {
    // Its characters are a third of the limit.
    const giant = creation('k/t/giant', { rare: '規'.repeat(5_900_000) });
    const neighbours = Array.from({ length: 20 }, (_, i) => creation(`k/t/n${i}`));
    const batch = [...neighbours.slice(0, 10), giant, ...neighbours.slice(10)];
    const outcomes = await commitAll(store, batch).catch((error: unknown) => batch.map(() => error as Error));
    const fallen = outcomes.filter((outcome) => outcome !== 'won').length - 1;
    console.log(`      ${fallen} of 20 neighbours fell`);
    expect(fallen).to.equal(0);
    expect(nameOf(outcomes[10]!)).to.equal('Unstorable');
    expect((outcomes[10] as Error).message).to.include('17700002 bytes');
    expect((await store.outline({ kind: 'k', limit: 100 })).items).to.have.length(20);
  });
}

function nameOf(outcome: 'won' | 'lost' | Error): string {
  return outcome instanceof Error ? outcome.name : outcome;
}
