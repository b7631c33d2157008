import { lookup as systemLookup } from 'node:dns/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type HostAddress, nameLookup } from '../../src/untrusted/name-lookup.js';
import { startDnsServer, type DnsAnswer, type DnsServer } from './dns-server.js';

const V6 = '2606:2800:220:1:248:1893:25c8:1946';
const ANSWERS: Readonly<Record<string, DnsAnswer>> = {
  'both.example': { A: '93.184.216.34', AAAA: V6 },
  'four.example': { A: '93.184.216.34' },
  'six.example': { AAAA: V6 },
  'empty.example': {},
};
const INSIDE: readonly HostAddress[] = [{ address: '10.0.0.7', family: 4 }];

/** Returns the error of a lookup. */
const faultOf = (lookup: Promise<unknown>): Promise<NodeJS.ErrnoException> =>
  lookup.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as NodeJS.ErrnoException,
  );

describe('name lookup', () => {
  let dns: DnsServer;
  let folder: string;
  let hostsFile: string;
  let asked: string[];
  const system = async (name: string): Promise<readonly HostAddress[]> => {
    asked.push(name);
    return INSIDE;
  };
  const lookupOf = (changes: Parameters<typeof nameLookup>[0] = {}) =>
    nameLookup({ servers: [dns.address], hostsFile, system, ...changes });

  beforeEach(async () => {
    asked = [];
    dns = await startDnsServer((name) =>
      name.startsWith('silent') ? 'silent' : (ANSWERS[name] ?? 'denied'),
    );
    folder = await mkdtemp(join(tmpdir(), 'mirzam-'));
    hostsFile = join(folder, 'hosts');
    await writeFile(
      hostsFile,
      '# both.example\n10.0.0.5\tlisted.example Listed # no.example\n::5 listed.example\nx y\n',
    );
  });

  afterEach(async () => {
    await dns.stop();
    await rm(folder, { recursive: true });
  });

  it('asks DNS for both kinds of addresses, not the system', async () => {
    const lookup = lookupOf();
    const four = { address: '93.184.216.34', family: 4 };
    const six = { address: V6, family: 6 };
    expect(await lookup('both.example')).to.deep.equal([four, six]);
    expect(await lookup('both.example.')).to.deep.equal([four, six]);
    expect(await lookup('four.example')).to.deep.equal([four]);
    expect(await lookup('six.example')).to.deep.equal([six]);
    expect(asked).to.deep.equal([]);
  });

  it('delays neither other names nor the process by silent servers', async () => {
    const lookup = nameLookup({ servers: [dns.address], hostsFile });
    let ended = 0;
    for (let index = 0; index < 60; index += 1)
      void lookup(`silent${index}.example`).catch(() => (ended += 1));
    expect(await lookup('four.example')).to.have.length(1);
    expect(await systemLookup('localhost')).to.have.property('family');
    expect(ended).to.equal(0);
  });

  it('times out on silent servers before an attempt does', async () => {
    const started = performance.now();
    const code = (await faultOf(lookupOf()('silent.example'))).code;
    expect(code).to.equal('ETIMEOUT');
    expect(performance.now() - started).to.be.below(8_000);
  });

  it('reads the current hosts file first', async () => {
    const lookup = lookupOf();
    const listed = [
      { address: '10.0.0.5', family: 4 },
      { address: '::5', family: 6 },
    ];
    expect(await lookup('listed.example')).to.deep.equal(listed);
    expect(await lookup('listed.example.')).to.deep.equal(listed);
    expect(await lookup('listed')).to.deep.equal(listed.slice(0, 1));
    expect(await lookup('both.example')).to.have.length(2);
    expect(dns.asked).not.to.include('listed.example');
    await writeFile(hostsFile, '10.0.0.6 listed.example\n');
    expect(await lookup('listed.example')).to.deep.equal([{ address: '10.0.0.6', family: 4 }]);
  });

  it('resolves localhost to loopback, also without a hosts file', async () => {
    const lookup = lookupOf({ hostsFile: join(folder, 'none') });
    for (const name of ['localhost', 'localhost.', 'hooks.localhost']) {
      expect(await lookup(name), name).to.deep.equal([
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]);
    }
    expect([...dns.asked, ...asked]).to.deep.equal([]);
  });

  it('asks the system for names without a dot and for names unknown to DNS', async () => {
    const lookup = lookupOf();
    expect(await lookup('receiver')).to.deep.equal(INSIDE);
    expect(dns.asked).to.deep.equal([]);
    expect(await lookup('hooks.team')).to.deep.equal(INSIDE);
    expect(asked).to.deep.equal(['receiver', 'hooks.team']);
  });

  it('rejects with the error of DNS for other names', async () => {
    const lookup = lookupOf();
    const codeOf = async (name: string) => (await faultOf(lookup(name))).code;
    expect(await codeOf('gone.example.')).to.equal('ENOTFOUND');
    expect(await codeOf('empty.example')).to.equal('ENODATA');
    expect(asked).to.deep.equal([]);
  });

  it('asks the system for one unknown name at a time, without delay for names without a dot', async () => {
    let answer!: (addresses: readonly HostAddress[]) => void;
    let lookup!: ReturnType<typeof lookupOf>;
    let stuck!: Promise<unknown>;
    // DNS may answer two questions in any order.
    await new Promise<void>((isAsked) => {
      const stuckSystem = (): Promise<readonly HostAddress[]> => {
        isAsked();
        return new Promise((resolve) => (answer = resolve));
      };
      lookup = lookupOf({ system: (name) => (name === 'stuck.team' ? stuckSystem() : system(name)) });
      stuck = lookup('stuck.team');
    });
    const second = await faultOf(lookup('second.team'));
    expect(second.message).to.equal(
      "second.team was not looked up: the system's lookup is busy with other names",
    );
    expect(await lookup('receiver')).to.deep.equal(INSIDE);
    const third = lookup('third.team');
    answer([]);
    expect(await stuck).to.deep.equal([]);
    expect(await third).to.deep.equal(INSIDE);
    expect(asked).to.deep.equal(['receiver', 'third.team']);
  });

  it('asks the system for the next name after a failure', async () => {
    const lookup = lookupOf({
      system: (name) => (name === 'bad' ? Promise.reject(new Error('failed')) : system(name)),
    });
    expect((await faultOf(lookup('bad'))).message).to.equal('failed');
    expect(await lookup('receiver')).to.deep.equal(INSIDE);
  });
});
