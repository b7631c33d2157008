import { once } from 'node:events';
import http from 'node:http';
import { expect } from 'chai';
import { NOON } from '../../server/driven-server.js';
import { DRAFT, URL_1 } from '../../policy-scene.js';
import { FORM, linkScenes, pageIn, post } from './link-scene.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('a link of a mail that does not mute', () => {
  const scene = linkScenes();
  const expectGone = async (answer: Response): Promise<void> => {
    expect(answer.status).to.equal(404);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(await answer.text()).to.contain('<h1>This link is not valid</h1>');
  };

  it('is 404 with a page from its 30th day on', async () => {
    const { linkOf } = await scene.node();
    const link = linkOf();
    scene.policy.now = NOON + 30 * DAY - 1;
    await pageIn(await fetch(link));
    scene.policy.now = NOON + 30 * DAY;
    for (const answer of [await fetch(link), await post(link, 'for=3600')]) await expectGone(answer);
    expect(await scene.mutedUntil()).to.equal(undefined);
  });

  it('is 404 with a page if it is cut, changed, made elsewhere or no link at all', async () => {
    const { linkOf } = await scene.node();
    const link = linkOf();
    const other = linkOf('other').split('/').at(-1)!.split('.')[0];
    const root = link.slice(0, link.lastIndexOf('/'));
    const [claim = '', signature = ''] = link.slice(root.length + 1).split('.');
    const wrong = [
      link.slice(0, -1),
      `${root}/${claim}`,
      `${root}/${other}.${signature}`,
      `${link}x`,
      `${link}.json`,
      `${link}/more`,
      `${root}/.`,
      `${root}/notify`,
      root,
      ...['%', '%zz', '%ff', '%00', '%2F', '%zz/more', '%zz.json'].map(
        (unreadable) => `${root}/${unreadable}`,
      ),
      `${link}%zz`,
    ];
    for (const one of wrong) {
      await expectGone(await fetch(one));
      await expectGone(await post(one, 'for=3600'));
    }
    expect(await scene.mutedUntil()).to.equal(undefined);
  });

  it('is 404 with a page when its subscription is gone, or its rule, and before a form is read', async () => {
    const { linkOf } = await scene.node();
    const ruleId = await scene.policy.policy.genericRules.add('acme', DRAFT);
    const generic = await scene.policy.add({ ruleId, url: URL_1 });
    await scene.policy.remove(scene.subscriptionId);
    await scene.policy.policy.genericRules.remove('acme', ruleId);
    for (const id of [scene.subscriptionId, generic, 'unknown']) {
      await expectGone(await fetch(linkOf(id)));
      await expectGone(await post(linkOf(id), 'for=3600'));
      await expectGone(await post(linkOf(id), '{}', 'application/json'));
    }
    await expectGone(await fetch(linkOf(scene.subscriptionId, 'web-2')));
  });

  it('refuses other forms with a page that says what is allowed', async () => {
    const { linkOf } = await scene.node();
    const cases: readonly (readonly [string, string, number, string])[] = [
      ['', FORM, 400, 'for=3600'],
      ['for=60', FORM, 400, 'action=unmute'],
      ['{"for":3600}', 'application/json', 400, 'application/x-www-form-urlencoded or multipart/form-data'],
      ['nonsense', 'multipart/form-data; boundary=x', 400, 'no form'],
      [`for=${'3'.repeat(5_000)}`, FORM, 413, '4096 bytes'],
    ];
    for (const [body, type, status, words] of cases) {
      const answer = await post(linkOf(), body, type);
      const text = await answer.text();
      expect(answer.status, text).to.equal(status);
      expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(text).to.contain(words);
    }
    const put = await fetch(linkOf(), { method: 'PUT', body: 'for=3600' });
    expect([put.status, put.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, OPTIONS, POST']);
    expect(await scene.mutedUntil()).to.equal(undefined);
  });

  it('takes no change from a page of another site', async () => {
    const { linkOf } = await scene.node();
    const send = (site: string) =>
      fetch(linkOf(), {
        method: 'POST',
        body: 'for=3600',
        headers: { 'content-type': FORM, 'sec-fetch-site': site },
      });
    const answer = await send('cross-site');
    expect(answer.status).to.equal(403);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(await scene.mutedUntil()).to.equal(undefined);
    await pageIn(await send('same-origin'));
    expect(await scene.mutedUntil()).to.equal(NOON + HOUR);
  });

  it('is in no cache, no Referer and no log', async () => {
    const { linkOf, logged } = await scene.node();
    const link = linkOf();
    const answers = [
      await fetch(link),
      await post(link, 'for=3600'),
      await post(link, 'for=3600', 'text/plain'),
      await fetch(`${link}x`),
      await fetch(`${link}/more`),
      await fetch(`${link}%zz`),
      await fetch(link, { headers: { 'sec-fetch-site': 'cross-site' }, method: 'POST' }),
      await fetch(link, { method: 'DELETE' }),
    ];
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('referrer-policy')).to.equal('no-referrer');
      expect(headers.get('content-security-policy')).to.match(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'/,
      );
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
    }
    expect(logged.map(({ path }) => path)).to.deep.equal(answers.map(() => '/mute/…'));
    const secret = link.split('/').at(-1)!;
    for (const part of secret.split('.')) expect(JSON.stringify(logged)).not.to.contain(part);
  });

  it('is in no log, however its path is written, and wherever it is', async () => {
    const { linkOf, logged } = await scene.node();
    const link = new URL(linkOf());
    const secret = link.pathname.slice('/mute/'.length);
    const written = {
      '//mute/': '//mute/…',
      '/MUTE/': '/MUTE/…',
      '/Mute//': '/Mute/…',
      '/%6dute/': '/mute/…',
      '/mute%2F': '/mute/…',
      '/below/a/path/mute/': '/below/a/path/mute/…',
      '/below\\mute\\': '/below\\mute/…',
      '/%ff/mute/': '/%ff/mute/…',
    };
    for (const begin of Object.keys(written)) {
      const request = http.get({ host: link.hostname, port: link.port, path: begin + secret });
      const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
      answer.resume();
      await once(answer, 'end');
    }
    expect(logged.map(({ path }) => path)).to.deep.equal(Object.values(written));
    for (const part of secret.split('.')) expect(JSON.stringify(logged)).not.to.contain(part);
  });

  it('leaves other paths in the log as they are', async () => {
    const { linkOf, logged } = await scene.node();
    const { origin } = new URL(linkOf());
    const paths = ['/v1.0/t/servers/s/subscription/x/mute', '/muted/a', '/a/commute/b', '/mute', '/mute/'];
    for (const path of paths) await (await fetch(origin + path)).text();
    expect(logged.map(({ path }) => path)).to.deep.equal(paths);
  });

  it('shows names as text', async () => {
    const name = '<script>alert(1)</script>"\'&amp;\u202E';
    const [ruleId = ''] = await scene.policy.policy.servers.addRules('acme', 'web-1', [{ ...DRAFT, name }]);
    const id = await scene.policy.add({ ruleId, url: URL_1 });
    const { linkOf } = await scene.node();
    const text = await pageIn(await fetch(linkOf(id)));
    expect(text).not.to.contain('<script');
    expect(text).to.contain("<bdi>&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&amp;amp;\u202E</bdi>");
    expect(/<title>(.*)<\/title>/.exec(text)?.[1]).not.to.contain('\u202E');
  });
});
