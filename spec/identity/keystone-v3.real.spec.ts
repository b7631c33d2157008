import { inspect } from 'node:util';
import { expect } from 'chai';
import { keystoneV3 } from '../../src/identity/keystone.js';
import { IdentityUnavailable, type IssuingIdentity } from '../../src/identity/port.js';
import { type Keystone, startKeystone } from '../servers/keystone.js';
import { type KeystoneApi, keystoneApi } from './keystone-api.js';
import { rejectionOf } from '../rejection.js';

describe('keystone-v3 on a real Keystone', () => {
  let keystone: Keystone;
  let api: KeystoneApi;
  let identity: IssuingIdentity;

  before(async function () {
    const started = await startKeystone();
    if (started === undefined) return this.skip();
    keystone = started;
    api = await keystoneApi(keystone);
  });
  after(() => keystone?.stop());

  beforeEach(() => {
    identity = open(keystone.admin);
  });
  afterEach(() => identity?.close());

  function open(admin: Keystone['admin']): IssuingIdentity {
    return keystoneV3({ url: keystone.url, admin, timeoutMs: 30_000 });
  }

  it('accepts a token for its project until it expires', async () => {
    const member = await api.member();
    const before = Date.now();
    const principal = await identity.verify(await api.token(member, true));
    expect(principal?.tenant).to.deep.equal(member.project);
    // Keystone's tokens live for an hour unless configured otherwise; it cuts off the part of a second.
    expect(principal?.expiresAt).to.be.within(before + 3_599_000, Date.now() + 3_600_000);
  });

  it('distinguishes two projects', async () => {
    const [a, b] = [await api.member(), await api.member()];
    const principals = await Promise.all(
      [a, b].map(async (member) => identity.verify(await api.token(member, true))),
    );
    expect(principals.map((principal) => principal?.tenant.id)).to.deep.equal([a.project.id, b.project.id]);
  });

  it('refuses a token without a project', async () => {
    expect(await identity.verify(await api.token(await api.member(), false))).to.equal(undefined);
  });

  it('refuses a revoked token', async () => {
    const token = await api.token(await api.member(), true);
    expect(await identity.verify(token)).not.to.equal(undefined);
    await api.revoke(token);
    expect(await identity.verify(token)).to.equal(undefined);
  });

  it('refuses the tokens of a user whose password changed', async () => {
    const member = await api.member();
    const token = await api.token(member, true);
    await api.changePassword(member, 'another');
    expect(await identity.verify(token)).to.equal(undefined);
  });

  for (const wrong of ['nonsense', 'gAAAAABrAWruZeeahHbbG6', '%2e%2e', 'a'.repeat(10_000)]) {
    it(`refuses ${wrong.slice(0, 30)}`, async () => {
      expect(await identity.verify(wrong)).to.equal(undefined);
    });
  }

  it('renews its own token after its revocation', async () => {
    const token = await api.token(await api.member(), true);
    const own: string[] = [];
    const watched = keystoneV3({
      url: keystone.url,
      admin: keystone.admin,
      timeoutMs: 5_000,
      fetch: (url, request) => {
        own.push(new Headers(request?.headers).get('x-auth-token') ?? 'login');
        return fetch(url, request);
      },
    });
    await watched.verify(token);
    await api.revoke(own[1] ?? '');
    expect(await watched.verify(token)).not.to.equal(undefined);
    expect(own.filter((kind) => kind === 'login')).to.have.length(2);
    await watched.close();
  });

  it('logs a user in to its project', async () => {
    const { user, password, project } = await api.member();
    const token = await identity.login({ tenant: project.name, user, password });
    expect((await identity.verify(token!))?.tenant).to.deep.equal(project);
    const named = await identity.login({ tenant: `Default/${project.name}`, user, password });
    expect((await identity.verify(named!))?.tenant).to.deep.equal(project);
  });

  it('logs nobody in with wrong credentials', async () => {
    const [{ user, password, project }, other] = [await api.member(), await api.member()];
    for (const wrong of [
      { tenant: project.name, user, password: 'wrong' },
      { tenant: project.name, user: 'nobody', password },
      { tenant: 'no-such-project', user, password },
      { tenant: other.project.name, user, password },
      { tenant: `no-such-domain/${project.name}`, user, password },
    ]) {
      expect(await identity.login(wrong), JSON.stringify(wrong)).to.equal(undefined);
    }
  });

  it('names the settings that Keystone refuses, without the password', async () => {
    const refused = open({ ...keystone.admin, password: 'not-the-pa55word' });
    const error = await rejectionOf(refused.verify('nonsense'));
    expect(error).to.be.instanceOf(IdentityUnavailable);
    expect(error.message).to.match(/IDENTITY_ADMIN_TENANT.*_USER.*_PASSWORD/);
    expect(inspect(error)).not.to.contain('not-the-pa55word');
    await refused.close();
  });

  it('reports that its user may not verify tokens', async () => {
    const member = await api.member();
    const plain = open({ tenant: member.project.name, user: member.user, password: member.password });
    const error = await rejectionOf(plain.verify(await api.token(await api.member(), true)));
    expect(error).to.be.instanceOf(IdentityUnavailable);
    expect(error.message).to.match(/IDENTITY_ADMIN_USER/);
    await plain.close();
  });

  it('takes the domain of its user and project from before the slash', async () => {
    const token = await api.token(await api.member(), true);
    const named = open({ ...keystone.admin, tenant: 'Default/admin' });
    expect(await named.verify(token)).not.to.equal(undefined);
    const elsewhere = open({ ...keystone.admin, tenant: 'no-such-domain/admin' });
    expect(await rejectionOf(elsewhere.verify(token))).to.be.instanceOf(IdentityUnavailable);
    await Promise.all([named.close(), elsewhere.close()]);
  });

  it('reports a wrong address if the API does not exist', async () => {
    const lost = keystoneV3({ url: `${keystone.url}/nowhere`, admin: keystone.admin, timeoutMs: 30_000 });
    const error = await rejectionOf(lost.verify('nonsense'));
    expect(error).to.be.instanceOf(IdentityUnavailable);
    expect(error.message).to.match(/404.*IDENTITY_URL/);
    await lost.close();
  });
});
