import { expect } from 'chai';
import { keystoneV2 } from '../../src/identity/keystone.js';
import { type Identity, IdentityUnavailable } from '../../src/identity/port.js';
import { ADMIN, answeredLogin } from './keystone-v2-stand-in.js';
import { rejectionOf } from '../rejection.js';
import { remoteFailures } from './remote.features.js';
import { answerJson, standIn } from './stand-in.js';

const START = Date.parse('2026-03-01T12:00:00Z');
const SOON = '2026-03-01T13:00:00Z';

describe('keystone-v2 with answers that are undocumented, late or missing', () => {
  function open(url: string, timeoutMs = 5_000): Identity {
    return keystoneV2({ url, admin: ADMIN, timeoutMs, now: () => START });
  }

  it('reads times without a zone as UTC', async () => {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'Asia/Tokyo';
    const server = await standIn((request, response) => {
      if (answeredLogin(request, response, SOON)) return;
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
        if (answeredLogin(request, response, SOON)) return;
        answerJson(response, 200, { access: { token: { id: 'abc', expires: SOON, tenant } } });
      });
      const odd = open(server.url);
      expect(await rejectionOf(odd.verify('abc'))).to.be.instanceOf(IdentityUnavailable);
      await odd.close();
      await server.close();
    });
  }

  it('limits a login to the rest of the time-out', async () => {
    let logins = 0;
    const server = await standIn((request, response) => {
      if (request.method === 'POST') {
        logins += 1;
        if (logins === 1) answeredLogin(request, response, SOON);
      } else setTimeout(() => answerJson(response, 401, {}), 2_000);
    });
    const slow = open(server.url, 3_000);
    const start = performance.now();
    expect(await rejectionOf(slow.verify('abc'))).to.be.instanceOf(IdentityUnavailable);
    expect(performance.now() - start).to.be.lessThan(4_500);
    expect(logins).to.equal(2);
    await slow.close();
    await server.close();
  });

  it('limits all requests of one verification to one time-out', async () => {
    const server = await standIn((request, response) => {
      setTimeout(() => {
        if (!answeredLogin(request, response, SOON)) answerJson(response, 404, {});
      }, 200);
    });
    const slow = open(server.url, 300);
    expect(await rejectionOf(slow.verify('abc'))).to.be.instanceOf(IdentityUnavailable);
    await slow.close();
    await server.close();
  });

  const failing = {
    open: (url: string, timeoutMs: number) => open(url, timeoutMs),
    token: 't0ken-of-a-client',
    secrets: [ADMIN.password, 't0ken'],
  };
  remoteFailures('when Keystone fails at the login', failing);
  remoteFailures('when Keystone fails at the check', {
    ...failing,
    before: (request, response) => answeredLogin(request, response, SOON),
  });
});
