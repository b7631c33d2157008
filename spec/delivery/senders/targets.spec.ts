import { expect } from 'chai';
import { targetRules } from '../../../src/delivery/senders/targets.js';

const production = () => targetRules({ production: true, allowed: [] });
const development = () => targetRules({ production: false, allowed: [] });

describe('targets: the text of a url', () => {
  it('accepts public http and https urls', () => {
    const urls = [
      'http://example.org/hook',
      'https://example.org:8443/a?b=c#d',
      'http://8.8.8.8/',
      'http://[2606:4700::1111]/',
      'http://my_receiver:3000/',
      'https://xn--bcher-kva.example/',
      'http://example.org./',
    ];
    for (const url of urls) expect(production().refuse(url), url).to.equal(undefined);
  });

  it('refuses urls other than http and https', () => {
    for (const url of ['', 'example.org', '/hook', 'http://', 'http://1.2.3.4.5/', 'http://exa mple.org/']) {
      expect(development().refuse(url), url).to.match(/^url: must be an absolute http or https URL/);
    }
    for (const url of ['ftp://example.org/', 'file:///etc/passwd', 'javascript:alert(1)', 'mailto:a@b.cd']) {
      expect(development().refuse(url), url).to.match(/^url: must be an http or https URL/);
    }
  });

  it('refuses credentials, and does not quote them', () => {
    for (const url of [
      'http://user:sesame@example.org/',
      'http://sesame@example.org/',
      'http://:sesame@example.org/',
    ]) {
      expect(development().refuse(url), url)
        .to.match(/^url: must not contain a user name or password/)
        .and.not.to.contain('sesame');
    }
  });

  it('refuses hosts that are neither a DNS name nor an address', () => {
    const hosts = [
      'localhost!',
      '*.example.org',
      'a..b',
      '-a.example',
      'a-.example',
      'a"b',
      `${'a'.repeat(64)}.org`,
    ];
    for (const host of hosts) {
      expect(development().refuse(`http://${host}/`), host).to.match(/^url: must have a DNS name/);
    }
    expect(development().refuse(`http://${'a.'.repeat(127)}org/`)).to.match(/^url: must have a DNS name/);
  });

  it('refuses control characters, which parsing would drop', () => {
    for (const url of [
      'http://exam\nple.org/',
      'http://example.org/\r\nX-Evil: 1',
      'http://example.org/\u0000',
    ]) {
      expect(development().refuse(url)).to.equal('url: must not contain control characters');
    }
  });

  it('checks unusual spellings of an IPv4 address as the address', () => {
    const spellings = ['2130706433', '0x7f.1', '127.1', '0177.0.0.1', '0x7f000001', '127.0.0.1.'];
    for (const host of spellings) {
      expect(production().refuse(`http://${host}/`), host).to.contain('127.0.0.1 is a loopback address');
    }
    expect(development().refuse('http://2852039166/')).to.contain('169.254.169.254 is a link-local address');
  });

  it('treats localhost names as loopback', () => {
    for (const host of ['localhost', 'LOCALHOST', 'localhost.', 'hooks.localhost']) {
      expect(production().refuse(`http://${host}:8080/`), host).to.contain('is a loopback address');
      expect(development().refuse(`http://${host}:8080/`), host).to.equal(undefined);
    }
    expect(production().refuse('http://notlocalhost/')).to.equal(undefined);
  });

  it('names what is allowed, and the setting that allows more', () => {
    expect(production().refuse('http://10.1.2.3/')).to.equal(
      'url: 10.1.2.3 is a private address; allowed are public addresses, and the origins that the setting ' +
        'WEBHOOK_TARGETS lists as scheme://host:port',
    );
  });

  it('allows a listed origin, and no other scheme, host or port', () => {
    const rules = targetRules({ production: true, allowed: ['http://10.1.2.3:8080', 'https://localhost'] });
    expect(rules.refuse('http://10.1.2.3:8080/any/path')).to.equal(undefined);
    expect(rules.refuse('http://0xa.0x1.0x2.0x3:8080/')).to.equal(undefined);
    expect(rules.refuse('https://localhost:443/')).to.equal(undefined);
    const others = [
      'https://10.1.2.3:8080/',
      'http://10.1.2.3/',
      'http://10.1.2.4:8080/',
      'http://localhost/',
    ];
    for (const url of others) expect(rules.refuse(url), url).to.contain('WEBHOOK_TARGETS');
  });

  it('never allows link-local and metadata addresses, listed or not, in any spelling', () => {
    const hosts = [
      '169.254.169.254',
      '[fe80::1]',
      '[::ffff:169.254.169.254]',
      '[64:ff9b::169.254.169.254]',
      '[64:ff9b:1::a9fe:a9fe]',
      '[2002:a9fe:a9fe::1]',
      '[::169.254.169.254]',
      '[::ffff:0:a9fe:a9fe]',
      '[fd00:ec2::254]',
      '[fd20:ce::254]',
      '100.100.100.200',
      '168.63.129.16',
    ];
    for (const host of hosts) {
      const rules = targetRules({ production: false, allowed: [`http://${host}:80`] });
      expect(rules.refuse(`http://${host}/`), host).to.contain('never allowed');
    }
  });
});

/** A resolver that returns one list of addresses after the other, then the last one again and again. */
function answering(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  return {
    asked,
    lookup: async (name: string) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)] ?? [];
      asked.push(name);
      return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  };
}

describe('targets: the addresses of a name', () => {
  it('returns every address of one lookup', async () => {
    const resolver = answering(['93.184.216.34', '2606:2800::1'], ['127.0.0.1']);
    const rules = targetRules({ production: true, allowed: [], lookup: resolver.lookup });
    const target = await rules.resolve('https://example.org/hook');
    expect(target).to.deep.equal({
      addresses: [
        { address: '93.184.216.34', family: 4 },
        { address: '2606:2800::1', family: 6 },
      ],
    });
    expect(resolver.asked).to.deep.equal(['example.org']);
  });

  it('checks the result of every lookup', async () => {
    const resolver = answering(['93.184.216.34'], ['127.0.0.1'], ['93.184.216.34']);
    const rules = targetRules({ production: true, allowed: [], lookup: resolver.lookup });
    const kinds: string[] = [];
    for (let turn = 0; turn < 3; turn += 1)
      kinds.push(...Object.keys(await rules.resolve('http://example.org/')));
    expect(kinds).to.deep.equal(['addresses', 'refused', 'addresses']);
  });

  it('refuses a name if any of its addresses is refused', async () => {
    const inside = [
      '127.0.0.1',
      '10.0.0.1',
      '::1',
      '::ffff:10.0.0.1',
      '::ffff:a00:1',
      'fd00::1',
      'fe80::1%eth0',
    ];
    for (const address of inside) {
      for (const answer of [[address, '8.8.8.8'], ['8.8.8.8', address], [address]]) {
        const rules = targetRules({ production: true, allowed: [], lookup: answering(answer).lookup });
        const target = await rules.resolve('http://example.org/');
        expect(target, answer.join())
          .to.have.property('refused')
          .that.contains(`example.org, that is ${address}, is`);
      }
    }
  });

  it('accepts private addresses of a listed origin, but no link-local ones', async () => {
    const allowed = ['http://hooks.internal:8080'];
    const inside = targetRules({ production: true, allowed, lookup: answering(['10.0.0.5']).lookup });
    expect(await inside.resolve('http://hooks.internal:8080/a')).to.have.property('addresses');
    expect(await inside.resolve('http://hooks.internal:8081/a')).to.have.property('refused');
    const linkLocal = targetRules({
      production: true,
      allowed,
      lookup: answering(['169.254.169.254']).lookup,
    });
    expect(await linkLocal.resolve('http://hooks.internal:8080/a')).to.have.property('refused');
  });

  it('looks up localhost and checks it', async () => {
    expect(await production().resolve('http://localhost:8080/'))
      .to.have.property('refused')
      .that.contains('loopback');
    expect(await development().resolve('http://localhost:8080/')).to.have.property('addresses').that.is.not
      .empty;
  });

  it('looks up names without the system if it can', async () => {
    // This name is known on every machine to the service's own lookup alone.
    const target = await development().resolve('http://hooks.localhost:8080/');
    expect(target).to.have.property('addresses').that.deep.includes({ address: '127.0.0.1', family: 4 });
  });

  it('does not look up an address', async () => {
    const resolver = answering(['8.8.8.8']);
    const rules = targetRules({ production: false, allowed: [], lookup: resolver.lookup });
    expect(await rules.resolve('http://[::1]:8080/')).to.deep.equal({
      addresses: [{ address: '::1', family: 6 }],
    });
    expect(resolver.asked).to.deep.equal([]);
  });

  it('shares a lookup between all that wait for it, and repeats it afterwards', async () => {
    const resolver = answering(['8.8.8.8']);
    const rules = targetRules({ production: true, allowed: [], lookup: resolver.lookup });
    await Promise.all([1, 2, 3].map(() => rules.resolve('http://example.org/')));
    expect(resolver.asked).to.have.length(1);
    await rules.resolve('http://example.org/');
    expect(resolver.asked).to.have.length(2);
  });

  it('rejects with the error of a failed lookup, and repeats it the next time', async () => {
    const fault = Object.assign(new Error('getaddrinfo ENOTFOUND example.org'), { code: 'ENOTFOUND' });
    let asked = 0;
    const lookup = async () => {
      asked += 1;
      if (asked === 1) throw fault;
      return [{ address: '8.8.8.8', family: 4 }];
    };
    const rules = targetRules({ production: true, allowed: [], lookup });
    const first = await rules.resolve('http://example.org/').catch((error: unknown) => error);
    expect(first).to.equal(fault);
    expect(await rules.resolve('http://example.org/')).to.have.property('addresses');
  });
});
