import { inspect } from 'node:util';
import { expect } from 'chai';
import { keystoneV2 } from '../../src/identity/keystone-v2.js';
import { type Identity, IdentityUnavailable } from '../../src/identity/port.js';
import { ADMIN, type KeystoneV2StandIn, LOGIN_TTL_S, keystoneV2StandIn } from './keystone-v2-stand-in.js';
import { rejectionOf } from './rejection.js';
import { impossibleTokens, remoteFailures, unusableUrls } from './remote.features.js';
import { type Handler, answerJson, standIn } from './stand-in.js';

const START = Date.parse('2026-03-01T12:00:00Z');
const SOON = '2026-03-01T13:00:00Z';

describe('keystone-v2', () => {
  let clock: number;
  let keystone: KeystoneV2StandIn;
  let identity: Identity;

  beforeEach(async () => {
    clock = START;
    keystone = await keystoneV2StandIn(() => clock);
    identity = open(keystone.url);
  });
  afterEach(async () => {
    await identity.close();
    await keystone.close();
  });

  function open(url: string, timeoutMs = 5_000): Identity {
    return keystoneV2({ url, admin: ADMIN, timeoutMs, now: () => clock });
  }

  describe('a token', () => {
    it('speaks for the tenant that Keystone says, until it ends', async () => {
      const token = keystone.issue('acme', 600);
      expect(await identity.verify(token)).to.deep.equal({
        tenant: { id: 'acme-id', name: 'acme' },
        expiresAt: START + 600_000,
      });
    });

    it('is invalid when Keystone does not know it', async () => {
      expect(await identity.verify('b4d')).to.equal(undefined);
    });

    it('is invalid once it is revoked', async () => {
      const token = keystone.issue('acme', 600);
      expect(await identity.verify(token)).not.to.equal(undefined);
      keystone.revoke(token);
      expect(await identity.verify(token)).to.equal(undefined);
    });

    it('is invalid when it is over, even if Keystone’s clock is behind', async () => {
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

    it('is invalid when it belongs to no tenant', async () => {
      expect(await identity.verify(keystone.issue(undefined, 600))).to.equal(undefined);
    });

    it('is one segment of the path, whatever is in it', async () => {
      expect(await identity.verify('../users?a=b#c%2F')).to.equal(undefined);
      expect(keystone.requests.at(-1)?.path).to.equal('/v2.0/tokens/..%2Fusers%3Fa%3Db%23c%252F');
    });

    impossibleTokens((url) => open(url));
  });

  describe('the service’s own token', () => {
    it('is got with the documented request', async () => {
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

    it('is shared by all checks, those that start at once included', async () => {
      const tokens = [keystone.issue('a', 600), keystone.issue('b', 600), keystone.issue('c', 600)];
      const principals = await Promise.all(tokens.map((token) => identity.verify(token)));
      expect(principals.map((principal) => principal?.tenant.name)).to.deep.equal(['a', 'b', 'c']);
      await identity.verify(keystone.issue('d', 600));
      expect(keystone.logins).to.have.length(1);
    });

    it('is renewed before it ends', async () => {
      const token = keystone.issue('acme', 2 * LOGIN_TTL_S);
      await identity.verify(token);
      clock = START + LOGIN_TTL_S * 1000 - 1_000;
      expect(await identity.verify(token)).not.to.equal(undefined);
      expect(keystone.logins).to.have.length(2);
      expect(keystone.requests.at(-1)?.headers['x-auth-token']).to.equal(keystone.logins[1]);
    });

    it('is renewed when Keystone does not take it any more', async () => {
      const token = keystone.issue('acme', 600);
      await identity.verify(token);
      keystone.revoke(keystone.logins[0] ?? '');
      const both = await Promise.all([identity.verify(token), identity.verify(token)]);
      expect(both.map((principal) => principal?.tenant.name)).to.deep.equal(['acme', 'acme']);
      expect(keystone.logins).to.have.length(2);
    });

    it('is renewed only once for one check', async () => {
      const server = await standIn((request, response) => {
        if (!answeredLogin(request, response)) answerJson(response, 401, {});
      });
      const strict = open(server.url);
      expect(await strict.verify('abc')).to.equal(undefined);
      expect(server.requests.map(({ method }) => method)).to.deep.equal(['POST', 'GET', 'POST', 'GET']);
      await strict.close();
      await server.close();
    });

    it('is not dropped for the late refusal of the one before', async () => {
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

    it('is missed when the login does not give one', async () => {
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

    it('that was refused is said to be so, with the settings and without the password', async () => {
      keystone.password = 'changed';
      const error = await rejectionOf(identity.verify(keystone.issue('acme', 600)));
      expect(error).to.be.instanceOf(IdentityUnavailable);
      expect((error as Error).message).to.match(/IDENTITY_ADMIN_TENANT.*_USER.*_PASSWORD/);
      expect(inspect(error)).not.to.contain(ADMIN.password);
    });

    it('is asked for again after a refusal', async () => {
      const token = keystone.issue('acme', 600);
      keystone.password = 'changed';
      await rejectionOf(identity.verify(token));
      keystone.password = ADMIN.password;
      expect((await identity.verify(token))?.tenant.name).to.equal('acme');
    });

    it('without the right to check others is said to be so', async () => {
      keystone.adminRole = false;
      const error = await rejectionOf(identity.verify(keystone.issue('acme', 600)));
      expect(error).to.be.instanceOf(IdentityUnavailable);
      expect((error as Error).message).to.match(/IDENTITY_ADMIN_USER/);
    });

    it('that no header can hold is not repeated in the error', async () => {
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

  it('reads times without a zone as UTC', async () => {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'Asia/Tokyo';
    const server = await standIn((request, response) => {
      if (answeredLogin(request, response)) return;
      const token = { id: 'abc', expires: '2026-03-01T12:30:00.819584', tenant: { id: '1', name: 'acme' } };
      answerJson(response, 200, { access: { token } });
    });
    const old = open(`${server.url}/`);
    expect((await old.verify('abc'))?.expiresAt).to.equal(START + 1_800_819);
    await old.close();
    await server.close();
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  for (const tenant of ['acme', {}, { id: '1' }, { id: '', name: 'acme' }, { id: 1, name: 'acme' }]) {
    it(`is unavailable when the tenant is ${JSON.stringify(tenant)}`, async () => {
      const server = await standIn((request, response) => {
        if (answeredLogin(request, response)) return;
        answerJson(response, 200, { access: { token: { id: 'abc', expires: SOON, tenant } } });
      });
      const odd = open(server.url);
      expect(await rejectionOf(odd.verify('abc'))).to.be.instanceOf(IdentityUnavailable);
      await odd.close();
      await server.close();
    });
  }

  it('does not wait for a login longer than the rest of the time-out', async () => {
    let logins = 0;
    const server = await standIn((request, response) => {
      if (request.method === 'POST') {
        logins += 1;
        if (logins === 1) answeredLogin(request, response);
      } else setTimeout(() => answerJson(response, 401, {}), 700);
    });
    const slow = open(server.url, 1_000);
    const start = performance.now();
    expect(await rejectionOf(slow.verify('abc'))).to.be.instanceOf(IdentityUnavailable);
    expect(performance.now() - start).to.be.lessThan(1_600);
    expect(logins).to.equal(2);
    await slow.close();
    await server.close();
  });

  it('allows all requests of one check together no more than the time-out', async () => {
    const server = await standIn((request, response) => {
      setTimeout(() => {
        if (!answeredLogin(request, response)) answerJson(response, 404, {});
      }, 200);
    });
    const slow = open(server.url, 300);
    expect(await rejectionOf(slow.verify('abc'))).to.be.instanceOf(IdentityUnavailable);
    await slow.close();
    await server.close();
  });

  unusableUrls((url) => open(url));

  const answeredLogin = (...[{ method }, response]: Parameters<Handler>): boolean => {
    if (method !== 'POST') return false;
    answerJson(response, 200, { access: { token: { id: 'own-t0ken', expires: SOON } } });
    return true;
  };
  const failing = {
    open: (url: string, timeoutMs: number) => open(url, timeoutMs),
    token: 't0ken-of-a-client',
    secrets: [ADMIN.password, 't0ken'],
  };
  remoteFailures('when Keystone fails at the login', failing);
  remoteFailures('when Keystone fails at the check', { ...failing, before: answeredLogin });
});
