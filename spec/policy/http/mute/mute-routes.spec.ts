import { expect } from 'chai';
import { NOON } from '../../server/driven-server.js';
import { URL_1 } from '../../policy-scene.js';
import { FORM, formsIn, linkScenes, pageIn, post } from './link-scene.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the link of a mail that mutes', () => {
  const scene = linkScenes();

  it('shows the rule, the server and a form for each time, and changes nothing', async () => {
    const { linkOf } = await scene.node();
    const before = await scene.policy.server();
    const answer = await fetch(linkOf());
    const text = await pageIn(answer);
    expect(text).to.contain('<bdi>busy</bdi>').and.to.contain('<bdi>web-1</bdi>').and.to.contain('Not muted');
    expect(formsIn(text)).to.deep.equal({
      'One hour': 'for=3600',
      'One day': 'for=86400',
      'Seven days': 'for=604800',
    });
    expect(text).not.to.contain('<script');
    const head = await fetch(linkOf(), { method: 'HEAD' });
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
    expect(await scene.policy.server()).to.deep.equal(before);
  });

  it('mutes for each of the times, from the moment of the click, and unmutes', async () => {
    const { linkOf } = await scene.node();
    for (const [label, ms] of [
      ['One hour', HOUR],
      ['One day', DAY],
      ['Seven days', 7 * DAY],
    ] as const) {
      scene.policy.now += 1_000;
      const form = formsIn(await pageIn(await fetch(linkOf())))[label]!;
      const text = await pageIn(await post(linkOf(), form));
      expect(await scene.mutedUntil()).to.equal(scene.policy.now + ms);
      const iso = new Date(scene.policy.now + ms).toISOString();
      expect(text).to.contain(`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`);
    }
    const form = formsIn(await pageIn(await fetch(linkOf())))['Unmute']!;
    expect(await pageIn(await post(linkOf(), form))).to.contain('Not muted');
    expect(await scene.mutedUntil()).to.equal(undefined);
    expect(await pageIn(await post(linkOf(), form))).to.contain('Not muted');
  });

  it('shows a mute by a quiet time, which it cannot end', async () => {
    const { linkOf } = await scene.node();
    const draft = { servers: ['web-*'], duration: 7_200 };
    const author = { by: 'ann', operator: false };
    await scene.policy.policy.quietTimes.set('acme', 'nights', draft, author);
    const text = await pageIn(await fetch(linkOf()));
    expect(text).to.contain('Muted by the quiet time <bdi>nights</bdi> until');
    expect(text).to.contain(new Date(NOON + 2 * HOUR).toISOString());
    expect(formsIn(text)).not.to.have.property('Unmute');
    // A longer mute of its own is shown in its place.
    expect(await pageIn(await post(linkOf(), 'for=86400')))
      .to.contain('Muted until')
      .and.to.contain('Unmute');
  });

  it('shows no mute that is over', async () => {
    const { linkOf } = await scene.node();
    const link = linkOf();
    await pageIn(await post(link, 'for=3600'));
    scene.policy.now = NOON + HOUR - 1;
    expect(await pageIn(await fetch(link))).to.contain('Muted until');
    scene.policy.now = NOON + HOUR;
    expect(await pageIn(await fetch(link))).to.contain('Not muted');
  });

  it('mutes seven days at the one click of a mail program (RFC 8058), in both encodings, without a redirect', async () => {
    const { linkOf } = await scene.node();
    const multipart = new FormData();
    multipart.append('List-Unsubscribe', 'One-Click');
    for (const [body, type] of [
      ['List-Unsubscribe=One-Click', FORM],
      [multipart, null],
    ] as const) {
      scene.policy.now += 1_000;
      const answer = await post(linkOf(), body, type);
      expect([answer.status, answer.redirected]).to.deep.equal([200, false]);
      expect(await scene.mutedUntil()).to.equal(scene.policy.now + 7 * DAY);
    }
  });

  it('ignores a query: mail services add to links', async () => {
    const { linkOf } = await scene.node();
    await pageIn(await fetch(`${linkOf()}?utm_source=mail`));
    await pageIn(await post(`${linkOf()}?a=b`, 'for=3600'));
    expect(await scene.mutedUntil()).to.equal(NOON + HOUR);
  });

  it('works after a restart and on another node of the same store', async () => {
    const link = (await scene.node()).linkOf();
    await scene.policy.restart();
    const other = await scene.node(scene.policy.secondPolicy());
    const there = new URL(new URL(link).pathname, other.linkOf()).href;
    await pageIn(await post(there, 'for=3600'));
    expect(await scene.mutedUntil()).to.equal(NOON + HOUR);
  });

  it('mutes its own subscription alone', async () => {
    const { linkOf } = await scene.node();
    const { ruleId } = await scene.policy.get(scene.subscriptionId);
    const other = await scene.policy.add({ ruleId, url: `${URL_1}/other` });
    await pageIn(await post(linkOf(other), 'for=3600'));
    expect(await scene.mutedUntil(other)).to.equal(NOON + HOUR);
    expect(await scene.mutedUntil()).to.equal(undefined);
  });
});
