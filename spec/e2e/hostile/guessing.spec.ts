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
