import { expect } from 'chai';
import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { behavior } from '../../src/actors/behavior.js';
import type { Stored } from '../../src/store/port.js';
import { holdCommits, memoryStore, type MemoryStore } from './stage/memory-store.js';
import { idOf, nodes, tally } from './stage/nodes.js';
import { rejection } from './stage/queue.js';
import { type TallyContext, tallyKind } from './stage/tally.js';

interface Sample {
  readonly stored: Omit<Stored, 'wakeAt'> & { readonly wakeAt?: number };
  /** The context that the present version reads from it. */
  readonly now: Partial<TallyContext> & { readonly state: string };
}

const folder = new URL('../../../spec/actors/snapshots/', import.meta.url);
const corpus = readdirSync(folder).flatMap((file) =>
  (JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Sample[]).map((sample, i) => ({
    ...sample,
    title: `${file}, no. ${i + 1}`,
  })),
);

function storeWith(stored: Sample['stored']): MemoryStore {
  const store = memoryStore();
  store.documents.set(idOf('a'), { wakeAt: undefined, commitId: 'x', ...stored });
  return store;
}

describe('a snapshot', () => {
  const start = nodes();

  it('of every version is in the corpus', () => {
    expect(new Set(corpus.map(({ stored }) => stored.version))).to.deep.equal(new Set([1, 2, 3]));
  });

  for (const { title, stored, now } of corpus) {
    it(`of any version is read as one of the present version: ${title}`, async () => {
      const { state, ...context } = now;
      const view = await start({ store: storeWith(stored), kinds: [quietKind()] }).actors.read(tally('a'));
      expect(view).to.include({ revision: stored.revision, state });
      expect(view!.context).to.deep.include(context);
    });

    it(`of any version is written in full at the first commit: ${title}`, async () => {
      const store = storeWith(stored);
      const changed = start({ store, kinds: [quietKind()] });
      expect(await changed.ask('a', { type: 'add', amount: 1 })).to.equal(now.count! + 1);
      const written = store.documents.get(idOf('a'));
      expect(written).to.include({ version: 3, state: 'counting', revision: stored.revision + 1 });
      expect(await start({ store, kinds: [quietKind()] }).look('a')).to.deep.include({
        count: now.count! + 1,
        notes: now.notes!,
      });
    });
  }

  it('is written as JSON.stringify does, whatever its members are', () => {
    const kind = quietKind();
    const machine = behavior(kind);
    const { value, context } = machine.initial(tally('a'));
    const member = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(undefined, -0, NaN, Infinity, 1e21, 5e-324, [], {}, [[]], true, false, null, ''),
    );
    fc.assert(
      fc.property(member, member, (spoiled, count) => {
        const changed = { ...context, spoiled, count } as typeof context;
        const { frequent, rare } = machine.document({ value, context: changed }, undefined, undefined);
        const { reply: _, ...stored } = changed as unknown as Record<string, unknown>;
        const all = Object.entries(stored);
        const isRare = (key: string): boolean => kind.rarelyWritten?.includes(key) === true;
        expect(frequent).to.equal(JSON.stringify(Object.fromEntries(all.filter(([key]) => !isRare(key)))));
        expect(JSON.parse(rare!)).to.deep.equal(
          JSON.parse(JSON.stringify(Object.fromEntries(all.filter(([key]) => isRare(key))))),
        );
      }),
    );
  });

  it('is written in part once all of it is of the present version', async () => {
    const store = storeWith(corpus.find(({ stored }) => stored.version === 1)!.stored);
    const node = start({ store, kinds: [quietKind()] });
    await node.ask('a', { type: 'add', amount: 1 });
    await node.ask('a', { type: 'add', amount: 1 });
    expect(store.calls.flat().map(({ next }) => next?.rare)).to.deep.equal([
      '{"notes":["one","two"]}',
      undefined,
    ]);
  });

  it('stays old if the commit of the new one fails', async () => {
    const store = storeWith(corpus.find(({ stored }) => stored.version === 1)!.stored);
    const node = start({ store, kinds: [quietKind()] });
    const held = holdCommits(store);
    const lost = rejection(node.ask('a', { type: 'add', amount: 1 }));
    (await held.next()).vanish(false);
    await lost;
    const told = node.ask('a', { type: 'add', amount: 1 });
    const commit = await held.next();
    expect(commit.batch[0]!.next!.rare).to.equal('{"notes":["one","two"]}');
    commit.pass();
    expect(await told).to.equal(8);
  });

  it('of a newer version is refused and not overwritten', async () => {
    const { stored } = corpus.find((sample) => sample.stored.version === 3)!;
    const store = storeWith({ ...stored, version: 4 });
    const node = start({ store });
    for (const asked of [node.ask('a', { type: 'add', amount: 1 }), node.look('a')]) {
      expect((await rejection(asked)).message).to.equal(
        `revision ${stored.revision} of a tally, of version 4, cannot be read by version 3: a newer release wrote it`,
      );
    }
    expect(store.calls).to.deep.equal([]);
    expect(store.documents.get(idOf('a'))).to.deep.include({ ...stored, version: 4 });
  });

  const copy = ({ count, added, wakes, onWake, notes, spoiled, outbox, wakeAt, reply }: TallyContext) => ({
    count,
    added,
    wakes,
    onWake,
    notes,
    spoiled,
    outbox,
    wakeAt,
    reply,
  });
  for (const [copied, kind] of [
    ['', quietKind],
    [', also if the kind copies its contexts', () => ({ ...quietKind(), copy })],
  ] as const)
    it(`keeps the members that a newer release of the same version added, in the text where they are${copied}`, async () => {
      const { stored } = corpus.find((sample) => sample.stored.version === 3)!;
      const later = { colour: { of: ['red', null] } };
      const frequent = JSON.stringify({ ...later, ...(JSON.parse(stored.frequent) as object) });
      const rare = JSON.stringify({ ...(JSON.parse(stored.rare) as object), shape: 'round' });
      const store = storeWith({ ...stored, frequent, rare });
      const node = start({ store, kinds: [kind()] });
      const written = () => store.documents.get(idOf('a'))!;
      await node.ask('a', { type: 'add', amount: 1 });
      expect(JSON.parse(written().frequent)).to.deep.include(later);
      expect(store.calls.flat().at(-1)!.next!.rare).to.equal(undefined);
      await node.ask('a', { type: 'note', text: 'three' });
      expect(JSON.parse(written().rare))
        .to.deep.include({ shape: 'round' })
        .and.not.to.have.property('colour');
      expect(JSON.parse(written().frequent)).to.deep.include(later).and.not.to.have.property('shape');
      const other = start({ store, kinds: [kind()] });
      await other.ask('a', { type: 'add', amount: 1 });
      expect(JSON.parse(written().frequent)).to.deep.include(later);
    });

  it('of an older version loses what its migration drops', async () => {
    const { stored } = corpus.find((sample) => sample.stored.version === 1)!;
    const frequent = JSON.stringify({ old: 1, ...(JSON.parse(stored.frequent) as object) });
    const store = storeWith({ ...stored, frequent });
    await start({ store, kinds: [quietKind()] }).ask('a', { type: 'add', amount: 1 });
    expect(JSON.parse(store.documents.get(idOf('a'))!.frequent)).not.to.have.property('old');
  });

  it('of an older version is refused if the machine has no migration', async () => {
    const { migrate: _without, ...kind } = quietKind();
    const { stored } = corpus.find((sample) => sample.stored.version === 2)!;
    const node = start({ store: storeWith(stored), kinds: [kind] });
    expect((await rejection(node.look('a'))).message).to.match(/of version 2.*the machine has no migration$/);
  });

  it('writes a member with the writer of its kind, and omits what JSON omits', () => {
    const machine = behavior({
      ...quietKind(),
      writers: { added: (added: number[]) => `[${added.join('')}]` },
    });
    const { context, value } = machine.initial(tally('a'));
    const filled = { value, context: { ...context, added: [1, 2], spoiled: () => 'nothing' } };
    const { frequent } = machine.document(filled, undefined, undefined);
    expect(JSON.parse(frequent!)).to.deep.equal({
      count: 0,
      added: [12],
      wakes: 0,
      onWake: 'count',
      outbox: [],
    });
  });

  it('keeps a text that looks like internal data of XState', () => {
    const machine = behavior(quietKind());
    const text = JSON.stringify({ sessionId: 'x', send: 1, ref: 2, xstate$$type: 1 });
    const noted = machine.next(machine.initial(tally('a')), { type: 'note', now: 0, text } as never);
    const { frequent, rare, ...rest } = machine.document(noted, undefined, undefined);
    expect(
      machine.restore({ ...rest, frequent: frequent!, rare: rare!, revision: 1 }).context,
    ).to.deep.include({
      notes: [text],
    });
  });
});

/** Tallies whose effects never end. */
function quietKind() {
  return tallyKind(() => new Promise(() => {}));
}
