import { BlockList, isIPv4 } from 'node:net';

// Sources: the IANA IPv4 and IPv6 Special-Purpose Address Registries, and the metadata addresses that cloud providers
// publish outside the link-local ranges. The first kind that contains an address counts.
const RANGES = {
  'a link-local address': '169.254.0.0/16 fe80::/10',
  'a cloud metadata address':
    '100.100.100.200/32 168.63.129.16/32 192.0.0.192/32 fd00:ec2::254/128 fd20:ce::254/128',
  'a loopback address': '127.0.0.0/8 ::1/128',
  'an unspecified address': '0.0.0.0/8',
  'a private address': '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10',
  'a shared (carrier-grade NAT) address': '100.64.0.0/10',
  'a multicast address': '224.0.0.0/4 ff00::/8',
  'a reserved address':
    '192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 ' +
    '2001::/23 2001:db8::/32 3fff::/20',
} as const;

/** Global IPv6; the rest is unassigned. Translated IPv4 addresses are matched before. */
const GLOBAL_IPV6 = '2000::/3 64:ff9b::/96 ::ffff:0:0/96';

/** Kind of an address that is not public, worded to follow "is" in a message. */
export type AddressKind = keyof typeof RANGES;

type Range = readonly [network: string, prefix: number];

let lists: ReturnType<typeof blockLists> | undefined;

/** Returns the kind of an address, or undefined if the address is public. */
export function kindOfAddress(address: string): AddressKind | undefined {
  lists ??= blockLists();
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  const found = lists.kinds.find(([, list]) => list.check(address, family));
  if (found !== undefined) return found[0];
  return family === 'ipv4' || lists.global.check(address, family) ? undefined : 'a reserved address';
}

function blockLists() {
  const kinds = Object.entries(RANGES).map(
    ([kind, ranges]) => [kind as AddressKind, blockList(rangesIn(ranges).flatMap(withTranslations))] as const,
  );
  return { kinds, global: blockList(rangesIn(GLOBAL_IPV6)) };
}

function rangesIn(text: string): readonly Range[] {
  return text.split(' ').map((range) => {
    const [network = '', prefix] = range.split('/');
    return [network, Number(prefix)];
  });
}

function blockList(ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, isIPv4(network) ? 'ipv4' : 'ipv6');
  return list;
}

/** Returns a range and the IPv6 ranges that networks translate to it. BlockList handles IPv4-mapped addresses itself. */
function withTranslations(range: Range): readonly Range[] {
  const [network, prefix] = range;
  if (!isIPv4(network)) return [range];
  const bytes = Buffer.from(network.split('.').map(Number)).toString('hex');
  return [
    range,
    [`64:ff9b::${network}`, 96 + prefix], // NAT64, RFC 6052
    [`64:ff9b:1::${network}`, 96 + prefix], // NAT64 within a network, RFC 8215
    [`2002:${bytes.slice(0, 4)}:${bytes.slice(4)}::`, 16 + prefix], // 6to4, RFC 3056
    [`::ffff:0:${network}`, 96 + prefix], // stateless translation, RFC 2765
    [`::${network}`, 96 + prefix], // IPv4-compatible, RFC 4291: makes `::` unspecified
  ];
}
