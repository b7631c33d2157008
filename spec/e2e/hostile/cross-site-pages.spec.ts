import { expect } from 'chai';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { runService } from '../running-service.js';
import { scenes } from '../scene.js';

type Headers = Readonly<Record<string, string>>;

/** Sends a request with headers that browsers send but `fetch` does not. */
async function ask(
  url: string,
  method: string,
  headers: Headers = {},
  body = '',
): Promise<{
  readonly status: number;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
}> {
  const sent = httpRequest(url, { method, headers: { 'content-type': 'application/json', ...headers } });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await text(response);
  const type = response.headers['content-type'] ?? '';
  return { status: response.statusCode!, type, body: type.includes('json') ? JSON.parse(answer) : {} };
}

const LOGIN = JSON.stringify({
  auth: { tenantName: 'demo', passwordCredentials: { username: 'demo', password: 'demo' } },
});
const ENTITY = JSON.stringify({ id: 'urn:ngsi-ld:Building:1', type: 'Building' });
const WALLET = '/vault/v1/ethereum/accounts/alice';

/** Requests with an effect, and the members of their errors. */
const DOING = [
  ['POST', '/identity/v2.0/tokens', LOGIN, 'error'],
  ['POST', '/tokens', LOGIN, 'error'],
  ['POST', '/demo/servers/web-1', '{}', 'error'],
  ['PUT', '/v1.0/demo', '{}', 'error'],
  ['DELETE', '/v1.0/demo/servers/web-1/rules/r', '', 'error'],
  ['POST', '/operator/deliveries/a/b/redelivery', '', 'error'],
  ['POST', '/ngsi-ld/v1/entities', ENTITY, 'detail'],
  ['GET', '/ngsi-ld/v1/entities?type=Building', '', 'detail'],
  ['GET', '/ngsi-ld/v1/entities/urn:ngsi-ld:Building:1', '', 'detail'],
  ['PATCH', '/ngsi-ld/v1/entities/urn:ngsi-ld:Building:1/attrs', '{}', 'detail'],
  ['POST', '/ledger/verify', '{}', 'detail'],
  ['POST', WALLET, '', 'errors'],
  ['POST', `${WALLET}/sign-tx`, '{}', 'errors'],
] as const;
const READING = ['/', '/docs/settings', '/entity', '/v1.0/demo', '/v1.0/demo/servers', WALLET];

describe('pages of other sites', () => {
  const open = scenes();
  /** The service of `npm start`, with the chain and the wallet in the process. */
  const service = (settings: Headers = {}) =>
    open.service({ LEDGER: 'on', WALLET_DEV_TOKEN: 'dev-token', ...settings });

  it('cannot record, sign, issue or change anything', async () => {
    const { url, api } = await service();
    const token = { 'x-auth-token': api.token, 'x-vault-token': 'dev-token' };
    for (const [method, path, body, shape] of DOING) {
      const answer = await ask(url + path, method, { ...token, 'sec-fetch-site': 'cross-site' }, body);
      expect(answer.status, `${method} ${path}`).to.equal(403);
      expect(answer.body, `${method} ${path}`).to.have.property(shape);
      expect(JSON.stringify(answer.body)).to.contain('Sec-Fetch-Site: cross-site');
    }
    expect((await ask(`${url}/entity`, 'GET')).body).to.include({ count: 0 });
    expect((await ask(url + WALLET, 'GET', token)).status).to.equal(404);
    expect((await ask(`${url}/`, 'GET', { 'sec-fetch-site': 'cross-site' })).status).to.equal(200);
    expect((await ask(`${url}/tokens`, 'POST', { 'sec-fetch-site': 'same-origin' }, LOGIN)).status).to.equal(
      200,
    );
  });

  it('do not reach the service under a name of their own, except for its health', async () => {
    const { url, api } = await service({
      PUBLIC_URL: 'https://rules.example.org/base',
      HOSTS: 'mirzam, box.lan',
    });
    const { port } = new URL(url);
    const token = { 'x-auth-token': api.token, 'x-vault-token': 'dev-token' };
    for (const host of ['evil.example', `evil.example:${port}`, 'mirzam.evil.example']) {
      for (const [method, path, body, shape] of DOING) {
        if (path.startsWith('/operator')) continue;
        const answer = await ask(url + path, method, { ...token, host }, body);
        expect(answer.status, `${method} ${path}`).to.equal(421);
        expect(answer.body, `${method} ${path}`).to.have.property(shape);
        expect(JSON.stringify(answer.body)).to.contain('HOSTS');
      }
      for (const path of READING)
        expect((await ask(url + path, 'GET', { ...token, host })).status, path).to.equal(421);
      expect((await ask(`${url}/operator/inbox`, 'GET', { host })).status).to.equal(403);
      expect((await ask(`${url}/health`, 'GET', { host })).status).to.equal(200);
    }
    for (const host of [
      'rules.example.org',
      `mirzam:${port}`,
      'BOX.lan',
      `localhost:${port}`,
      '10.0.0.1',
      '[::1]',
    ]) {
      expect((await ask(`${url}/tokens`, 'POST', { host }, LOGIN)).status, host).to.equal(200);
    }
  });

  it('are refused by host name outside production only', async () => {
    const settings = {
      NODE_ENV: 'production',
      OPERATOR_TOKEN: '0123456789abcdef0123456789abcdef',
      IDENTITY_USERS: 'acme:ann:s3cret',
    };
    const { url } = open.keep(await runService(settings), (it) => it.close());
    expect((await ask(`${url}/version`, 'GET', { host: 'any.example' })).status).to.equal(200);
    const posted = await ask(`${url}/tokens`, 'POST', {
      host: 'any.example',
      'sec-fetch-site': 'cross-site',
    });
    expect(posted.status).to.equal(403);
  });
});
