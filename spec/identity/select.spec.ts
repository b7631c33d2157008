import { expect } from 'chai';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { Refusal } from '../../src/errors.js';
import { rejectionOf } from '../rejection.js';
import { type IdentityOptions, openIdentity } from '../../src/identity/select.js';
import { type StandIn, answerJson, standIn } from './stand-in.js';

const ADMIN = { tenant: 'service', user: 'policies', password: 'secret' };
/** Required claims of the issuer’s tokens. */
const JWT = { audience: 'mirzam', issuer: 'https://id.example.org', tenantClaim: 'org' };
const HOUR = 3_600_000;

describe('openIdentity', () => {
  let server: StandIn;
  let token: string;

  beforeEach(async () => {
    const soon = new Date(Date.now() + HOUR);
    const acme = { id: '42', name: 'acme' };
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    token = await new SignJWT({ org: 'acme', iss: JWT.issuer, aud: JWT.audience })
      .setProtectedHeader({ alg: 'ES256' })
      .setExpirationTime(soon)
      .sign(privateKey);
    const keys = [await exportJWK(publicKey)];
    const v2 = { access: { token: { id: 'own', expires: soon.toISOString(), tenant: acme } } };
    const v3 = { token: { expires_at: soon.toISOString(), project: acme } };
    const introspection = { active: true, tenant_id: '42', tenant_name: 'acme' };
    server = await standIn((request, response) => {
      const { method, path } = request;
      if (path.startsWith('/tokens')) answerJson(response, 200, v2);
      else if (path.startsWith('/auth/tokens')) {
        answerJson(response, method === 'POST' ? 201 : 200, v3, { 'x-subject-token': 'own' });
      } else if (method === 'POST') answerJson(response, 200, introspection);
      else answerJson(response, 200, { keys });
    });
  });
  afterEach(() => server.close());

  const asked: Record<Exclude<IdentityOptions['kind'], 'embedded'>, RegExp[]> = {
    'keystone-v2': [/^POST \/tokens$/, /^GET \/tokens\/[^/]+$/],
    'keystone-v3': [/^POST \/auth\/tokens\?nocatalog$/, /^GET \/auth\/tokens\?nocatalog$/],
    oauth2: [/^POST \/$/],
    jwt: [/^GET \/$/],
  };
  for (const kind of ['keystone-v2', 'keystone-v3', 'oauth2', 'jwt'] as const) {
    it(`opens ${kind}, which caches verified tokens and issues none`, async () => {
      const identity = openIdentity({ kind, url: server.url, admin: ADMIN, ...JWT, cacheS: 60 });
      const id = kind === 'jwt' ? 'acme' : '42';
      expect((await identity.verify(token))?.tenant).to.deep.equal({ id, name: 'acme' });
      await identity.verify(token);
      const lines = server.requests.map(({ method, path }) => `${method} ${path}`);
      expect(lines).to.have.length(asked[kind].length);
      for (const [index, pattern] of asked[kind].entries()) expect(lines[index]).to.match(pattern);
      expect(identity.issue).to.equal(undefined);
      await identity.close();
    });
  }

  for (const kind of ['keystone-v2', 'keystone-v3', 'oauth2', 'jwt'] as const) {
    const isKeystone = kind.startsWith('keystone');
    it(`opens ${kind} ${isKeystone ? 'with' : 'without'} logins by password`, async () => {
      const identity = openIdentity({ kind, url: server.url, admin: ADMIN, ...JWT, cacheS: 60 });
      if (isKeystone) expect(await identity.login!(ADMIN, '192.0.2.1')).to.equal('own');
      else expect(identity.login).to.equal(undefined);
      await identity.close();
    });
  }

  it('limits logins at a remote service by client address and account', async () => {
    const strict = await standIn((_, response) => answerJson(response, 401, {}));
    const identity = openIdentity({ kind: 'keystone-v3', url: strict.url, admin: ADMIN, cacheS: 60 });
    const codeOf = async (client: string, user: string): Promise<string> =>
      ((await rejectionOf(identity.login!({ ...ADMIN, user }, client))) as Refusal).code;
    const codes = await Promise.all(Array.from({ length: 15 }, () => codeOf('192.0.2.1', 'bob')));
    expect(codes.filter((code) => code === 'unauthorized')).to.have.length(10);
    expect(codes.filter((code) => code === 'too-many-requests')).to.have.length(5);
    expect(strict.requests).to.have.length(10);
    expect(await codeOf('192.0.2.2', 'bob')).to.equal('unauthorized');
    expect(await codeOf('192.0.2.1', 'eve')).to.equal('unauthorized');
    await identity.close();
    await strict.close();
  });

  it('verifies each time with a cache of 0 s', async () => {
    const identity = openIdentity({ kind: 'oauth2', url: server.url, admin: ADMIN, cacheS: 0 });
    await identity.verify(token);
    await identity.verify(token);
    expect(server.requests).to.have.length(2);
    await identity.close();
  });

  it('opens the embedded identity, which verifies the tokens it issues', async () => {
    const identity = openIdentity({
      kind: 'embedded',
      secret: new Uint8Array(32).fill(1),
      users: [{ tenant: 'demo', user: 'demo', password: 'demo' }],
      tokenTtlS: 600,
      cacheS: 60,
    });
    const body = {
      auth: { tenantName: 'demo', passwordCredentials: { username: 'demo', password: 'demo' } },
    };
    const response = await identity.issue?.(body);
    expect((await identity.verify(response?.access.token.id ?? ''))?.tenant.name).to.equal('demo');
    await identity.close();
  });
});
