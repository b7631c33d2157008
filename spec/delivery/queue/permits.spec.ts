import { expect } from 'chai';
import { MAIL } from '../driven-delivery.js';
import { createPermits, ownerOf, type Permits, queueOf } from '../../../src/delivery/queue/permits.js';

const NOW = 1_000;

describe('permits', () => {
  const a = ownerOf('acme/a');
  const b = ownerOf('acme/b');
  const shared = ownerOf('other/a');

  it('are limited for one receiver, for all tenants together', () => {
    const permits = createPermits({ perReceiver: 2, perTenant: 9, inAll: 9 });
    permits.acquire(a, NOW);
    permits.acquire(shared, NOW);
    expect([a, shared, b].map((owner) => permits.fits(owner, NOW))).to.deep.equal([false, false, true]);
    permits.release(shared);
    expect(permits.fits(a, NOW)).to.equal(true);
  });

  it('are limited for one tenant, and for the node', () => {
    const permits = createPermits({ perReceiver: 9, perTenant: 2, inAll: 3 });
    permits.acquire(a, NOW);
    permits.acquire(b, NOW);
    expect([permits.fits(a, NOW), permits.fits(shared, NOW), permits.full]).to.deep.equal([
      false,
      true,
      false,
    ]);
    permits.acquire(shared, NOW);
    expect([permits.fits(shared, NOW), permits.full]).to.deep.equal([false, true]);
    expect([permits.ofTenant('acme'), permits.ofTenant('other'), permits.ofQueue('acme/a')]).to.deep.equal([
      2, 1, 1,
    ]);
  });
});

describe('the permits of one tenant', () => {
  const limits = { perReceiver: 9, perTenant: 8, inAll: 99 };
  const acquireAll = (permits: Permits, queue: string): number => {
    let count = 0;
    for (; permits.fits(ownerOf(queue), NOW); count += 1) permits.acquire(ownerOf(queue), NOW);
    return count;
  };

  it('go to receivers that failed up to the half, to unknown ones up to three quarters, the rest to those that answer', () => {
    const permits = createPermits(limits);
    permits.ended(ownerOf('acme/dead'), false, NOW);
    permits.ended(ownerOf('acme/well'), true, NOW);
    expect(['acme/dead', 'acme/new', 'acme/well'].map((queue) => acquireAll(permits, queue))).to.deep.equal([
      4, 2, 2,
    ]);
    expect(acquireAll(permits, 'other/new')).to.equal(6);
  });

  it('count by the newest attempt of their receivers, also those taken before', () => {
    const permits = createPermits(limits);
    const turned = ownerOf('acme/turned');
    expect(acquireAll(permits, turned.queue)).to.equal(6);
    permits.ended(turned, true, NOW);
    permits.release(turned);
    expect(acquireAll(permits, 'acme/new')).to.equal(3);
    permits.ended(turned, false, NOW);
    permits.release(turned);
    expect([turned, ownerOf('acme/new')].map((owner) => permits.fits(owner, NOW))).to.deep.equal([
      false,
      false,
    ]);
    for (let n = 0; n < 4; n += 1) permits.release(turned);
    expect(acquireAll(permits, turned.queue)).to.equal(1);
  });

  it('remember 10,000 receivers, the newest', () => {
    const permits = createPermits(limits);
    const oldest = ownerOf('acme/r0');
    permits.ended(oldest, true, NOW);
    permits.acquire(oldest, NOW);
    for (let n = 1; n <= 10_000; n += 1) permits.ended(ownerOf(`acme/r${n}`), true, NOW);
    expect(acquireAll(permits, 'acme/r0')).to.equal(5);
    expect(acquireAll(permits, 'acme/r10000')).to.equal(2);
  });
});

describe('the queue of a message', () => {
  const webhook = (url: string) => ({ channel: 'webhook', url, body: '{}' }) as const;

  it('is named by its tenant and its receiver: the origin of a url, or the mail server', () => {
    expect(queueOf('acme', webhook('https://Example.org:443/a?b'))).to.equal('acme/https://example.org');
    expect(queueOf('acme', MAIL)).to.equal('acme/email');
    expect(ownerOf('acme/https://example.org')).to.deep.equal({
      queue: 'acme/https://example.org',
      tenant: 'acme',
      receiver: 'https://example.org',
    });
  });

  it('has a name of at most 640 characters, whatever the length of the host', () => {
    const label = 'x'.repeat(60);
    const host = Array.from({ length: 10 }, () => label).join('.');
    const queue = queueOf('t'.repeat(256), webhook(`http://${host}/`));
    expect(queue.length).to.be.below(640);
    expect(queue).not.to.equal(queueOf('t'.repeat(256), webhook(`http://${host}.x/`)));
  });
});
