import { expect } from 'chai';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
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
