import { expect } from 'chai';
import fc from 'fast-check';
import {
  addedAll,
  type Addition,
  countOf,
  EMPTY,
  type FullPage,
  type PagedList,
} from '../../../src/ledger/index/paged-list.js';

const PAGE = 4;

/** Adds one item. */
function added(list: PagedList, addition: Addition, pageLength: number) {
  const { list: next, pages, outcomes } = addedAll(list, [addition], pageLength);
  const [outcome] = outcomes;
  if (typeof outcome === 'object') return { is: 'unchecked' as const, ...outcome };
  if (outcome === 'there') return { is: outcome };
  return { is: 'added' as const, list: next, page: pages[0] };
}

const empty = (): { list: PagedList; pages: string[][] } => ({ list: EMPTY, pages: [] });

/** Adds an item; searches the pages first if the list asks for that. */
function add(state: { list: PagedList; pages: string[][] }, item: string, from: number): void {
  for (let checked = from; ;) {
    const outcome = added(state.list, { item, from, checked }, PAGE);
    if (outcome.is === 'there') return;
    if (outcome.is === 'unchecked') {
      const first = Math.floor(checked / PAGE);
      if (state.pages.slice(first, outcome.below / PAGE).some((page) => page.includes(item))) return;
      checked = outcome.below;
      continue;
    }
    state.list = outcome.list;
    if (outcome.page) state.pages[outcome.page.number] = [...outcome.page.items];
    return;
  }
}

describe('a paged list', () => {
  it('moves its oldest items into a page, and keeps at least a page length', () => {
    const state = empty();
    for (let i = 0; i < 2 * PAGE; i += 1) add(state, `i${i}`, countOf(state.list));
    expect(state.pages).to.deep.equal([['i0', 'i1', 'i2', 'i3']]);
    expect(state.list).to.deep.equal({ first: 4, items: ['i4', 'i5', 'i6', 'i7'] });
  });

  it('asks for a search of the pages that may hold the item, and only then', () => {
    const list: PagedList = { first: 8, items: ['a'] };
    expect(added(list, { item: 'x', from: 3, checked: 3 }, PAGE)).to.deep.equal({
      is: 'unchecked',
      below: 8,
    });
    expect(added(list, { item: 'x', from: 8, checked: 8 }, PAGE).is).to.equal('added');
    expect(added(list, { item: 'x', from: 3, checked: 8 }, PAGE).is).to.equal('added');
    expect(added(list, { item: 'a', from: 3, checked: 3 }, PAGE)).to.deep.equal({ is: 'there' });
  });

  it('adds several items with the same result as one by one', () => {
    // A repeated item may be anywhere in the list; a new one comes last.
    const addition = fc.record({ item: fc.nat(30), isNew: fc.boolean() });
    fc.assert(
      fc.property(fc.nat(20), fc.array(addition, { maxLength: 60 }), (before, some) => {
        const additions = some.map(({ item, isNew }, i) =>
          isNew
            ? { item: `new ${i}`, from: 1_000, checked: 1_000 }
            : { item: String(item), from: 0, checked: 0 },
        );
        const items = Array.from({ length: before }, (_, n) => ({ item: String(n), from: n, checked: n }));
        const { list } = addedAll(EMPTY, items, PAGE);
        let one = list;
        const pages: FullPage[] = [];
        const outcomes = additions.map((each) => {
          const outcome = added(one, each, PAGE);
          if (outcome.is === 'unchecked') return { below: outcome.below };
          if (outcome.is === 'there') return 'there';
          one = outcome.list;
          if (outcome.page !== undefined) pages.push(outcome.page);
          return 'added';
        });
        const all = addedAll(list, additions, PAGE);
        // A call still knows the items that it has moved into a page: no search is needed.
        const expected = outcomes.map((outcome, i) => (all.outcomes[i] === 'there' ? 'there' : outcome));
        expect(all).to.deep.equal({ list: one, pages, outcomes: expected });
        if (outcomes.every((outcome) => outcome !== 'added')) expect(all.list).to.equal(list);
      }),
    );
  });

  it('holds each item once, at its first position, however late it comes again', () => {
    const adding = fc.record({ item: fc.nat(60), again: fc.boolean() });
    fc.assert(
      fc.property(fc.array(adding, { maxLength: 200 }), (addings) => {
        const state = empty();
        const firsts = new Map<string, number>();
        const order: string[] = [];
        for (const { item: n } of addings) {
          const item = `i${n}`;
          // A repeat brings the count from before its first time.
          const from = firsts.get(item) ?? countOf(state.list);
          if (!firsts.has(item)) {
            firsts.set(item, from);
            order.push(item);
          }
          add(state, item, from);
        }
        expect([...state.pages.flat(), ...state.list.items]).to.deep.equal(order);
      }),
    );
  });
});
