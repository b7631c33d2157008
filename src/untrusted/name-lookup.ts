import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** An address of a host, as `dns.lookup` gives it. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Finds the addresses of a DNS name; rejects when there are none to be found. */
export type Lookup = (name: string) => Promise<readonly HostAddress[]>;

/** Longest wait for another lookup by the system, ms. */
const SYSTEM_WAIT_MS = 2_000;
const LOCALHOST: readonly HostAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Where names are looked up; the defaults are the machine's own. */
export interface NameLookupOptions {
  /** DNS servers as `address:port`, in place of those of /etc/resolv.conf. */
  readonly servers?: readonly string[];
  /** Default `/etc/hosts`; a file that cannot be read has no names. */
  readonly hostsFile?: string;
  /** The system's own lookup. */
  readonly system?: Lookup;
}

/**
 * Looks names up that others choose, whose DNS servers may be silent on purpose. `dns.lookup` would hold one of the few
 * threads that all lookups of the process share, the identity service's and the mail server's too, and cannot be broken
 * off. So DNS is asked directly, without a thread, after the hosts file. Only what DNS alone may not know goes to the
 * system, one name at a time: names without a dot (search domains, container names), and, apart from these, names that
 * DNS denies (search domains, mDNS). Rejects with the resolver's error, or one that says that the system is taken.
 */
export function nameLookup(options: NameLookupOptions = {}): Lookup {
  const system = options.system ?? (async (name) => systemLookup(name, { all: true }));
  // The servers of a denied name may belong to whoever chose it: it must not keep the names without a dot waiting.
  const undotted = oneAtATime(system);
  const denied = oneAtATime(system);

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
      // With a dot at its end a name is meant as it is, for DNS.
      if ((error as NodeJS.ErrnoException).code !== 'ENOTFOUND' || bare !== name) throw error;
      return denied(name);
    }
  };
}

/** Asks DNS with a resolver of its own: no other name shares its socket, and a changed resolv.conf is noticed. */
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

/** The addresses that a hosts file gives a name. */
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
    let givenUp = false;
    const answer = new Promise<readonly HostAddress[]>((resolve, reject) => {
      const timer = setTimeout(() => {
        givenUp = true;
        reject(new Error(`${name} was not looked up: the system's lookup is busy with other names`));
      }, SYSTEM_WAIT_MS);
      last = before.then(async () => {
        clearTimeout(timer);
        if (!givenUp) await lookup(name).then(resolve, reject);
      });
    });
    return answer;
  };
}
