import { expect } from 'chai';
import { keystoneV3 } from '../../src/identity/keystone.js';
import { IdentityUnavailable } from '../../src/identity/port.js';
import { rejectionOf } from '../rejection.js';
import { impossibleTokens, remoteFailures } from './remote.features.js';
import { type Handler, answerJson, standIn } from './stand-in.js';

const ADMIN = { tenant: 'service', user: 'policies', password: 'pa55-of-the-service' };

describe('keystone-v3', () => {
  const open = (url: string, timeoutMs = 5_000) => keystoneV3({ url, admin: ADMIN, timeoutMs });

  it('refuses a token that is expired by the local clock', async () => {
    const server = await standIn((request, response) => {
      if (answeredLogin(request, response)) return;
      const project = { id: '1', name: 'acme' };
      answerJson(response, 200, { token: { expires_at: '2020-01-01T00:00:00.000000Z', project } });
    });
    const identity = open(server.url);
    expect(await identity.verify('abc')).to.equal(undefined);
    await identity.close();
    await server.close();
  });

  it('is unavailable if the login’s answer has no token', async () => {
    const server = await standIn((_, response) =>
      answerJson(response, 201, { token: { expires_at: '2999-01-01T00:00:00.000000Z' } }),
    );
    const identity = open(server.url);
    expect(await rejectionOf(identity.verify('abc')))
      .to.be.instanceOf(IdentityUnavailable)
      .with.property('message')
      .that.contains('X-Subject-Token');
    await identity.close();
    await server.close();
  });

  impossibleTokens(open);

  const answeredLogin = (...[{ method }, response]: Parameters<Handler>): boolean => {
    if (method !== 'POST') return false;
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    answerJson(response, 201, { token: { expires_at } }, { 'x-subject-token': 'own-t0ken' });
    return true;
  };
  const failing = { open, token: 't0ken-of-a-client', secrets: [ADMIN.password, 't0ken'] };
  remoteFailures('when Keystone fails at the login', { ...failing, success: 201 });
  remoteFailures('when Keystone fails at the check', { ...failing, before: answeredLogin });
});
