import { expect } from 'chai';
import { cached } from '../../src/identity/cache.js';
import { type Identity, IdentityUnavailable, type Principal } from '../../src/identity/port.js';
import { rejectionOf } from '../rejection.js';

const START = 1_000_000;
const SOMEBODY: Principal = { tenant: { id: '42', name: 'acme' }, expiresAt: START + 600_000 };

type Reply = (token: string) => Principal | undefined | Promise<Principal | undefined>;

describe('identity cache', () => {
  let clock: number;
  let asked: string[];
  let closed: number;
  let reply: Reply;

  beforeEach(() => {
    clock = START;
    asked = [];
    closed = 0;
    reply = () => SOMEBODY;
  });

  function open({ ttlS = 60, max = 10 } = {}): Identity {
    const identity: Identity = {
      async verify(token) {
        asked.push(token);
        return reply(token);
      },
      async close() {
        closed += 1;
      },
    };
    return cached(identity, { ttlS, max, now: () => clock });
  }

  it('verifies a token once within the TTL', async () => {
    const identity = open();
    expect(await identity.verify('a')).to.deep.equal(SOMEBODY);
    clock += 59_999;
    expect(await identity.verify('a')).to.deep.equal(SOMEBODY);
    expect(asked).to.deep.equal(['a']);
  });

  it('verifies it again after the TTL, even if it was used meanwhile', async () => {
    const identity = open();
    await identity.verify('a');
    clock += 59_999;
    await identity.verify('a');
    clock += 1;
    await identity.verify('a');
    expect(asked).to.deep.equal(['a', 'a']);
  });

  it('counts the TTL from the request, not from the answer', async () => {
    const identity = open();
    reply = () => {
      clock += 4_000;
      return SOMEBODY;
    };
    await identity.verify('a');
    clock = START + 60_000;
    await identity.verify('a');
    expect(asked).to.deep.equal(['a', 'a']);
  });

  it('does not cache a token beyond its expiry', async () => {
    const identity = open();
    reply = () => ({ ...SOMEBODY, expiresAt: START + 10_000 });
    expect(await identity.verify('a')).not.to.equal(undefined);
    clock = START + 10_000;
    expect(await identity.verify('a')).to.equal(undefined);
  });

  it('refuses a token that expired during its verification', async () => {
    reply = () => {
      clock = SOMEBODY.expiresAt;
      return SOMEBODY;
    };
    expect(await open().verify('a')).to.equal(undefined);
  });

  it('distinguishes tokens', async () => {
    const identity = open();
    reply = (token) => ({ ...SOMEBODY, tenant: { id: token, name: token } });
    await identity.verify('a');
    expect((await identity.verify('b'))?.tenant.id).to.equal('b');
    expect((await identity.verify('a'))?.tenant.id).to.equal('a');
  });

  it('shares one verification between concurrent callers', async () => {
    const identity = open();
    let answer: (principal: Principal) => void = () => {};
    const answered = new Promise<Principal>((resolve) => {
      answer = resolve;
    });
    reply = () => answered;
    const checks = [identity.verify('a'), identity.verify('a'), identity.verify('b')];
    answer(SOMEBODY);
    expect(await Promise.all(checks)).to.deep.equal([SOMEBODY, SOMEBODY, SOMEBODY]);
    expect(asked).to.deep.equal(['a', 'b']);
  });

  it('shares one verification even with a TTL of 0', async () => {
    const identity = open({ ttlS: 0 });
    await Promise.all([identity.verify('a'), identity.verify('a')]);
    await identity.verify('a');
    expect(asked).to.deep.equal(['a', 'a']);
  });

  it('does not cache an invalid token', async () => {
    const identity = open();
    reply = () => undefined;
    expect(await identity.verify('a')).to.equal(undefined);
    reply = () => SOMEBODY;
    expect(await identity.verify('a')).to.deep.equal(SOMEBODY);
  });

  it('rejects all waiting callers on a failure, and does not cache it', async () => {
    const identity = open();
    reply = () => Promise.reject(new IdentityUnavailable('down'));
    const failures = [rejectionOf(identity.verify('a')), rejectionOf(identity.verify('a'))];
    for (const failure of await Promise.all(failures)) expect(failure).to.be.instanceOf(IdentityUnavailable);
    expect(asked).to.deep.equal(['a']);
    reply = () => SOMEBODY;
    expect(await identity.verify('a')).to.deep.equal(SOMEBODY);
  });

  it('drops the least recently used token above the maximum', async () => {
    const identity = open({ max: 2 });
    for (const token of ['a', 'b', 'a', 'c', 'a', 'c']) await identity.verify(token);
    expect(asked).to.deep.equal(['a', 'b', 'c']);
    await identity.verify('b');
    expect(asked).to.deep.equal(['a', 'b', 'c', 'b']);
  });

  it('keeps a valid token through many invalid ones', async () => {
    const identity = open({ max: 2 });
    await identity.verify('good');
    reply = () => undefined;
    for (let i = 0; i < 10; i += 1) await identity.verify(`bad-${i}`);
    expect(await identity.verify('good')).to.deep.equal(SOMEBODY);
  });

  it('closes the identity behind it', async () => {
    await open().close();
    expect(closed).to.equal(1);
  });
});
