import { expect } from 'chai';
import { SESSION_S } from '../../../src/console/sessions.js';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { request } from '../../e2e/api-client.js';
import { expectRefusal } from '../../e2e/refusal.js';
import { runService } from '../../e2e/running-service.js';
import { scenes } from '../../e2e/scene.js';
import { browserClient, DEMO, logIn, viewed } from '../browser-client.js';

const OPERATOR_TOKEN = 'let-the-operators-in';

describe('login at the console', () => {
  const open = scenes();

  describe('GET /console/api/session', () => {
    it('has no viewer before the login if OPERATOR_TOKEN is set, and names the logins', async () => {
      const { url } = await open.service({ OPERATOR_TOKEN });
      expect(await viewed(url)).to.deep.include({
        viewer: null,
        csrf: null,
        logins: ['operatorToken', 'tenantPassword', 'tenantToken'],
        development: true,
        publicUrl: url,
        demoUser: true,
        openLedger: false,
        measurements: { auth: 'open', hdd: 'used' },
        tenants: [],
      });
    });

    it('has the operator without OPERATOR_TOKEN on this machine, and nobody through a proxy', async () => {
      const { url } = await open.service();
      const view = await viewed(url);
      expect(view.viewer).to.deep.equal({ kind: 'operator' });
      expect(view.tenants.map(({ name }) => name)).to.deep.equal(['demo']);
      expect(view.logins).to.deep.equal(['tenantPassword', 'tenantToken']);
      expect((await viewed(url, { via: 'a proxy' })).viewer).to.equal(null);
    });
  });

  describe('POST /console/api/session', () => {
    it('of an operator opens /operator and /metrics', async () => {
      const { url } = await open.service({ OPERATOR_TOKEN });
      const operator = await browserClient(url, { operatorToken: OPERATOR_TOKEN });
      expect(operator.view.viewer).to.deep.equal({ kind: 'operator' });
      expect(operator.setCookie).to.match(
        new RegExp(`^mirzam_session=[\\w.-]+; Path=/; Max-Age=${SESSION_S}; HttpOnly; SameSite=Strict$`),
      );
      expect(operator.setCookie).not.to.include(OPERATOR_TOKEN);
      for (const path of ['/operator/actors', '/metrics']) {
        expect((await operator.call('GET', path)).status, path).to.equal(200);
        expect((await request(url + path, 'GET')).status, path).to.equal(401);
      }
      expect((await viewed(url, { cookie: operator.cookie })).csrf).to.equal(operator.csrf);
    });

    it('of a tenant, by password or token, opens its paths of the policy API', async () => {
      const { url, api } = await open.service({ OPERATOR_TOKEN });
      for (const body of [DEMO, { token: api.token }]) {
        const tenant = await browserClient(url, body);
        expect(tenant.view.viewer).to.include({ kind: 'tenant', tenantName: 'demo' });
        expect(tenant.view.tenants).to.deep.equal([]);
        const changed = await tenant.call('PUT', '/v1.0/demo', { windowsize: 4 });
        expect(changed.status, changed.text).to.equal(200);
        expect((await tenant.call('GET', '/v1.0/demo')).body).to.deep.include({ windowsize: 4 });
      }
    });

    it('that is wrong is 401 and says what to do, without a cookie', async () => {
      const { url } = await open.service({ OPERATOR_TOKEN });
      for (const [body, words] of [
        [{ operatorToken: 'wrong' }, 'OPERATOR_TOKEN of this service'],
        [{ ...DEMO, password: 'wrong' }, 'password is wrong'],
        [{ token: 'wrong' }, 'get a new one'],
      ] as const) {
        const answer = await logIn(url, body);
        expectRefusal(answer, 401, words);
        expect(answer.headers.get('set-cookie')).to.equal(null);
      }
    });

    it('with other members is 400 and names those that there are', async () => {
      const { url } = await open.service({ OPERATOR_TOKEN });
      for (const body of [
        {},
        [],
        null,
        { operatorToken: 7 },
        { operatorToken: '' },
        { operatorToken: OPERATOR_TOKEN, token: 'x' },
        { tenantName: 'demo', username: 'demo' },
        { ...DEMO, more: 'x' },
      ]) {
        expectRefusal(await logIn(url, body), 400, '{"operatorToken"}', '{"token"}');
      }
    });

    it('of an operator is 400 if there is no OPERATOR_TOKEN', async () => {
      const { url } = await open.service();
      expectRefusal(await logIn(url, { operatorToken: 'x' }), 400, 'has no OPERATOR_TOKEN');
    });

    it('is limited: ten wrong guesses, then 429, of passwords together with those at /identity', async () => {
      const { url } = await open.service({ OPERATOR_TOKEN });
      for (let i = 0; i < 10; i += 1) {
        expectRefusal(await logIn(url, { operatorToken: `wrong ${i}` }), 401);
        expectRefusal(await logIn(url, { ...DEMO, password: `wrong ${i}` }), 401);
      }
      const refused = await logIn(url, { operatorToken: OPERATOR_TOKEN });
      expectRefusal(refused, 429, 'too many wrong attempts');
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 30);
      expectRefusal(await logIn(url, DEMO), 429);
      const auth = { tenantName: 'demo', passwordCredentials: { username: 'demo', password: 'demo' } };
      expectRefusal(await request(`${url}/identity/v2.0/tokens`, 'POST', { auth }), 429);
    });

    it('with IDENTITY=jwt takes tokens alone, none that is too long for a cookie', async () => {
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      const jwk = await exportJWK(publicKey);
      const keys = await open.receiver((response) => response.end(JSON.stringify({ keys: [jwk] })));
      const service = await runService({
        OPERATOR_TOKEN,
        IDENTITY: 'jwt',
        IDENTITY_URL: keys.origin,
        IDENTITY_AUDIENCE: 'mirzam',
        IDENTITY_ISSUER: 'https://id.example.org',
      });
      open.keep(service, () => service.close());
      const tokenWith = (more: object): Promise<string> =>
        new SignJWT({ tenant: 'acme', iss: 'https://id.example.org', aud: 'mirzam', ...more })
          .setProtectedHeader({ alg: 'ES256' })
          .setExpirationTime('1h')
          .sign(privateKey);
      const { url } = service;
      const tenant = await browserClient(url, { token: await tokenWith({}) });
      expect(tenant.view.viewer).to.deep.equal({ kind: 'tenant', tenantId: 'acme', tenantName: 'acme' });
      expect(tenant.view.logins).to.deep.equal(['operatorToken', 'tenantToken']);
      const long = await logIn(url, { token: await tokenWith({ pad: 'x'.repeat(2_700) }) });
      expectRefusal(long, 400, 'token: too long for a cookie');
      expect(long.headers.get('set-cookie')).to.equal(null);
      expectRefusal(await logIn(url, DEMO), 400, 'takes no passwords', '{"token"}');
    });
  });
});
