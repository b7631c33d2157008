import { expect } from 'chai';
import { type Answered, ask } from '../../http/admission/from-address.js';
import { runService, type RunningService } from '../running-service.js';

describe('guessing passwords of the embedded identity', () => {
  let service: RunningService;
  before(async () => {
    service = await runService({
      IDENTITY_USERS: 'farm:bob:right,farm:eve:right',
      TRUSTED_PROXIES: '127.0.0.1',
    });
  });
  after(() => service.close());

  const log = (client: string, user: string, password: string): Promise<Answered> =>
    ask(`${service.url}/identity/v2.0/tokens`, {
      headers: { 'X-Forwarded-For': client },
      body: JSON.stringify({
        auth: { tenantName: 'farm', passwordCredentials: { username: user, password } },
      }),
    });

  it('ends with 429 and Retry-After for that address and that account; no other caller is locked out', async () => {
    for (let i = 0; i < 10; i += 1)
      expect((await log('192.0.2.1', 'bob', `wrong ${i}`)).status).to.equal(401);
    const refused = await log('192.0.2.1', 'bob', 'right');
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 30);
    const { error } = JSON.parse(refused.body) as { error: { code: number; title: string; message: string } };
    expect(error).to.include({ code: 429, title: 'Too Many Requests' });
    expect(error.message).to.contain('too many wrong attempts').and.not.contain('bob');
    expect((await log('192.0.2.2', 'bob', 'right')).status, 'the owner elsewhere').to.equal(200);
    expect((await log('192.0.2.1', 'eve', 'right')).status, 'another account').to.equal(200);
  });

  it('ends the same way for an account that does not exist', async () => {
    for (let i = 0; i < 10; i += 1) expect((await log('192.0.2.3', 'nobody', 'x')).status).to.equal(401);
    expect((await log('192.0.2.3', 'nobody', 'x')).status).to.equal(429);
  });

  it('does not count successful requests', async () => {
    for (let i = 0; i < 30; i += 1) expect((await log('192.0.2.4', 'bob', 'right')).status).to.equal(200);
  });
});

describe('guessing OPERATOR_TOKEN in a header', () => {
  const OPERATOR_TOKEN = '0123456789abcdef0123456789abcdef';
  let service: RunningService;
  before(async () => {
    service = await runService({ OPERATOR_TOKEN, TRUSTED_PROXIES: '127.0.0.1' });
  });
  after(() => service.close());

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const own = (token: string) => ({ 'x-operator-token': token });
  const get = (client: string, path: string, headers: Readonly<Record<string, string>>): Promise<Answered> =>
    ask(service.url + path, { headers: { 'X-Forwarded-For': client, ...headers } });
  const places: readonly (readonly [string, (token: string) => Readonly<Record<string, string>>])[] = [
    ['/operator/actors', bearer],
    ['/operator/nothing', own],
    ['/metrics', bearer],
    ['/console/api/servers', bearer],
    ['/console/api/servers', own],
  ];

  for (const [i, [path, header]] of places.entries()) {
    it(`ends with 429 for that address alone at ${path}, in ${Object.keys(header('')).join()}`, async () => {
      const [client, other] = [`192.0.2.${2 * i + 1}`, `192.0.2.${2 * i + 2}`];
      for (let guess = 0; guess < 10; guess += 1) {
        expect((await get(client, path, header(`wrong-${guess}`))).status).to.equal(401);
      }
      for (const [otherPath, otherHeader] of places) {
        const refused = await get(client, otherPath, otherHeader(OPERATOR_TOKEN));
        expect(refused.status, otherPath).to.equal(429);
        expect(Number(refused.headers['retry-after'])).to.be.within(1, 30);
      }
      expect((await get(other, path, header(OPERATOR_TOKEN))).status).to.be.oneOf([200, 404]);
    });
  }

  for (const [i, path] of ['/v1.0/demo/quiet', '/v1.0/demo/deliveries', '/console/api/servers'].entries()) {
    it(`is counted beside a tenant’s token, too, at ${path}`, async () => {
      const client = `192.0.2.${110 + i}`;
      const beside = (token: string) => ({ ...bearer(token), 'x-auth-token': 'a-tenant-s' });
      for (let guess = 0; guess < 10; guess += 1)
        expect((await get(client, path, beside(`wrong-${guess}`))).status).to.equal(400);
      expect((await get(client, path, beside(OPERATOR_TOKEN))).status).to.equal(429);
    });
  }

  it('counts with those at the login, and is shown nothing by health', async () => {
    const client = '192.0.2.101';
    const logIn = (operatorToken: string) =>
      ask(`${service.url}/console/api/session`, {
        headers: { 'X-Forwarded-For': client },
        body: JSON.stringify({ operatorToken }),
      });
    for (let guess = 0; guess < 5; guess += 1) {
      expect((await logIn(`wrong-${guess}`)).status).to.equal(401);
      expect((await get(client, '/health', bearer(`wrong-too-${guess}`))).status).to.equal(200);
    }
    expect((await logIn(OPERATOR_TOKEN)).status).to.equal(429);
  });

  it('does not count the same old token of a program twice: others at its address are let in', async () => {
    const client = '192.0.2.102';
    for (let scrape = 0; scrape < 30; scrape += 1) {
      expect((await get(client, '/metrics', bearer('of-last-year'))).status).to.equal(401);
    }
    expect((await get(client, '/metrics', bearer(OPERATOR_TOKEN))).status).to.equal(200);
    expect((await get(client, '/metrics', bearer('of-last-year'))).status).to.equal(401);
  });
});
