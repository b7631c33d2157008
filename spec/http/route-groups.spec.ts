import { expect } from 'chai';
import fc from 'fast-check';
import { groupOf, type RouteGroup } from '../../src/http/route-groups.js';

describe('route groups', () => {
  const segment = fc.constantFrom('a', 'ab', 'b', '', '.', 'a.json');
  const path = fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join('/')}`);

  it('cover whole segments, and the first one that covers a path counts', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), path, (prefixes, asked) => {
        const groups: RouteGroup[] = prefixes
          .filter((prefix) => prefix !== '/')
          .map((prefix) => ({ prefix }));
        const first = groups.find(({ prefix }) => `${asked}/`.startsWith(`${prefix}/`));
        expect(groupOf(groups, asked)).to.deep.equal(first ?? { prefix: '/' });
      }),
    );
  });
});
