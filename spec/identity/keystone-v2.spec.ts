import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { keystoneV2 } from '../../src/identity/keystone.js';
import { IdentityUnavailable, type IssuingIdentity } from '../../src/identity/port.js';
import {
  ADMIN,
  type KeystoneV2StandIn,
  LOGIN_TTL_S,
  answeredLogin,
  keystoneV2StandIn,
} from './keystone-v2-stand-in.js';
import { rejectionOf } from '../rejection.js';
import { impossibleTokens } from './remote.features.js';
import { answerJson, standIn } from './stand-in.js';

const START = Date.parse('2026-03-01T12:00:00Z');
const SOON = '2026-03-01T13:00:00Z';

describe('keystone-v2', () => {
  let clock: number;
  let keystone: KeystoneV2StandIn;
  let identity: IssuingIdentity;

  beforeEach(async () => {
    clock = START;
    keystone = await keystoneV2StandIn(() => clock);
    identity = open(keystone.url);
  });
  afterEach(async () => {
    await identity.close();
    await keystone.close();
  });

  function open(url: string, timeoutMs = 5_000): IssuingIdentity {
    return keystoneV2({ url, admin: ADMIN, timeoutMs, now: () => clock });
  }

  describe('a token', () => {
    it('authenticates Keystone’s tenant until it expires', async () => {
      const token = keystone.issue('acme', 600);
      expect(await identity.verify(token)).to.deep.equal({
        tenant: { id: 'acme-id', name: 'acme' },
        user: 'somebody',
        expiresAt: START + 600_000,
      });
    });

    it('is invalid if Keystone does not know it', async () => {
      expect(await identity.verify('b4d')).to.equal(undefined);
    });

    it('is invalid once it is revoked', async () => {
      const token = keystone.issue('acme', 600);
      expect(await identity.verify(token)).not.to.equal(undefined);
      keystone.revoke(token);
      expect(await identity.verify(token)).to.equal(undefined);
    });

    it('is invalid once expired, even if Keystone’s clock is behind', async () => {
      const token = keystone.issue('acme', 600);
      const ahead = keystoneV2({
        url: keystone.url,
        admin: ADMIN,
        timeoutMs: 5_000,
        now: () => START + 600_000,
      });
      expect(await ahead.verify(token)).to.equal(undefined);
      await ahead.close();
    });

    it('is invalid without a tenant', async () => {
      expect(await identity.verify(keystone.issue(undefined, 600))).to.equal(undefined);
    });

    it('is one segment of the path, whatever its characters', async () => {
      expect(await identity.verify('../users?a=b#c%2F')).to.equal(undefined);
      expect(keystone.requests.at(-1)?.path).to.equal('/v2.0/tokens/..%2Fusers%3Fa%3Db%23c%252F');
    });

    impossibleTokens((url) => open(url));
  });

  describe('a login', () => {
    it('issues a token of the tenant, and needs no token of the service', async () => {
      const token = await identity.login(keystone.user);
      expect(keystone.requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
        'POST /v2.0/tokens',
      ]);
      expect((await identity.verify(token!))?.tenant).to.deep.equal({ id: 'acme-id', name: 'acme' });
    });

    it('is refused with wrong credentials', async () => {
      const { tenant, user, password } = keystone.user;
      for (const wrong of [
        { tenant, user, password: 'wrong' },
        { tenant: 'other', user, password },
        { tenant, user: 'bob', password },
      ]) {
        expect(await identity.login(wrong)).to.equal(undefined);
      }
    });

    it('is unavailable if Keystone fails or does not answer, without the password in the error', async () => {
      for (const handler of [
        (_: unknown, response: ServerResponse) => answerJson(response, 500, {}),
        () => undefined,
      ]) {
        const server = await standIn(handler);
        const failing = open(server.url, 150);
        const error = await rejectionOf(failing.login(keystone.user));
        expect(error).to.be.instanceOf(IdentityUnavailable);
        expect(inspect(error, { depth: 9 })).not.to.contain(keystone.user.password);
        await server.close();
      }
    });
  });

  describe('the service’s own token', () => {
    it('is requested as documented', async () => {
      await identity.verify(keystone.issue('acme', 600));
      const [login] = keystone.requests;
      expect(login?.headers['content-type']).to.equal('application/json');
      expect(JSON.parse(login?.body ?? '')).to.deep.equal({
        auth: {
          tenantName: 'service',
          passwordCredentials: { username: 'policies', password: 'pa55-of-the-service' },
        },
      });
    });

    it('is shared by all verifications, concurrent ones included', async () => {
      const tokens = [keystone.issue('a', 600), keystone.issue('b', 600), keystone.issue('c', 600)];
      const principals = await Promise.all(tokens.map((token) => identity.verify(token)));
      expect(principals.map((principal) => principal?.tenant.name)).to.deep.equal(['a', 'b', 'c']);
      await identity.verify(keystone.issue('d', 600));
      expect(keystone.logins).to.have.length(1);
    });

    it('is renewed before it expires', async () => {
      const token = keystone.issue('acme', 2 * LOGIN_TTL_S);
      await identity.verify(token);
      clock = START + LOGIN_TTL_S * 1000 - 1_000;
      expect(await identity.verify(token)).not.to.equal(undefined);
      expect(keystone.logins).to.have.length(2);
      expect(keystone.requests.at(-1)?.headers['x-auth-token']).to.equal(keystone.logins[1]);
    });

    it('is renewed when Keystone refuses it', async () => {
      const token = keystone.issue('acme', 600);
      await identity.verify(token);
      keystone.revoke(keystone.logins[0] ?? '');
      const both = await Promise.all([identity.verify(token), identity.verify(token)]);
      expect(both.map((principal) => principal?.tenant.name)).to.deep.equal(['acme', 'acme']);
      expect(keystone.logins).to.have.length(2);
    });

    it('is renewed once per verification', async () => {
      const server = await standIn((request, response) => {
        if (!answeredLogin(request, response, SOON)) answerJson(response, 401, {});
      });
      const strict = open(server.url);
      expect(await strict.verify('abc')).to.equal(undefined);
      expect(server.requests.map(({ method }) => method)).to.deep.equal(['POST', 'GET', 'POST', 'GET']);
      await strict.close();
      await server.close();
    });

    it('is not dropped for a late refusal of the previous token', async () => {
      let logins = 0;
      let refuseLate = () => {};
      let arrived = () => {};
      const late = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const server = await standIn(({ method, path, headers }, response) => {
        if (method === 'POST') {
          logins += 1;
          answerJson(response, 200, { access: { token: { id: `own-${logins}`, expires: SOON } } });
        } else if (headers['x-auth-token'] !== 'own-1') answerJson(response, 404, {});
        else if (path === '/tokens/quick') answerJson(response, 401, {});
        else {
          refuseLate = () => answerJson(response, 401, {});
          arrived();
        }
      });
      const busy = open(server.url);
      const slow = busy.verify('slow');
      await late;
      expect(await busy.verify('quick')).to.equal(undefined);
      refuseLate();
      expect(await slow).to.equal(undefined);
      expect(logins).to.equal(2);
      await busy.close();
      await server.close();
    });

    it('is unavailable if the login’s answer has no token', async () => {
      const server = await standIn((_, response) =>
        answerJson(response, 200, { access: { token: { expires: SOON } } }),
      );
      const odd = open(server.url);
      expect(await rejectionOf(odd.verify('abc')))
        .to.be.instanceOf(IdentityUnavailable)
        .with.property('message')
        .that.contains('access.token.id');
      await odd.close();
      await server.close();
    });

    it('is reported as refused with the settings’ names, without the password', async () => {
      keystone.password = 'changed';
      const error = await rejectionOf(identity.verify(keystone.issue('acme', 600)));
      expect(error).to.be.instanceOf(IdentityUnavailable);
      expect(error.message).to.match(/IDENTITY_ADMIN_TENANT.*_USER.*_PASSWORD/);
      expect(inspect(error)).not.to.contain(ADMIN.password);
    });

    it('is requested again after a refusal', async () => {
      const token = keystone.issue('acme', 600);
      keystone.password = 'changed';
      await rejectionOf(identity.verify(token));
      keystone.password = ADMIN.password;
      expect((await identity.verify(token))?.tenant.name).to.equal('acme');
    });

    it('is reported if it may not verify other tokens', async () => {
      keystone.adminRole = false;
      const error = await rejectionOf(identity.verify(keystone.issue('acme', 600)));
      expect(error).to.be.instanceOf(IdentityUnavailable);
      expect(error.message).to.match(/IDENTITY_ADMIN_USER/);
    });

    it('is not repeated in the error if no header can hold it', async () => {
      const server = await standIn((_, response) =>
        answerJson(response, 200, { access: { token: { id: 'line\nbreak', expires: SOON } } }),
      );
      const odd = open(server.url);
      const error = await rejectionOf(odd.verify('abc'));
      expect(error).to.be.instanceOf(IdentityUnavailable);
      expect(inspect(error)).not.to.match(/line\s*\\?n?break/);
      await odd.close();
      await server.close();
    });
  });
});
