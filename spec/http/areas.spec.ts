import { expect } from 'chai';
import fc from 'fast-check';
import { type Area, areaFinder, areaOf } from '../../src/http/areas.js';

describe('the areas of the path space', () => {
  const segment = fc.constantFrom('a', 'ab', 'b', '', '.', 'a.json');
  const path = fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join('/')}`);

  it('are found by the first segment as by a search through all of them', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), path, (prefixes, asked) => {
        const areas: Area[] = prefixes.filter((prefix) => prefix !== '/').map((prefix) => ({ prefix }));
        const found = areas.includes(areaOf(areas, asked)) ? areaOf(areas, asked) : undefined;
        expect(areaFinder(areas)(asked)).to.equal(found);
      }),
    );
  });
});
