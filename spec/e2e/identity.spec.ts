import { expect } from 'chai';
import { type ApiAnswer, apiClient, request } from './api-client.js';
import { okBody } from './policy/actions.js';
import { expectRefusal } from './refusal.js';
import { scenes } from './scene.js';

const USERS = 'demo:demo:demo,acme:ann:s3cret,acme:bob:pa55';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;
const PATH = '/identity/v2.0/tokens';

function credentials(tenantName: string, username: string, password: string) {
  return { auth: { tenantName, passwordCredentials: { username, password } } };
}

/** The answer to valid credentials. */
interface Access {
  readonly token: {
    readonly id: string;
    readonly expires: string;
    readonly issued_at: string;
    readonly tenant: { readonly id: string; readonly name: string };
    readonly audit_ids: readonly string[];
  };
  readonly user: { readonly id: string };
}

function accessIn(answer: ApiAnswer): Access {
  return (okBody(answer) as unknown as { access: Access }).access;
}

describe('the embedded identity (policy §5)', () => {
  const open = scenes();

  for (const path of [PATH, '/tokens']) {
    it(`answers POST ${path} with the document of the interface`, async () => {
      const { url } = await open.service({ IDENTITY_USERS: USERS });
      const answer = await request(url + path, 'POST', credentials('acme', 'ann', 's3cret'));
      const { token, user } = accessIn(answer);
      expect(answer.body).to.deep.equal({
        access: {
          token: {
            id: token.id,
            expires: token.expires,
            issued_at: token.issued_at,
            tenant: { description: '', enabled: true, id: token.tenant.id, name: 'acme' },
            audit_ids: token.audit_ids,
          },
          serviceCatalog: [],
          user: { id: user.id, name: 'ann', username: 'ann', roles: [{ name: '_member_' }], roles_links: [] },
          metadata: { is_admin: 0, roles: [] },
        },
      });
      expect(token.tenant.id).to.match(/^[0-9a-f]{32}$/);
      expect(token.audit_ids).to.have.length(1);
      expect(token.issued_at).to.match(TIME);
      expect(token.expires).to.match(TIME);
      const validS = (Date.parse(token.expires) - Date.parse(token.issued_at)) / 1000;
      expect(validS).to.be.within(86_390, 86_400);
      const home = await request(`${url}/v1.0/acme`, 'GET', undefined, { 'x-auth-token': token.id });
      expect(home.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.match(/^application\/json/);
    });
  }

  it('gives users of one tenant the same tenant, and each token its own id', async () => {
    const { url } = await open.service({ IDENTITY_USERS: USERS });
    const ask = async (user: string, password: string) =>
      accessIn(await request(url + PATH, 'POST', credentials('acme', user, password)));
    const [ann, again, bob] = [
      await ask('ann', 's3cret'),
      await ask('ann', 's3cret'),
      await ask('bob', 'pa55'),
    ];
    expect(ann.token.tenant).to.deep.equal(bob.token.tenant);
    expect(ann.user.id).not.to.equal(bob.user.id);
    expect(new Set([ann.token.id, again.token.id, bob.token.id]).size).to.equal(3);
  });

  it('answers wrong credentials with 401, whichever part is wrong', async () => {
    const { url } = await open.service({ IDENTITY_USERS: USERS });
    const answers = await Promise.all(
      [
        credentials('acme', 'ann', 'S3cret'),
        credentials('acme', 'nobody', 's3cret'),
        credentials('nowhere', 'ann', 's3cret'),
        credentials('demo', 'ann', 's3cret'),
        credentials('acme', 'ann', 'pa55'),
      ].map((body) => request(url + PATH, 'POST', body)),
    );
    for (const answer of answers) expectRefusal(answer, 401);
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
    expect(answers[0]!.text).not.to.include('ann').and.not.to.include('S3cret');
  });

  it('answers an invalid request with 400 and names what is missing', async () => {
    const { url } = await open.service();
    for (const [body, ...words] of [
      [{}, 'auth.tenantName', 'auth.passwordCredentials.username', 'auth.passwordCredentials.password'],
      [[], 'auth.tenantName'],
      [{ auth: null }, 'auth.tenantName'],
      [{ auth: { tenantName: 7, passwordCredentials: { username: 'x', password: '' } } }, 'auth.tenantName'],
      [{ auth: { tenantName: 'demo', passwordCredentials: 'demo' } }, 'auth.passwordCredentials.username'],
      ['{"auth":', 'not JSON'],
      ['', 'empty'],
    ] as const) {
      expectRefusal(await request(url + PATH, 'POST', body), 400, ...words);
    }
    const text = JSON.stringify(credentials('demo', 'demo', 'demo'));
    expectRefusal(
      await request(url + PATH, 'POST', text, { 'content-type': 'text/plain' }),
      400,
      'Content-Type',
    );
    expectRefusal(await request(url + PATH, 'POST', text, { accept: 'text/html' }), 406);
    expectRefusal(await request(url + PATH, 'GET'), 405);
    expect((await request(url + PATH, 'OPTIONS')).headers.get('allow')).to.equal('OPTIONS, POST');
    okBody(await request(url + PATH, 'POST', text, { 'content-type': 'application/json;charset=utf-8' }));
  });

  it('issues tokens that stay valid after a restart on the same data, except those of removed users', async () => {
    const DATA_DIR = await open.folder();
    const first = await open.service({ DATA_DIR, IDENTITY_USERS: USERS });
    const { token } = await apiClient(first.url, 'acme', 'ann', 's3cret');
    await first.close();
    const home = (url: string) => request(`${url}/v1.0/acme`, 'GET', undefined, { 'x-auth-token': token });
    const second = await open.service({ DATA_DIR, IDENTITY_USERS: USERS });
    expect(okBody(await home(second.url))['owner']).to.equal('acme');
    await second.close();
    const third = await open.service({ DATA_DIR, IDENTITY_USERS: 'demo:demo:demo,acme:ann:changed' });
    expectRefusal(await home(third.url), 401);
    await third.close();
    const elsewhere = await open.service({ IDENTITY_USERS: USERS });
    expectRefusal(await home(elsewhere.url), 401);
  });
});
