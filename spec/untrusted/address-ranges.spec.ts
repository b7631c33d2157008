import { expect } from 'chai';
import fc from 'fast-check';
import { targetRules } from '../../src/delivery/senders/targets.js';
import { cases } from '../cases.js';

const production = () => targetRules({ production: true, allowed: [] });
const development = () => targetRules({ production: false, allowed: [] });

/** The special ranges, independent of the implementation: as numbers, without the library. */
const NEVER_4 = '169.254.0.0/16 100.100.100.200/32 168.63.129.16/32 192.0.0.192/32'.split(' ');
const INSIDE_4 = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 ' +
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3'
).split(' ');

const number4 = (dotted: string): number =>
  dotted.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
const dotted = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
const within4 = (address: number, ranges: readonly string[]): boolean =>
  ranges.some((range) => {
    const [network = '', prefix] = range.split('/');
    const size = 2 ** (32 - Number(prefix));
    return Math.floor(address / size) === Math.floor(number4(network) / size);
  });

/** Any address, with special ranges and their neighbours more frequent. */
const address4 = fc.oneof(
  fc.nat(0xffffffff),
  fc
    .record({
      range: fc.constantFrom(...NEVER_4, ...INSIDE_4),
      within: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    .chain(({ range, within }) => {
      const [network = '', prefix] = range.split('/');
      const inside = number4(network) + Math.floor(within * (2 ** (32 - Number(prefix)) - 1));
      return fc.constantFrom(inside, Math.max(0, number4(network) - 1), inside);
    }),
);

const hex = (address: number): string =>
  `${Math.floor(address / 65_536).toString(16)}:${(address % 65_536).toString(16)}`;
const TRANSLATED: readonly ((address: number) => string)[] = [
  (address) => `::ffff:${hex(address)}`,
  (address) => `64:ff9b::${hex(address)}`,
  (address) => `2002:${hex(address)}::1`,
];

describe('address ranges', () => {
  it('refuses exactly the special IPv4 ranges', () => {
    fc.assert(
      fc.property(address4, (address) => {
        const url = `http://${dotted(address)}/`;
        const never = within4(address, NEVER_4);
        const inside = never || within4(address, INSIDE_4);
        expect(production().refuse(url) !== undefined, `production ${url}`).to.equal(inside);
        expect(development().refuse(url) !== undefined, `development ${url}`).to.equal(never);
      }),
      { numRuns: cases(400, 100) },
    );
  });

  it('classifies IPv4-mapped, NAT64 and 6to4 addresses by their IPv4 address', () => {
    fc.assert(
      fc.property(address4, fc.constantFrom(...TRANSLATED), (address, form) => {
        const url = `http://[${form(address)}]/`;
        const never = within4(address, NEVER_4);
        const inside = never || within4(address, INSIDE_4);
        expect(production().refuse(url) !== undefined, `production ${url}`).to.equal(inside);
        expect(development().refuse(url) !== undefined, `development ${url}`).to.equal(never);
      }),
      { numRuns: cases(400, 100) },
    );
  });

  it('refuses every IPv6 address that is not global unicast', () => {
    const group = fc.nat(0xffff);
    const groups = fc.tuple(group, group, group, group, group, group, group, group);
    fc.assert(
      fc.property(groups, (groups) => {
        const [first, second] = groups;
        const special = [0x2001, 0x2002, 0x3fff, 0x64, 0].includes(first);
        fc.pre(!special && second !== 0);
        const url = `http://[${groups.map((group) => group.toString(16)).join(':')}]/`;
        expect(production().refuse(url) === undefined, url).to.equal(first >= 0x2000 && first < 0x4000);
        expect(development().refuse(url) === undefined, url).to.equal(first < 0xfe80 || first > 0xfebf);
      }),
      { numRuns: cases(400, 100) },
    );
  });

  it('refuses the special IPv6 ranges by name', () => {
    const named = [
      ['::', 'unspecified'],
      ['::1', 'loopback'],
      ['fe80::', 'link-local'],
      ['febf:ffff::1', 'link-local'],
      ['fc00::', 'private'],
      ['fdff:ffff::1', 'private'],
      ['fec0::1', 'private'],
      ['ff02::1', 'multicast'],
      ['2001:db8::1', 'reserved'],
      ['2001::1', 'reserved'],
      ['3fff:fff::1', 'reserved'],
      ['100::1', 'reserved'],
      ['5f00::1', 'reserved'],
    ] as const;
    for (const [address, kind] of named)
      expect(production().refuse(`http://[${address}]/`), address).to.contain(kind);
  });
});
