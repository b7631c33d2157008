import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** An address of a host, in the shape of `dns.lookup`. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a DNS name to its addresses. Rejects if it has none. */
export type Lookup = (name: string) => Promise<readonly HostAddress[]>;

/** Maximum time in the queue for the system's lookup, ms. */
const SYSTEM_WAIT_MS = 2_000;
const LOCALHOST: readonly HostAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Sources of names. Default: those of the machine. */
export interface NameLookupOptions {
  /** DNS servers as `address:port`. Default: those of /etc/resolv.conf. */
  readonly servers?: readonly string[];
  /** Default: `/etc/hosts`. An unreadable file has no names. */
  readonly hostsFile?: string;
  /** The system's own lookup. */
  readonly system?: Lookup;
}

/**
 * Creates a lookup of names that others choose, whose DNS servers may be silent on purpose. `dns.lookup` cannot be
 * aborted and would occupy one of the few threads that all lookups of the process share. This lookup therefore reads
 * the hosts file and then asks DNS directly, without a thread. Two kinds of names go to the system's lookup, each kind
 * one name at a time: names without a dot (search domains, container names), and names that DNS does not know (search
 * domains, mDNS). Rejects with the resolver's error, or with an `Error` if the system's lookup is busy.
 */
export function nameLookup(options: NameLookupOptions = {}): Lookup {
  const system = options.system ?? (async (name) => systemLookup(name, { all: true }));
  // Two queues: the servers of an unknown name may belong to an attacker, who must not delay names without a dot.
  const undotted = oneAtATime(system);
  const unknown = oneAtATime(system);

  return async (name) => {
    const bare = name.replace(/\.$/, '');
    const listed = addressesIn(
      await readFile(options.hostsFile ?? '/etc/hosts', 'utf8').catch(() => ''),
      bare,
    );
    if (listed.length > 0) return listed;
    if (/(?:^|\.)localhost$/.test(bare)) return LOCALHOST;
    if (!name.includes('.')) return undotted(name);
    try {
      return await resolved(name, options.servers);
    } catch (error) {
      // A name that ends with a dot is fully qualified: search domains do not apply.
      if ((error as NodeJS.ErrnoException).code !== 'ENOTFOUND' || bare !== name) throw error;
      return unknown(name);
    }
  };
}

/** Asks DNS with a new resolver, which shares no socket with other names and rereads resolv.conf. */
async function resolved(
  name: string,
  servers: readonly string[] | undefined,
): Promise<readonly HostAddress[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length === 0 && four.status === 'rejected') throw four.reason;
  return addresses;
}

/** Returns the addresses of a name in a hosts file. */
function addressesIn(hosts: string, name: string): readonly HostAddress[] {
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return isIP(address) !== 0 && names.includes(name) ? [{ address, family: isIP(address) }] : [];
  });
}

function oneAtATime(lookup: Lookup): Lookup {
  let last: Promise<unknown> = Promise.resolve();
  return (name) => {
    const before = last;
    let timedOut = false;
    const answer = new Promise<readonly HostAddress[]>((resolve, reject) => {
      const timer = setTimeout(() => {
        timedOut = true;
        reject(new Error(`${name} was not looked up: the system's lookup is busy with other names`));
      }, SYSTEM_WAIT_MS);
      last = before.then(async () => {
        clearTimeout(timer);
        if (!timedOut) await lookup(name).then(resolve, reject);
      });
    });
    return answer;
  };
}
