import { expect } from 'chai';
import { createSessions, SESSION_S } from '../../../src/console/sessions.js';
import { request } from '../../e2e/api-client.js';
import { expectRefusal } from '../../e2e/refusal.js';
import { scenes } from '../../e2e/scene.js';
import { browserClient, DEMO, viewed } from '../browser-client.js';

const OPERATOR_TOKEN = 'let-the-operators-in';
const PATH = '/console/api/session';
const TWO_TENANTS = 'demo:demo:demo,other:eve:pass';

describe('sessions of the console', () => {
  const open = scenes();

  describe('a session', () => {
    it('is Secure if PUBLIC_URL is https, or a trusted proxy says so', async () => {
      const login = { operatorToken: OPERATOR_TOKEN };
      const isSecure = async (url: string, headers: Record<string, string> = {}): Promise<boolean> =>
        (await browserClient(url, login, headers)).setCookie.endsWith('; Secure');
      const plain = await open.service({ OPERATOR_TOKEN });
      expect(await isSecure(plain.url)).to.equal(false);
      expect(await isSecure(plain.url, { 'x-forwarded-proto': 'https' })).to.equal(false);
      const proxied = await open.service({ OPERATOR_TOKEN, TRUSTED_PROXIES: '127.0.0.1' });
      expect(await isSecure(proxied.url, { 'x-forwarded-proto': 'https' })).to.equal(true);
      expect(await isSecure(proxied.url, { 'x-forwarded-proto': 'http' })).to.equal(false);
      const secure = await open.service({ OPERATOR_TOKEN, PUBLIC_URL: 'https://rules.example.org' });
      expect(await isSecure(secure.url)).to.equal(true);
    });

    it('is taken on https from the cookie alone that no other host of the domain can set', async () => {
      const { url } = await open.service({ OPERATOR_TOKEN, TRUSTED_PROXIES: '127.0.0.1' });
      const https = { 'x-forwarded-proto': 'https' };
      const { cookie } = await browserClient(url, { operatorToken: OPERATOR_TOKEN }, https);
      expect(cookie).to.match(/^__Host-mirzam_session=/);
      expect((await viewed(url, { cookie, ...https })).viewer).to.deep.equal({ kind: 'operator' });
      const other = cookie.replace('__Host-', '');
      expect((await viewed(url, { cookie: other, ...https })).viewer).to.equal(null);
      const first = `${other}; ${cookie}`;
      expect((await viewed(url, { cookie: first, ...https })).viewer).to.deep.equal({ kind: 'operator' });
    });

    it('is not hidden by a cookie of the same name that another host of the domain has set', async () => {
      const { url } = await open.service({ OPERATOR_TOKEN });
      const { cookie } = await browserClient(url, { operatorToken: OPERATOR_TOKEN });
      const both = { cookie: `mirzam_session=other; mirzam_session=; ${cookie}` };
      expect((await viewed(url, both)).viewer).to.deep.equal({ kind: 'operator' });
    });

    it('is not hidden by any number of them, sessions of another service among them', async () => {
      const [{ url }, another] = [
        await open.service({ OPERATOR_TOKEN }),
        await open.service({ OPERATOR_TOKEN }),
      ];
      const { cookie } = await browserClient(url, { operatorToken: OPERATOR_TOKEN });
      const foreign = (await browserClient(another.url, { operatorToken: OPERATOR_TOKEN })).cookie;
      const all = [...Array<string>(50).fill('mirzam_session=a'), ...Array<string>(40).fill(foreign), cookie];
      expect((await viewed(url, { cookie: all.join('; ') })).viewer).to.deep.equal({ kind: 'operator' });
      const theirs = Array<string>(40).fill(foreign).join('; ');
      expect((await viewed(url, { cookie: theirs })).viewer).to.equal(null);
    });

    it('that was changed anywhere is none', async () => {
      const { url } = await open.service({ OPERATOR_TOKEN });
      const { cookie } = await browserClient(url, { operatorToken: OPERATOR_TOKEN });
      const [header, , iv, content, tag] = cookie.split('=')[1]!.split('.');
      const flipped = (part: string): string => (part.startsWith('A') ? 'B' : 'A') + part.slice(1);
      for (const changed of [
        [header, '', flipped(iv!), content, tag],
        [header, '', iv, flipped(content!), tag],
        [header, '', iv, content, flipped(tag!)],
        [header, '', iv, content],
        ['eyJhbGciOiJub25lIn0', '', '', 'eyJvcGVyYXRvciI6IngifQ', ''],
      ]) {
        const answer = await request(`${url}/operator/actors`, 'GET', undefined, {
          cookie: `mirzam_session=${changed.join('.')}`,
        });
        expectRefusal(answer, 401, 'log in at /console');
      }
    });

    it('outlives a restart, and ends with another OPERATOR_TOKEN', async () => {
      const DATA_DIR = await open.folder();
      const first = await open.service({ OPERATOR_TOKEN, DATA_DIR });
      const { cookie } = await browserClient(first.url, { operatorToken: OPERATOR_TOKEN });
      const tenant = await browserClient(first.url, DEMO);
      await first.close();
      const same = await open.service({ OPERATOR_TOKEN, DATA_DIR });
      expect((await viewed(same.url, { cookie })).viewer).to.deep.equal({ kind: 'operator' });
      await same.close();
      const other = await open.service({ OPERATOR_TOKEN: `${OPERATOR_TOKEN}-2`, DATA_DIR });
      expect((await viewed(other.url, { cookie })).viewer).to.equal(null);
      expect((await viewed(other.url, { cookie: tenant.cookie })).viewer).to.include({ kind: 'tenant' });
      const answer = await request(`${other.url}/operator/actors`, 'GET', undefined, { cookie });
      expectRefusal(answer, 401);
      await other.close();
      const local = await open.service({ DATA_DIR });
      const proxied = { cookie, via: 'a proxy' };
      expect((await viewed(local.url, proxied)).viewer).to.equal(null);
    });

    it('holds a token of 2,700 characters', async () => {
      const { sessions, read } = sessionsOf();
      const { sealed } = await sessions.open({ kind: 'tenant', token: 'x'.repeat(2_700) });
      expect(sealed.length).to.be.lessThan(3_900);
      expect(await read(sealed)).to.deep.include({ holder: { kind: 'tenant', token: 'x'.repeat(2_700) } });
    });
    it('ends after twelve hours', async () => {
      const { sessions, read, clock } = sessionsOf();
      const { sealed } = await sessions.open({ kind: 'operator' });
      clock.now += SESSION_S * 1000 - 1000;
      expect(await read(sealed)).to.deep.include({ holder: { kind: 'operator' } });
      clock.now += 1001;
      expect(await read(sealed)).to.equal(undefined);
    });

    it('of a tenant ends with its token', async () => {
      const DATA_DIR = await open.folder();
      const first = await open.service({ IDENTITY_USERS: TWO_TENANTS, DATA_DIR });
      const eve = { tenantName: 'other', username: 'eve', password: 'pass' };
      const { cookie } = await browserClient(first.url, eve);
      await first.close();
      const users = TWO_TENANTS.replace('eve:pass', 'eve:changed');
      const { url } = await open.service({ IDENTITY_USERS: users, DATA_DIR });
      expect((await viewed(url, { cookie })).viewer).to.equal(null);
      expectRefusal(await request(`${url}/v1.0/other`, 'GET', undefined, { cookie }), 401);
    });

    it('of a tenant opens neither /operator nor the paths of another tenant', async () => {
      const settings: readonly Record<string, string>[] = [{}, { OPERATOR_TOKEN }];
      for (const more of settings) {
        const { url } = await open.service({ IDENTITY_USERS: TWO_TENANTS, ...more });
        const eve = await browserClient(url, { tenantName: 'other', username: 'eve', password: 'pass' });
        expectRefusal(await eve.call('GET', '/operator/actors'), 403, 'a tenant’s');
        expectRefusal(await eve.call('GET', '/operator/nothing'), 403, 'a tenant’s');
        expectRefusal(await eve.call('GET', '/metrics'), 403, 'a tenant’s');
        expectRefusal(await eve.call('GET', '/v1.0/demo'), 403, 'tenantId in the path');
        expectRefusal(await eve.call('GET', '/console/mail/x'), 403, 'for operators');
        expect((await eve.call('GET', '/v1.0/other')).status).to.equal(200);
      }
    });

    it('of an operator opens no tenant’s paths', async () => {
      const { url } = await open.service({ OPERATOR_TOKEN });
      const operator = await browserClient(url, { operatorToken: OPERATOR_TOKEN });
      expectRefusal(await operator.call('GET', '/v1.0/demo/webhook-secret'), 403, 'an operator’s');
    });

    it('gives way to a token in a header', async () => {
      const { url, api } = await open.service({ OPERATOR_TOKEN, IDENTITY_USERS: TWO_TENANTS });
      await api.call('PUT', '/v1.0/demo', { windowsize: 4 });
      const eve = await browserClient(url, { tenantName: 'other', username: 'eve', password: 'pass' });
      const { cookie } = eve;
      const headerForms: readonly Record<string, string>[] = [
        { 'x-auth-token': api.token },
        { authorization: `Bearer ${api.token}` },
      ];
      for (const headers of headerForms) {
        const answer = await request(`${url}/v1.0/demo`, 'GET', undefined, { cookie, ...headers });
        expect(answer.status, answer.text).to.equal(200);
        const changed = await request(`${url}/v1.0/demo`, 'PUT', { windowsize: 5 }, { cookie, ...headers });
        expect(changed.status, 'a change without X-CSRF-Token').to.equal(200);
      }
      const wrong = { cookie, 'x-auth-token': 'wrong' };
      expectRefusal(await request(`${url}/v1.0/other`, 'GET', undefined, wrong), 401);
      const operator = { cookie, 'x-operator-token': OPERATOR_TOKEN };
      expect((await request(`${url}/operator/actors`, 'GET', undefined, operator)).status).to.equal(200);
      const basic = { cookie, authorization: 'Basic cHJveHk6cHJveHk=' };
      expect((await request(`${url}/v1.0/other`, 'GET', undefined, basic)).status).to.equal(200);
    });

    it('is not used by operation 1, nor by the ledger', async () => {
      const { url } = await open.service({ FACTS_AUTH: 'token', LEDGER: 'on', LEDGER_AUTH: 'token' });
      const demo = await browserClient(url, DEMO);
      const fact = { contextResponses: [] };
      expectRefusal(await demo.call('POST', '/v1.0/demo/servers/a', fact), 401, 'X-Auth-Token is missing');
      expect((await demo.call('GET', '/entity')).status).to.equal(401);
    });
  });

  describe('a logout', () => {
    it('removes the cookie', async () => {
      const { url } = await open.service({ OPERATOR_TOKEN });
      const operator = await browserClient(url, { operatorToken: OPERATOR_TOKEN });
      const answer = await operator.call('DELETE', PATH);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body).to.deep.include({ viewer: null, csrf: null });
      expect(answer.headers.get('set-cookie')).to.equal(
        'mirzam_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
      );
    });

    it('of a tenant returns to the local operator without OPERATOR_TOKEN', async () => {
      const { url } = await open.service();
      const tenant = await browserClient(url, DEMO);
      expect((await viewed(url, { cookie: tenant.cookie })).viewer).to.include({ tenantName: 'demo' });
      expect((await tenant.call('DELETE', PATH)).body).to.deep.include({ viewer: { kind: 'operator' } });
    });
  });
});

/** Sessions of an operator with a clock of their own, and a reader of their cookies. */
function sessionsOf() {
  const clock = { now: Date.parse('2026-11-01T12:00:00Z') };
  const sessions = createSessions({
    secret: new Uint8Array(32).fill(7),
    operatorToken: OPERATOR_TOKEN,
    publicUrl: () => 'http://localhost',
    now: () => clock.now,
  });
  const read = (sealed: string) => {
    const headers = { cookie: `other=1; mirzam_session=${sealed}` };
    return sessions.read({ headers, method: 'GET' } as Parameters<typeof sessions.read>[0]);
  };
  return { sessions, read, clock };
}
