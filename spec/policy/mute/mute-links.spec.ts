import { expect } from 'chai';
import { createMuteLinks, muteUrls } from '../../../src/policy/mute/mute-links.js';
import { NOON } from '../server/driven-server.js';

const PATH = { tenantId: 'acme', serverId: 'urn:ngsi-ld:Host:web-1.example.org', subscriptionId: 's1' };
const DAYS_30 = 30 * 86_400_000;
const links = createMuteLinks(Buffer.alloc(32, 1));

describe('a link that mutes', () => {
  it('names its subscription, on every node with the same secret', () => {
    const signed = links.sign(PATH, NOON);
    expect(signed).to.match(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{22}$/);
    expect(createMuteLinks(Buffer.alloc(32, 1)).read(signed, NOON)).to.deep.equal(PATH);
    expect(createMuteLinks(Buffer.alloc(32, 2)).read(signed, NOON)).to.equal(undefined);
  });

  it('is the same at every decision of the same time', () => {
    expect(links.sign(PATH, NOON)).to.equal(links.sign(PATH, NOON));
  });

  it('is good for 30 days', () => {
    const signed = links.sign(PATH, NOON + 999);
    expect(links.read(signed, NOON + DAYS_30 - 1)).to.deep.equal(PATH);
    expect(links.read(signed, NOON + DAYS_30)).to.equal(undefined);
  });

  it('is not good with any character changed, removed or added', () => {
    const signed = links.sign(PATH, NOON);
    const wrong = Array.from(signed).flatMap((character, i) => {
      const [before, after] = [signed.slice(0, i), signed.slice(i + 1)];
      const others = ['A', 'B', 'w', '_', '.', '=', '%', '\u0000', 'é'].filter((one) => one !== character);
      return [`${before}${after}`, ...others.map((other) => `${before}${other}${after}`)];
    });
    wrong.push('', '.', '..', `${signed}.`, `${signed}=`, `${signed}A`, `.${signed}`, signed.split('.')[0]!);
    for (const one of wrong) expect(links.read(one, NOON), one).to.equal(undefined);
    expect(links.read(signed, NOON)).to.deep.equal(PATH);
  });

  it('cannot be made of the parts of others', () => {
    const [claim = ''] = links.sign({ ...PATH, subscriptionId: 's2' }, NOON).split('.');
    const [, signature = ''] = links.sign(PATH, NOON).split('.');
    expect(links.read(`${claim}.${signature}`, NOON)).to.equal(undefined);
  });

  it('takes ids of every length and character that tenants and servers have', () => {
    const long = {
      tenantId: '"\\'.repeat(128),
      serverId: 'a:~.'.repeat(64),
      subscriptionId: 's'.repeat(256),
    };
    const signed = links.sign(long, NOON);
    expect(signed.length).to.be.below(2_048);
    expect(links.read(signed, NOON)).to.deep.equal(long);
    expect(links.read(`${'A'.repeat(4_000)}.${'A'.repeat(22)}`, NOON)).to.equal(undefined);
  });

  it('is an address below that of the service', () => {
    const url = muteUrls(() => 'https://rules.example.org', links)('acme', 'web-1', 's1', NOON);
    expect(url).to.match(/^https:\/\/rules\.example\.org\/mute\/[^/]+$/);
    expect(links.read(url.split('/').at(-1)!, NOON)?.subscriptionId).to.equal('s1');
  });
});
