import { expect } from 'chai';
import { DEFAULT_LIMITS } from '../../src/actors/overload.js';
import { DOCUMENT_BYTES } from '../../src/store/check-commit.js';
import { type Commit, Unstorable } from '../../src/store/port.js';
import { memoryStore } from './stage/memory-store.js';
import { idOf, nodes } from './stage/nodes.js';
import { rejection } from './stage/queue.js';
import { tallyKind } from './stage/tally.js';

describe('the limits of a document', () => {
  const start = nodes();
  const LIMITS = { document: 1_000, whole: 2_000 };
  const parcel = (letter: string) => ({ type: 'post', parcel: letter.repeat(700) }) as const;

  it('let outgoing data exceed the limit of kept data, up to the limit of the document', async () => {
    const store = memoryStore();
    const node = start({ store, limits: LIMITS, carry: () => new Promise(() => {}) });
    await node.ask('a', { type: 'note', text: 'n'.repeat(300) });
    await node.ask('a', parcel('a'));
    await node.ask('a', parcel('b'));
    const refused = await rejection(node.ask('a', parcel('c')));
    expect(refused).to.include({ code: 'unavailable', retryAfterS: 1 });
    expect(refused.message).to.include(idOf('a')).and.to.include('nothing was done');
    expect((await node.look('a'))!.outbox).to.have.length(2);
  });

  it('refuse an addition to kept data beside too much other data, and never a removal', async () => {
    const store = memoryStore();
    const node = start({ store, limits: LIMITS, carry: () => new Promise(() => {}) });
    for (const text of ['first', 'second']) await node.ask('a', { type: 'note', text });
    await node.ask('a', parcel('a'));
    await node.ask('a', parcel('b'));
    const refused = await rejection(node.ask('a', { type: 'note', text: 'third' }));
    expect(refused).to.include({ code: 'conflict' });
    expect(refused.message).to.match(/tear notes first$/);
    await node.ask('a', { type: 'tear', left: 1 });
    expect((await node.look('a'))!.notes).to.deep.equal(['first']);
  });

  it('of the store are refused as those of the service are, alone among the events of one commit', async () => {
    const store = memoryStore();
    const isTooLarge = ({ next }: Commit): boolean => next?.rare?.includes('too much') === true;
    store.between.commit = async (batch, apply) =>
      batch.some(isTooLarge)
        ? [new Unstorable('MongoDB refuses a document: Size 17000000 is larger', { tooLarge: true })]
        : apply();
    const node = start({ store });
    const [small, large, last] = await Promise.allSettled([
      node.ask('a', { type: 'note', text: 'small' }),
      node.ask('a', { type: 'note', text: 'too much' }),
      node.ask('a', { type: 'note', text: 'last' }),
    ]);
    expect([small.status, large.status, last.status]).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect((large as PromiseRejectedResult).reason).to.include({
      name: 'Refusal',
      code: 'conflict',
      message: `${idOf('a')} would be too large for the database; tear notes first`,
    });
    const { whenTooLarge: _, ...plain } = tallyKind(() => new Promise(() => {}));
    const other = start({ store, kinds: [plain] });
    const refused = await rejection(other.ask('b', { type: 'note', text: 'too much' }));
    expect(refused).to.include({ code: 'too-large' });
    expect((await node.look('a'))!.notes).to.deep.equal(['small', 'last']);
    expect(node.faults.size).to.equal(0);
  });

  it('count stored texts that were not written again, after a restart too', async () => {
    const store = memoryStore();
    const carry = () => new Promise<never>(() => {});
    await start({ store, carry }).ask('a', { type: 'note', text: 'n'.repeat(1_400) });
    const refused = await rejection(start({ store, limits: LIMITS, carry }).ask('a', parcel('a')));
    expect(refused).to.include({ code: 'too-large' });
  });
});

describe('the limits of a document in characters of three bytes', () => {
  const start = nodes();
  const LIMITS = { document: 1_000, whole: 2_000 };
  const carry = () => new Promise<never>(() => {});

  it('count bytes: of an addition alone, beside kept data, and of outgoing data', async () => {
    const store = memoryStore();
    const node = start({ store, limits: LIMITS, carry });
    const note = (length: number) => node.ask('a', { type: 'note', text: '規'.repeat(length) });
    const post = (letter: string) => node.ask('a', { type: 'post', parcel: letter.repeat(250) });
    expect(await rejection(note(350))).to.include({ code: 'too-large' });
    await note(200);
    expect(await rejection(note(200))).to.include({ code: 'conflict' });
    await post('規');
    expect(await rejection(post('則'))).to.include({ code: 'unavailable' });
    const alone = await rejection(node.ask('a', { type: 'post', parcel: '規'.repeat(500) }));
    expect(alone, 'no time makes room for it').to.include({ code: 'too-large' });
    for (const call of store.calls.flat()) {
      expect(Buffer.byteLength(`${call.next!.frequent}${call.next!.rare ?? ''}`)).to.be.below(2_000);
    }
    expect(store.calls).to.have.length(2);
  });

  it('are below the limit of a store', () => {
    expect(DEFAULT_LIMITS.document).to.be.below(DEFAULT_LIMITS.whole);
    expect(DEFAULT_LIMITS.whole).to.be.below(DOCUMENT_BYTES);
  });

  it('admit as many characters of one byte as there are bytes', async () => {
    const node = start({ store: memoryStore(), limits: LIMITS, carry });
    await node.ask('a', { type: 'note', text: 'n'.repeat(800) });
    expect((await node.look('a'))!.notes).to.have.length(1);
  });
});

describe('the memory of idle actors', () => {
  const start = nodes();
  const text = 'x'.repeat(1_000);
  const names = Array.from({ length: 200 }, (_, i) => `n${i}`);

  it('is bounded by the length of their documents, loaded or written', async () => {
    const store = memoryStore();
    const limits = { characters: 50_000 };
    const writer = start({ store, limits });
    for (const name of names) await writer.ask(name, { type: 'note', text });
    expect(writer.actors.stats().resident).to.be.within(10, 60);
    const reader = start({ store, limits });
    for (const name of names) await reader.look(name);
    expect(reader.actors.stats().resident).to.be.within(10, 60);
    for (const name of names) expect((await reader.look(name))!.notes).to.deep.equal([text]);
    expect(reader.actors.stats().resident).to.be.within(10, 60);
  });

  it('shrinks if actors grow, without a new actor, and if actors are deleted', async () => {
    const store = memoryStore();
    const node = start({ store, limits: { characters: 50_000 } });
    const some = names.slice(0, 40);
    for (const name of some) await node.ask(name, { type: 'note', text: 'x' });
    expect(node.actors.stats().resident).to.equal(40);
    const grow = async (): Promise<void> => {
      for (let i = 0; i < 60; i += 1) await node.ask('n0', { type: 'note', text });
    };
    await grow();
    const { resident } = node.actors.stats();
    expect(resident).to.be.within(1, 39);
    await node.ask('n0', { type: 'remove' });
    for (const name of some) await node.look(name);
    expect(node.actors.stats().resident).to.equal(40);
  });

  it('is bounded by the number of actors if they are small', async () => {
    const node = start({ store: memoryStore(), limits: { characters: 100_000 } });
    for (const name of names) await node.ask(name, { type: 'add', amount: 1 });
    expect(node.actors.stats().resident).to.equal(200);
  });
});
