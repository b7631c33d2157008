import { expect } from 'chai';
import { request } from '../../e2e/api-client.js';
import { expectRefusal } from '../../e2e/refusal.js';
import { type Scenes, scenes } from '../../e2e/scene.js';
import { reservedPort } from '../../servers/ports.js';
import { type SsoStage, ssoStage, type StageBrowser } from './sso-stage.js';

const IDENTITY_USERS = 'demo:demo:demo,acme:carl:password';
const SESSION = '/console/api/session';

/** Expects that nobody is logged in, and that the login page says why. */
async function expectFailure(browser: StageBrowser, ...words: readonly string[]): Promise<void> {
  const { viewer, sso } = await browser.session();
  expect(viewer).to.equal(null);
  for (const word of words) expect(sso?.outcome?.message).to.contain(word);
}

/** Returns the settings of two services in succession with the same data and address. */
async function lasting(open: Scenes): Promise<Readonly<Record<string, string>>> {
  const PORT = String(await reservedPort());
  return { DATA_DIR: await open.folder(), PORT, PUBLIC_URL: `http://127.0.0.1:${PORT}` };
}

/** Sends a request with the cookies of a browser. */
function call(
  browser: StageBrowser,
  url: string,
  method = 'GET',
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return request(url, method, body, { cookie, ...headers });
}

describe('a login at an OpenID provider', () => {
  const open = scenes();

  it('makes a session of the tenant that the claim names, with the name of the person', async () => {
    const { url, browser } = await ssoStage(open, { IDENTITY_USERS });
    const ann = browser();
    const page = await ann.logIn('ann', '?next=/console/rules');
    expect(page.url).to.equal(`${url}/console/rules`);
    const { viewer, csrf } = await ann.session();
    expect(viewer).to.deep.include({ kind: 'tenant', tenantName: 'acme', user: 'ann@acme.example' });
    expect(ann.cookies.has('mirzam_login'), 'the cookie of the login is gone').to.equal(false);
    expect((await call(ann, `${url}/v1.0/acme`)).status).to.equal(200);
    expectRefusal(await call(ann, `${url}/v1.0/demo`), 403, 'tenantId in the path');
    expectRefusal(await call(ann, `${url}/operator/actors`), 403, 'a tenant’s');
    expectRefusal(await call(ann, `${url}/v1.0/acme`, 'PUT', { windowsize: 4 }), 403, 'X-CSRF-Token');
    const changed = await call(ann, `${url}/v1.0/acme`, 'PUT', { windowsize: 4 }, { 'x-csrf-token': csrf! });
    expect(changed.status, changed.text).to.equal(200);
  });

  it('has the audit show who made a change, tenants and operators', async () => {
    const { url, browser } = await ssoStage(open);
    const [ann, olga] = [browser(), browser()];
    for (const [one, name, size] of [
      [ann, 'ann', 4],
      [olga, 'olga', 5],
    ] as const) {
      await one.logIn(name);
      const { csrf, viewer } = await one.session();
      const tenantId = viewer?.kind === 'tenant' ? viewer.tenantName : 'acme';
      const headers = { 'x-csrf-token': csrf! };
      const changed = await call(one, `${url}/v1.0/${tenantId}`, 'PUT', { windowsize: size }, headers);
      expect(changed.status, changed.text).to.equal(200);
    }
    const { text } = await call(olga, `${url}/operator/audit`);
    expect(text).to.contain('"who":"ann@acme.example"').and.to.contain('"who":"Olga Operator"');
  });

  it('is the same tenant as that of a user of the embedded identity', async () => {
    const { url, browser } = await ssoStage(open, { IDENTITY_USERS });
    const ann = browser();
    await ann.logIn('ann');
    const carl = await request(`${url}${SESSION}`, 'POST', {
      tenantName: 'acme',
      username: 'carl',
      password: 'password',
    });
    const { viewer } = carl.body as unknown as { viewer: { tenantId: string } };
    expect((await ann.session()).viewer).to.deep.include({ tenantId: viewer.tenantId });
  });

  it('makes an operator of who has the value in the claim, also a nested one', async () => {
    const { url, browser } = await ssoStage(open);
    const olga = browser();
    await olga.logIn('olga');
    expect((await olga.session()).viewer).to.deep.equal({ kind: 'operator', user: 'Olga Operator' });
    expect((await call(olga, `${url}/operator/actors`)).status).to.equal(200);
    await olga.logIn('olga', '?tenant=acme');
    expect((await olga.session()).viewer).to.deep.include({ kind: 'tenant', tenantName: 'acme' });
  });

  it('works with claims that only the userinfo endpoint has', async () => {
    const { browser } = await ssoStage(open, {}, { thin: true });
    const [ann, olga] = [browser(), browser()];
    await ann.logIn('ann');
    expect((await ann.session()).viewer).to.deep.include({ tenantName: 'acme', user: 'ann@acme.example' });
    await olga.logIn('olga');
    expect((await olga.session()).viewer).to.deep.include({ kind: 'operator' });
  });

  it('offers the tenants of a person who has several, and refuses one that is not theirs', async () => {
    const { url, browser } = await ssoStage(open);
    const bob = browser();
    const page = await bob.logIn('bob', '?next=/console/rules');
    expect(page.url).to.equal(`${url}/console/login?sso=failed&next=%2Fconsole%2Frules`);
    expect((await bob.session()).sso?.outcome?.tenants).to.deep.equal(['acme', 'bolt']);
    await bob.logIn('bob', '?tenant=other');
    await expectFailure(bob, '"Bob"', 'is not of the tenant "other"');
    await bob.logIn('bob', '?tenant=bolt');
    expect((await bob.session()).viewer).to.deep.include({ tenantName: 'bolt' });
  });

  it('says which claim is missing', async () => {
    const { browser } = await ssoStage(open, { IDENTITY_TENANT_CLAIM: 'org' });
    const zed = browser();
    await zed.logIn('zed');
    await expectFailure(zed, '"Zed"', 'claim "org" is missing', 'administrator of the provider');
  });

  it('says what the provider said when it refuses', async () => {
    const { browser } = await ssoStage(open);
    const nobody = browser();
    await nobody.logIn('nobody');
    await expectFailure(nobody, 'access_denied, nobody may enter');
  });

  it('leads to pages of the console alone', async () => {
    const { url, browser } = await ssoStage(open);
    for (const next of [
      'https://evil.example/',
      '//evil.example',
      '/operator/actors',
      '/console/login',
      '/console/api/session',
      '/console.evil',
      '/console/%0d%0ax: y\r\n',
    ]) {
      const page = await browser().logIn('ann', `?next=${encodeURIComponent(next)}`);
      expect(page.url, next).to.equal(`${url}/console`);
    }
  });

  it('begins at PUBLIC_URL, whose cookie the callback gets', async () => {
    const { browser, service } = await ssoStage(open);
    const other = service.url.replace('127.0.0.1', 'localhost');
    const moved = await browser().get(`${other}/console/login/start?next=/console/rules`);
    expect(moved.location).to.equal(`${service.url}/console/login/start?next=/console/rules&at=public`);
    const stayed = await browser().get(`${other}/console/login/start?at=public`);
    expect(new URL(stayed.location!).pathname, 'a proxy may replace Host').to.equal('/auth');
  });

  it('of which the secrets appear in no log, and in no cookie in clear', async () => {
    const stage = await ssoStage(open, { LOG_LEVEL: 'trace' });
    const ann = stage.browser();
    const callback = new URL(await ann.until('ann'));
    const cookies = [...ann.cookies.values()].join();
    await ann.open(callback.href);
    const secrets = [callback.searchParams.get('code')!, stage.provider.settings['OIDC_CLIENT_SECRET']!];
    for (const secret of secrets) expect(stage.service.logged.join(), secret).to.not.contain(secret);
    expect(cookies).to.not.contain(callback.searchParams.get('state'));
    expect([...ann.cookies.values()].join()).to.not.contain(Buffer.from('acme').toString('base64url'));
  });
});

describe('the callback of an OpenID provider is refused', () => {
  const open = scenes();

  async function callbackOf({ browser }: SsoStage, name = 'ann') {
    const own = browser();
    return { own, callback: await own.until(name) };
  }

  it('in another browser than the one that began the login', async () => {
    const stage = await ssoStage(open);
    const { own, callback } = await callbackOf(stage);
    const victim = stage.browser();
    await victim.open(callback);
    await expectFailure(victim, 'belongs to no login of this browser');
    await own.open(callback);
    expect((await own.session()).viewer, 'the provider has seen no code').to.deep.include({ kind: 'tenant' });
  });

  it('with a forged or a missing state', async () => {
    const stage = await ssoStage(open);
    for (const state of ['forged', '']) {
      const { own, callback } = await callbackOf(stage);
      const forged = new URL(callback);
      forged.searchParams.set('state', state);
      if (state === '') forged.searchParams.delete('state');
      await own.open(forged.href);
      await expectFailure(own, 'belongs to no login of this browser');
    }
  });

  it('with the code of another login, whose PKCE verifier this browser does not have', async () => {
    const stage = await ssoStage(open);
    const attacker = await callbackOf(stage, 'olga');
    const { own, callback } = await callbackOf(stage);
    const injected = new URL(callback);
    injected.searchParams.set('code', new URL(attacker.callback).searchParams.get('code')!);
    await own.open(injected.href);
    await expectFailure(own, 'has expired, or was used already');
  });

  it('from another issuer', async () => {
    const stage = await ssoStage(open);
    const { own, callback } = await callbackOf(stage);
    const mixed = new URL(callback);
    mixed.searchParams.set('iss', 'https://evil.example');
    await own.open(mixed.href);
    await expectFailure(own, 'is not valid', 'iss');
  });

  it('a second time, with the cookies of the first time too', async () => {
    const stage = await ssoStage(open);
    const { own, callback } = await callbackOf(stage);
    const cookies = new Map(own.cookies);
    await own.open(callback);
    expect((await own.session()).viewer).to.deep.include({ kind: 'tenant' });

    const replay = stage.browser();
    for (const [name, value] of cookies) replay.cookies.set(name, value);
    await replay.open(callback);
    await expectFailure(replay, 'This login was used already');
  });

  it('a second time by a node that has forgotten the first, because the provider takes no code twice', async () => {
    const again = await lasting(open);
    const stage = await ssoStage(open, again);
    const { own, callback } = await callbackOf(stage);
    const cookies = new Map(own.cookies);
    await own.open(callback);
    await stage.service.close();
    const settings = { OPERATOR_TOKEN: 'let-the-operators-in', ...stage.provider.settings, ...again };
    await open.service(settings);
    const replay = stage.browser();
    for (const [name, value] of cookies) replay.cookies.set(name, value);
    await replay.open(callback);
    await expectFailure(replay, 'has expired, or was used already');
    expect((await own.session()).viewer, 'sessions outlive a restart').to.deep.include({ kind: 'tenant' });
  });

  it('ten minutes after the login began', async () => {
    const clock = { ahead: 0 };
    const stage = await ssoStage(open, {}, { now: () => Date.now() + clock.ahead });
    const { own, callback } = await callbackOf(stage);
    clock.ahead = 601_000;
    await own.open(callback);
    await expectFailure(own, 'belongs to no login of this browser');
  });
});

describe('a session of a login at an OpenID provider', () => {
  const open = scenes();

  it('ends after OIDC_SESSION_S', async () => {
    const clock = { ahead: 0 };
    const settings = { OIDC_SESSION_S: '3600' };
    const { browser } = await ssoStage(open, settings, { now: () => Date.now() + clock.ahead });
    const ann = browser();
    await ann.logIn('ann');
    clock.ahead = 3_590_000;
    expect((await ann.session()).viewer).to.deep.include({ kind: 'tenant' });
    clock.ahead = 3_601_000;
    expect((await ann.session()).viewer).to.equal(null);
  });

  it('ends with another setting of the provider, of an operator too', async () => {
    const again = await lasting(open);
    const stage = await ssoStage(open, again);
    const [ann, olga] = [stage.browser(), stage.browser()];
    await ann.logIn('ann');
    await olga.logIn('olga');
    await stage.service.close();
    const { settings } = stage.provider;
    const changed = { OPERATOR_TOKEN: 'let-the-operators-in', ...settings, OIDC_OPERATOR_VALUE: 'other' };
    await open.service({ ...changed, ...again });
    for (const browser of [ann, olga]) expect((await browser.session()).viewer).to.equal(null);
  });

  it('ends at the provider too with a logout', async () => {
    const { url, browser } = await ssoStage(open);
    const ann = browser();
    await ann.logIn('ann');
    const { csrf } = await ann.session();
    const answer = await call(ann, url + SESSION, 'DELETE', undefined, { 'x-csrf-token': csrf! });
    expect(answer.headers.get('set-cookie')).to.match(/^mirzam_session=; .*Max-Age=0/);
    const leave = new URL((answer.body as unknown as { providerLogout: string }).providerLogout);
    expect(leave.searchParams.get('id_token_hint')).to.match(/^ey/);
    expect(leave.searchParams.get('post_logout_redirect_uri')).to.equal(`${url}/console/login`);

    const ask = await ann.get(leave.href);
    const xsrf = /name="xsrf" value="(\w+)"/.exec(ask.text)![1]!;
    const left = await ann.post(`${leave.origin}/session/end/confirm`, { xsrf, logout: 'yes' });
    expect(left.location).to.equal(`${url}/console/login`);
    const again = await ann.open(`${url}/console/login/start`);
    expect(again.text, 'the provider asks for the name again').to.contain('<h1>Provider</h1>');
  });

  it('of a password has no logout at the provider', async () => {
    const { url, browser } = await ssoStage(open);
    const form = { tenantName: 'demo', username: 'demo', password: 'demo' };
    const demo = await request(url + SESSION, 'POST', form);
    const own = browser();
    own.cookies.set('mirzam_session', /mirzam_session=([^;]+)/.exec(demo.headers.get('set-cookie')!)![1]!);
    const { csrf } = await own.session();
    const answer = await call(own, url + SESSION, 'DELETE', undefined, { 'x-csrf-token': csrf! });
    expect(answer.body).to.deep.include({ providerLogout: null });
  });
});

describe('an OpenID provider that fails', () => {
  const open = scenes();

  it('stops no start and no other login, and is tried again', async () => {
    const { url, provider, browser } = await ssoStage(open, {}, { isDown: true });
    const ann = browser();
    const page = await ann.open(`${url}/console/login/start?next=/console/rules`);
    expect(page.url).to.equal(`${url}/console/login?sso=failed&next=%2Fconsole%2Frules`);
    await expectFailure(ann, `The OpenID provider ${provider.issuer} cannot be used`, '503');
    expect((await ann.session()).sso?.problem).to.contain('cannot be used');
    const demo = { tenantName: 'demo', username: 'demo', password: 'demo' };
    expect((await request(url + SESSION, 'POST', demo)).status).to.equal(200);

    provider.serve(url);
    await ann.logIn('ann');
    expect((await ann.session()).viewer).to.deep.include({ kind: 'tenant' });
    expect((await ann.session()).sso).to.deep.equal({ problem: null, outcome: null });
  });

  it('that is down when the callback comes is said so', async () => {
    const { provider, browser } = await ssoStage(open);
    const ann = browser();
    const callback = await ann.until('ann');
    provider.fail();
    await ann.open(callback);
    const { viewer, sso } = await ann.session();
    expect(viewer).to.equal(null);
    expect(sso?.outcome?.message).to.equal('The OpenID provider failed: it answered 503. Log in again.');
  });

  it('because it knows another secret names the settings', async () => {
    const { browser } = await ssoStage(open, { OIDC_CLIENT_SECRET: 'wrong' });
    const ann = browser();
    await ann.logIn('ann');
    await expectFailure(ann, 'OIDC_CLIENT_ID and OIDC_CLIENT_SECRET');
  });

  it('because it is another issuer says so', async () => {
    const { url, provider, browser } = await ssoStage(open);
    const other = await open.service({
      OPERATOR_TOKEN: 'let-the-operators-in',
      ...provider.settings,
      OIDC_ISSUER: `${provider.issuer}/`.replace('127.0.0.1', 'localhost'),
    });
    expect(other.url).to.not.equal(url);
    const ann = browser();
    await ann.open(`${other.url}/console/login/start`);
    const { body } = await call(ann, other.url + SESSION);
    expect(JSON.stringify(body)).to.contain('does not match the expected issuer');
  });
});
