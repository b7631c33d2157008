import { expect } from 'chai';
import fc from 'fast-check';
import { targetRules } from '../../../src/delivery/senders/targets.js';
import { status, webhookScene, type WebhookScene } from './webhook-scene.js';

const development = targetRules({ production: false, allowed: [] });
const production = targetRules({ production: true, allowed: [] });

/** Parts of urls from people, browsers and attackers. */
const pieces = fc.constantFrom(
  'a',
  'B',
  '/',
  '//',
  '.',
  '..',
  '/../',
  '/./',
  '%2e%2e',
  '%2F',
  '%',
  '%zz',
  '\\',
  '?',
  '#',
  '&',
  '=',
  ':',
  '@',
  'é',
  '漢',
  '。',
  'ß',
  ' ',
  '\t',
  '\n',
  '\u0000',
  '\u00ad',
  '\u200b',
  '|',
  '^',
  '"',
  '<',
  '`',
  '{',
  '[',
  ']',
  ';',
);
const mixed = fc.oneof(
  fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }),
);

/** Returns the request target of a url: the text after scheme and authority, encoded as far as a request requires. */
function targetIn(text: string): string {
  const rest = text.replace(/^[^:]*:\/\/[^/?#]*/, '').replace(/#.*/s, '');
  const target = rest.startsWith('/') ? rest : `/${rest}`;
  return target.replace(/[^!-~]+/g, encodeURIComponent);
}

describe('a webhook url is taken as it is written', () => {
  let scene: WebhookScene;
  beforeEach(() => {
    scene = webhookScene();
  });
  afterEach(() => scene.end());

  it('is refused without a host or //, with a backslash, leading blanks, or another script', () => {
    const refused = [
      'http:///x',
      'http:////example.org/x',
      'http:/\\x',
      'http:\\\\example.org\\x',
      'http://localhost\\',
      'http://example.org/a\\b',
      'http://example.org/?a=\\',
      'http:/example.org/',
      'http:example.org',
      'http://',
      'http://:80/',
      'http://?x',
      ' http://example.org/',
      '\thttp://example.org/',
      'ht\ntp://example.org/',
      'http://bücher.example/',
      'http://example。org/',
      'http://１２７.0.0.1/',
      'http://ex%61mple.org/',
      'http://exam\u00adple.org/',
      'http://@example.org/',
      'http://:@example.org/',
      'http://user@example.org/',
      'http://example.org:80:80/',
      'http://[::1/',
      'http://[fe80::1%25eth0]/',
    ];
    for (const url of refused) expect(development.refuse(url), JSON.stringify(url)).to.match(/^url: must /);
  });

  it('may have a scheme and a host in upper case, an xn-- name, a dot at the end of a name, an empty port', () => {
    const taken = [
      'HTTP://EXAMPLE.ORG/',
      'https://xn--bcher-kva.example/',
      'http://example.org./',
      'http://example.org:/',
      'https://example.org:443/',
      'http://[2606:4700::1111]:8080/',
      'http://my_receiver/',
      'http://example.org',
      'http://example.org?a=b',
      'http://example.org/#part',
    ];
    for (const url of taken) expect(production.refuse(url), url).to.equal(undefined);
  });

  it('with an unusual spelling of an address is checked as the address', () => {
    for (const host of [
      '0x7f.1',
      '127.1',
      '2130706433',
      '0177.0.0.1',
      '127.0.0.1.',
      '0X7F000001',
      '[::ffff:127.0.0.1]',
    ]) {
      expect(production.refuse(`http://${host}/`), host).to.contain('a loopback address');
    }
    expect(development.refuse('http://0xa9.0xfe.43518/')).to.contain(
      '169.254.169.254 is a link-local address',
    );
  });

  it('is called with its exact path and query', async () => {
    const target = await scene.receiver(status(204));
    const { post } = scene.sender();
    const paths = [
      '',
      '?a=b',
      '/?',
      '/..',
      '/a/../b',
      '/./%2e%2E/%7Ex',
      '//x//',
      '/a%',
      '/"<>`{}|^',
      '/a#b?c',
      '/%41?%41',
    ];
    for (const path of paths) {
      const text = `${target.origin}${path}`;
      expect(await post(text), path).to.have.property('result', 'delivered');
      expect(target.got.at(-1)!.url, path).to.equal(targetIn(text));
    }
    await post(`${target.origin}/é x`);
    expect(target.got.at(-1)!.url).to.equal('/%C3%A9%20x');
  });

  it('is called as written, or refused', async () => {
    const target = await scene.receiver(status(204));
    const { post } = scene.sender();
    const schemes = fc.constantFrom(
      ...Array<string>(6).fill('http://'),
      'HTTP://',
      'hTtP://',
      'http:',
      'http:/',
      'http:///',
      'http:\\\\',
      ' http://',
    );
    const hosts = fc.constantFrom(
      '127.0.0.1',
      '0x7f.1',
      '127.1',
      '2130706433',
      'LOCALHOST',
      'localhost.',
      'u@127.1',
      '\\127.1',
    );
    let delivered = 0;
    await fc.assert(
      fc.asyncProperty(schemes, hosts, mixed, async (scheme, host, rest) => {
        const text = `${scheme}${host}:${target.port}${rest}`;
        const before = target.got.length;
        const refused = development.refuse(text);
        const named = new RegExp(`^https?://[A-Za-z0-9._:\\[\\]-]+(?:[/?#]|$)`, 'i').test(text);
        if (!named || text.includes('\\')) expect(refused, JSON.stringify(text)).to.be.a('string');
        if (refused !== undefined) {
          expect((await post(text)).result, JSON.stringify(text)).to.equal('refused');
          expect(target.got.length).to.equal(before);
          return;
        }
        expect((await post(text)).result, JSON.stringify(text)).to.equal('delivered');
        delivered += 1;
        expect(target.got.at(-1)!.url, JSON.stringify(text)).to.equal(targetIn(text));
      }),
      { numRuns: 500 },
    );
    expect(delivered).to.be.greaterThan(20);
  });

  it('has its written host looked up', async () => {
    const asked: string[] = [];
    const rules = targetRules({
      production: false,
      allowed: [],
      lookup: async (name) => {
        asked.push(name);
        return [{ address: '8.8.8.8', family: 4 }];
      },
    });
    const letters = fc.constantFrom(
      ...'abXYZ.-_'.split(''),
      'é',
      '。',
      '%61',
      '@',
      ':',
      '\\',
      '/',
      '\t',
      'xn--',
      'ß',
      '!',
    );
    let taken = 0;
    const host = fc.array(letters, { minLength: 1, maxLength: 10 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(host, async (name) => {
        const text = `http://${name}/hook`;
        if (rules.refuse(text) !== undefined) return;
        taken += 1;
        await rules.resolve(text);
        const written = /^http:\/\/([^/:]+):?(?:\/|$)/.exec(text)?.[1];
        expect(asked.at(-1), text).to.equal(written?.toLowerCase());
      }),
      { numRuns: 2_000 },
    );
    expect(taken).to.be.greaterThan(100);
  });
});
