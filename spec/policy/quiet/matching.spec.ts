import { expect } from 'chai';
import fc from 'fast-check';
import { quietOfServer } from '../../../src/policy/quiet/matching.js';
import { anyOf } from '../../../src/policy/quiet/patterns.js';
import type { QuietTime } from '../../../src/policy/quiet/quiet-time.js';
import { cpuTimeOf } from '../../system/cpu-time.js';

const fits = (pattern: string, server: string): boolean => anyOf([pattern])(server);

describe('a pattern of servers', () => {
  it('stands for what is written, with any characters for each *', () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['web-1', 'web-1', true],
      ['web-1', 'web-12', false],
      ['web-*', 'web-', true],
      ['web-*', 'web-12', true],
      ['web-*', 'a-web-12', false],
      ['*', 'anything', true],
      ['*-db', 'a-db-db', true],
      ['a*b*c', 'abc', true],
      ['a*b*c', 'a-b', false],
      ['a*a', 'a', false],
      ['ab*ba', 'aba', false],
      ['**', 'x', true],
      ['web.1', 'web-1', false],
      ['Web-*', 'web-1', false],
    ];
    for (const [pattern, server, is] of cases)
      expect(fits(pattern, server), `${pattern} ${server}`).to.equal(is);
  });

  it('stands for the same servers as its regular expression', () => {
    const text = (...of: string[]) =>
      fc.array(fc.constantFrom(...of), { maxLength: 10 }).map((letters) => letters.join(''));
    fc.assert(
      fc.property(text('a', 'b', '*'), text('a', 'b'), (pattern, server) => {
        const same = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(server);
        expect(fits(pattern, server)).to.equal(same);
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes no time that grows faster than its length', async () => {
    const check = (): void => {
      for (let i = 0; i < 100; i += 1) fits(`${'*a'.repeat(127)}*b`, 'a'.repeat(256));
    };
    expect(await cpuTimeOf(check)).to.be.lessThan(1_000);
  });
});

describe('the quiet times of a server', () => {
  it('are compared once for each server, until the list is another', async () => {
    const patterns = Array.from({ length: 50 }, () => `${'a*'.repeat(127)}c*a`);
    const list = Array.from({ length: 100 }, (_, i): QuietTime => {
      const servers = i === 99 ? [...patterns, 'a*'] : [...patterns];
      return { name: `q${i}`, servers } as unknown as QuietTime;
    });
    const ids = Array.from({ length: 20 }, (_, i) => 'a'.repeat(200 + i));
    const find = (): readonly number[] => ids.map((id) => quietOfServer(list, id).length);
    const timed = (): Promise<number> => cpuTimeOf(() => expect(find()).to.deep.equal(ids.map(() => 1)));
    const first = await timed();
    expect(await timed()).to.be.lessThan(first / 10);
    expect(quietOfServer([list[98]!], ids[0]!)).to.deep.equal([]);
  });

  it('are not kept of more servers than are seen together', () => {
    const list = [{ servers: ['a-*'] } as unknown as QuietTime];
    for (let i = 0; i < 5_000; i += 1) expect(quietOfServer(list, `a-${i}`)).to.have.length(1);
    expect(quietOfServer(list, 'b-1')).to.deep.equal([]);
  });
});
