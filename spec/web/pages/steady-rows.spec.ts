import { expect } from 'chai';
import { pageModule } from '../forms/page-module.js';

type Row = { readonly id: string };

const { steadyRows } = (await pageModule('pages/deliveries/steady-rows.ts')) as unknown as {
  readonly steadyRows: (
    before: readonly Row[],
    answer: readonly Row[],
    held: boolean,
    next: string | null,
  ) => { readonly rows: readonly Row[]; readonly fresh: number };
};

const rows = (...ids: readonly string[]) => ids.map((id) => ({ id }));
const shown = (...given: Parameters<typeof steadyRows>) => {
  const { rows: kept, fresh } = steadyRows(...given);
  return { ids: kept.map(({ id }) => id).join(''), fresh };
};

describe('the rows of a list under the pointer', () => {
  it('stay, with new ones counted', () => {
    expect(shown(rows('c', 'b', 'a'), rows('e', 'd', 'c', 'b', 'a'), true, null)).to.deep.equal({
      ids: 'cba',
      fresh: 2,
    });
  });

  it('go once they have left the list', () => {
    expect(shown(rows('c', 'b', 'a'), rows('c', 'a'), true, null).ids).to.equal('ca');
    expect(shown(rows('c', 'b', 'a'), [], true, null).ids).to.equal('');
    expect(shown(rows('c', 'b', 'a'), rows('c'), true, 'b').ids).to.equal('ca');
  });

  it('stay where new ones have pushed them out of the page', () => {
    expect(shown(rows('c', 'b', 'a'), rows('e', 'd', 'c'), true, 'c').ids).to.equal('cba');
  });

  it('are those of the answer while nothing holds them', () => {
    expect(shown(rows('c', 'b'), rows('d'), false, null)).to.deep.equal({ ids: 'd', fresh: 0 });
  });
});
