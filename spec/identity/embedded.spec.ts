import { inspect } from 'node:util';
import { expect } from 'chai';
import { SignJWT, UnsecuredJWT, decodeJwt, decodeProtectedHeader } from 'jose';
import { Refusal } from '../../src/errors.js';
import { type EmbeddedIdentity, embeddedIdentity } from '../../src/identity/embedded.js';
import { rejectionOf } from '../rejection.js';

const START = Date.parse('2026-03-01T12:00:00.123Z');
const SECRET = new Uint8Array(32).fill(7);
const DEMO = { tenant: 'demo', user: 'bob', password: 'hunter2' };

function tokenRequest(tenant: unknown, user: unknown, password: unknown): unknown {
  return { auth: { tenantName: tenant, passwordCredentials: { username: user, password } } };
}

const GOOD = tokenRequest('demo', 'bob', 'hunter2');

describe('embedded identity', () => {
  let clock: number;
  beforeEach(() => {
    clock = START;
  });

  function open(users = [DEMO], secret = SECRET): EmbeddedIdentity {
    return embeddedIdentity({ secret, users, tokenTtlS: 600, now: () => clock });
  }

  async function token(identity: EmbeddedIdentity, body = GOOD): Promise<string> {
    return (await identity.issue(body)).access.token.id;
  }

  describe('issuing', () => {
    it('answers as Keystone’s v2.0 API does', async () => {
      const { access } = await open().issue(GOOD);
      expect(access).to.have.all.keys('token', 'serviceCatalog', 'user', 'metadata');
      expect(access.token).to.have.all.keys('id', 'expires', 'issued_at', 'tenant', 'audit_ids');
      expect(access.token.id)
        .to.be.a('string')
        .that.matches(/^[\x21-\x7e]+$/);
      expect(access.token.expires).to.equal('2026-03-01T12:10:00Z');
      expect(access.token.issued_at).to.equal('2026-03-01T12:00:00.123Z');
      expect(access.token.tenant).to.have.all.keys('description', 'enabled', 'id', 'name');
      expect(access.token.tenant).to.include({ enabled: true, name: 'demo' });
      expect(access.token.tenant.id).to.match(/^[0-9a-f]{32}$/);
      expect(access.token.audit_ids).to.have.length(1);
      expect(access.token.audit_ids[0]).to.match(/^[\w-]{22}$/);
      expect(access.serviceCatalog).to.deep.equal([]);
      expect(access.user).to.include({ name: 'bob', username: 'bob' });
      expect(access.user.roles).to.deep.equal([{ name: '_member_' }]);
      expect(access.metadata).to.deep.equal({ is_admin: 0, roles: [] });
    });

    it('issues a different token each time', async () => {
      const identity = open();
      expect(await token(identity)).not.to.equal(await token(identity));
    });

    it('ignores unknown members, as Keystone does', async () => {
      const body = { extra: 1, auth: { ...(GOOD as { auth: object }).auth, extra: 2 } };
      expect(await open().issue(body)).to.have.property('access');
    });

    it('refuses any wrong credential with the same message', async () => {
      const identity = open([DEMO, { tenant: 'other', user: 'eve', password: 'other-pa55' }]);
      const wrong = [
        ['nobody', 'bob', 'hunter2'],
        ['demo', 'nobody', 'hunter2'],
        ['demo', 'bob', 'hunter3'],
        ['other', 'bob', 'hunter2'],
        ['demo', 'eve', 'other-pa55'],
      ];
      const errors = await Promise.all(
        wrong.map(([tenant, user, password]) =>
          rejectionOf(identity.issue(tokenRequest(tenant, user, password))),
        ),
      );
      for (const error of errors) {
        expect(error).to.be.instanceOf(Refusal).with.property('code', 'unauthorized');
        expect(inspect(error)).not.to.match(/hunter[23]|other-pa55/);
      }
      expect(new Set(errors.map((error) => (error as Refusal).message))).to.have.property('size', 1);
    });

    const malformed: [unknown, RegExp][] = [
      [
        undefined,
        /auth\.tenantName, auth\.passwordCredentials\.username, auth\.passwordCredentials\.password/,
      ],
      [null, /auth\.tenantName/],
      [[], /auth\.tenantName/],
      ['text', /auth\.tenantName/],
      [{ auth: 'text' }, /auth\.tenantName/],
      [tokenRequest(undefined, 'bob', 'hunter2'), /in auth\.tenantName\.$/],
      [tokenRequest('demo', 7, 'hunter2'), /in auth\.passwordCredentials\.username\.$/],
      [tokenRequest('demo', 'bob', ['hunter2']), /in auth\.passwordCredentials\.password\.$/],
      [tokenRequest('demo', 'bob', ''), /in auth\.passwordCredentials\.password\.$/],
      [{ auth: { tenantName: 'demo' } }, /username, auth\.passwordCredentials\.password\.$/],
    ];
    for (const [body, message] of malformed) {
      it(`names what is wrong in ${JSON.stringify(body)}`, async () => {
        const error = await rejectionOf(open().issue(body));
        expect(error).to.be.instanceOf(Refusal).with.property('code', 'bad-request');
        expect((error as Refusal).message).to.match(message);
        expect(inspect(error)).not.to.contain('hunter2');
      });
    }

    it('accepts names and passwords outside ASCII', async () => {
      const identity = open([{ tenant: 'demo', user: 'jürgen', password: 'päß:wörd"' }]);
      const id = await token(identity, tokenRequest('demo', 'jürgen', 'päß:wörd"'));
      expect((await identity.verify(id))?.tenant.name).to.equal('demo');
    });
  });

  describe('a token', () => {
    it('authenticates its tenant until it expires', async () => {
      const identity = open([DEMO, { ...DEMO, tenant: 'other' }]);
      const { access } = await identity.issue(tokenRequest('other', 'bob', 'hunter2'));
      expect(await identity.verify(access.token.id)).to.deep.equal({
        tenant: { id: access.token.tenant.id, name: 'other' },
        user: 'bob',
        expiresAt: Date.parse(access.token.expires),
      });
    });

    it('is valid until the last millisecond of its lifetime', async () => {
      const identity = open();
      const { access } = await identity.issue(GOOD);
      clock = Date.parse(access.token.expires) - 1;
      expect(await identity.verify(access.token.id)).not.to.equal(undefined);
      clock += 1;
      expect(await identity.verify(access.token.id)).to.equal(undefined);
    });

    it('is still valid after a restart, and on another node with the same secret', async () => {
      const before = await open().issue(GOOD);
      const restarted = open([{ ...DEMO, tenant: 'first' }, DEMO]);
      expect((await restarted.verify(before.access.token.id))?.tenant).to.deep.equal({
        id: before.access.token.tenant.id,
        name: 'demo',
      });
      const after = await restarted.issue(GOOD);
      expect(after.access.token.tenant.id).to.equal(before.access.token.tenant.id);
      expect(after.access.user.id).to.equal(before.access.user.id);
    });

    it('has one tenant id for all users of the tenant, and another for another tenant', async () => {
      const identity = open([DEMO, { ...DEMO, user: 'eve' }, { ...DEMO, tenant: 'other' }]);
      const [bob, eve, other] = await Promise.all([
        identity.issue(GOOD),
        identity.issue(tokenRequest('demo', 'eve', 'hunter2')),
        identity.issue(tokenRequest('other', 'bob', 'hunter2')),
      ]);
      expect(eve.access.token.tenant.id).to.equal(bob.access.token.tenant.id);
      expect(other.access.token.tenant.id).not.to.equal(bob.access.token.tenant.id);
      expect(eve.access.user.id).not.to.equal(bob.access.user.id);
    });

    it('is invalid with another secret', async () => {
      expect(await open([DEMO], new Uint8Array(32).fill(8)).verify(await token(open()))).to.equal(undefined);
    });

    it('is invalid once its user is removed', async () => {
      expect(await open([{ ...DEMO, user: 'eve' }]).verify(await token(open()))).to.equal(undefined);
    });

    it('is invalid once its user’s password changes', async () => {
      expect(await open([{ ...DEMO, password: 'changed' }]).verify(await token(open()))).to.equal(undefined);
    });

    it('is invalid when it is forged', async () => {
      const identity = open();
      const real = await token(identity);
      const header = decodeProtectedHeader(real) as { alg: string };
      const claims = decodeJwt(real);
      const forged = [
        'nonsense',
        'a.b.c',
        '',
        `${real.slice(0, -4)}AAAA`,
        new UnsecuredJWT(claims).encode(),
        await new SignJWT(claims).setProtectedHeader(header).sign(SECRET),
        await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(SECRET),
        await new SignJWT(claims).setProtectedHeader({ ...header, kid: '__proto__' }).sign(SECRET),
      ];
      for (const each of forged) expect(await identity.verify(each), each).to.equal(undefined);
    });

    it('holds neither the password nor a name', async () => {
      const id = await token(open());
      const content = JSON.stringify([decodeProtectedHeader(id), decodeJwt(id)]);
      expect(content).not.to.match(/hunter2|bob|demo/);
    });
  });

  it('refuses a secret under 32 bytes', () => {
    expect(() => open([DEMO], new Uint8Array(31))).to.throw(/at least 32 bytes/);
  });
});
