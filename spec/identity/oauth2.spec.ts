import { inspect } from 'node:util';
import { expect } from 'chai';
import { oauth2 } from '../../src/identity/oauth2.js';
import { type Identity, IdentityUnavailable } from '../../src/identity/port.js';
import { rejectionOf } from '../rejection.js';
import { impossibleTokens, remoteFailures } from './remote.features.js';
import { type StandIn, answerJson, standIn } from './stand-in.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const EXP = NOW / 1000 + 600;
const ADMIN = { user: 'client id', password: 's:ecr%t+ü' };

describe('oauth2', () => {
  let server: StandIn;
  let identity: Identity;
  let answer: { status: number; body: unknown };

  beforeEach(async () => {
    server = await standIn((_, response) => answerJson(response, answer.status, answer.body));
    identity = open(server.url);
  });
  afterEach(async () => {
    await identity.close();
    await server.close();
  });

  function open(url: string, timeoutMs = 5_000): Identity {
    return oauth2({ url, admin: ADMIN, timeoutMs, now: () => NOW });
  }

  async function introspected(body: unknown): Promise<unknown> {
    answer = { status: 200, body };
    return identity.verify('t0ken');
  }

  it('accepts an active token for its tenant until it expires', async () => {
    expect(
      await introspected({ active: true, exp: EXP, tenant_id: '42', tenant_name: 'acme' }),
    ).to.deep.equal({
      tenant: { id: '42', name: 'acme' },
      user: undefined,
      expiresAt: EXP * 1000,
    });
  });

  it('sends the request of RFC 7662, with form-encoded client credentials', async () => {
    answer = { status: 200, body: { active: false } };
    await identity.verify('a+b&c=d');
    const [request] = server.requests;
    expect(request?.method).to.equal('POST');
    expect(request?.headers['content-type']).to.equal('application/x-www-form-urlencoded');
    expect(new URLSearchParams(request?.body).get('token')).to.equal('a+b&c=d');
    const [scheme, credentials] = (request?.headers.authorization ?? '').split(' ');
    expect(scheme).to.equal('Basic');
    expect(atob(credentials ?? '')).to.equal('client+id:s%3Aecr%25t%2B%C3%BC');
  });

  it('refuses an inactive token', async () => {
    expect(await introspected({ active: false, exp: EXP, tenant_id: '42' })).to.equal(undefined);
  });

  it('refuses an expired token even if the service calls it active', async () => {
    expect(await introspected({ active: true, exp: NOW / 1000, tenant_id: '42' })).to.equal(undefined);
  });

  it('uses an answer without `exp` for a minute', async () => {
    expect(await introspected({ active: true, tenant_id: '42' })).to.have.property('expiresAt', NOW + 60_000);
  });

  it('refuses a token without a tenant', async () => {
    expect(await introspected({ active: true, exp: EXP, sub: 'bob', tenant_id: '' })).to.equal(undefined);
  });

  for (const claim of ['tenant_id', 'tenant', 'organization_id', 'organization', 'org_id', 'tid']) {
    it(`reads the tenant’s id and name from ${claim}`, async () => {
      expect(await introspected({ active: true, exp: EXP, [claim]: 'acme' }))
        .to.have.property('tenant')
        .that.deep.equals({ id: 'acme', name: 'acme' });
    });
  }

  for (const claim of ['tenant_name', 'organization_name', 'org_name']) {
    it(`reads the tenant’s name from ${claim}`, async () => {
      expect(await introspected({ active: true, exp: EXP, tenant_id: '42', [claim]: 'acme' }))
        .to.have.property('tenant')
        .that.deep.equals({ id: '42', name: 'acme' });
    });
  }

  it('prefers tenant_id to the claims of other providers', async () => {
    const body = { active: true, exp: EXP, tid: 'directory', org_id: 'org', tenant: 'acme', tenant_id: '42' };
    expect(await introspected(body)).to.have.nested.property('tenant.id', '42');
  });

  for (const status of [401, 403]) {
    it(`names the settings when the service answers ${status} to its own credentials`, async () => {
      answer = { status, body: { error: 'invalid_client' } };
      const error = await rejectionOf(identity.verify('t0ken'));
      expect(error).to.be.instanceOf(IdentityUnavailable);
      expect(error.message).to.match(/IDENTITY_ADMIN_USER and IDENTITY_ADMIN_PASSWORD/);
      expect(inspect(error)).not.to.contain(ADMIN.password);
    });
  }

  for (const body of [{ active: 'true' }, { active: true, exp: '1' }, { active: true, exp: null }]) {
    it(`is unavailable on the answer ${JSON.stringify(body)}`, async () => {
      expect(await rejectionOf(introspected({ tenant_id: '42', ...body }))).to.be.instanceOf(
        IdentityUnavailable,
      );
    });
  }

  impossibleTokens((url) => open(url));
  remoteFailures('when the service fails', {
    open,
    token: 't0ken-of-a-client',
    secrets: [ADMIN.password, 't0ken'],
  });
});
