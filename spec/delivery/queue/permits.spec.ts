import { expect } from 'chai';
import { MAIL } from '../driven-delivery.js';
import { createPermits, ownerOf, queueOf } from '../../../src/delivery/queue/permits.js';

describe('permits', () => {
  const a = ownerOf('acme/a');
  const b = ownerOf('acme/b');
  const shared = ownerOf('other/a');

  it('are limited for one receiver, for all tenants together', () => {
    const permits = createPermits({ perReceiver: 2, perTenant: 9, inAll: 9 });
    permits.acquire(a);
    permits.acquire(shared);
    expect([a, shared, b].map((owner) => permits.fits(owner))).to.deep.equal([false, false, true]);
    permits.release(shared);
    expect(permits.fits(a)).to.equal(true);
  });

  it('are limited for one tenant, and for the node', () => {
    const permits = createPermits({ perReceiver: 9, perTenant: 2, inAll: 3 });
    permits.acquire(a);
    permits.acquire(b);
    expect([permits.fits(a), permits.fits(shared), permits.full]).to.deep.equal([false, true, false]);
    permits.acquire(shared);
    expect([permits.fits(shared), permits.full]).to.deep.equal([false, true]);
    expect([permits.ofTenant('acme'), permits.ofTenant('other'), permits.ofQueue('acme/a')]).to.deep.equal([
      2, 1, 1,
    ]);
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
