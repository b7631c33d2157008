import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';
import { edges, errorIn, held, ok, routes } from '../edge.js';

describe('overload', () => {
  const start = edges();

  it('is answered with 503 at once, while the requests in flight continue', async () => {
    const { router, arrived, release } = held();
    const { url } = await start([router, routes({ 'GET /t': ok })], {
      admission: { maxInFlight: 1, exempt: [] },
    });
    const first = fetch(`${url}/held`);
    await arrived;
    const second = await fetch(`${url}/t`);
    expect(second.status).to.equal(503);
    expect(second.headers.get('retry-after')).to.equal('1');
    expect(second.headers.get('x-request-id')).to.be.a('string');
    expect((await errorIn(second)).message).to.contain('nothing was done');
    release();
    expect((await first).status).to.equal(200);
    expect((await fetch(`${url}/t`)).status).to.equal(200);
  });

  it('does not affect exempt paths, which take no permit', async () => {
    const { router, arrived, release } = held();
    const { url } = await start([router, routes({ 'GET /health': ok, 'GET /t': ok })], {
      admission: { maxInFlight: 1, exempt: ['/health', '/held'] },
    });
    const exempt = fetch(`${url}/held`);
    await arrived;
    expect((await fetch(`${url}/t`)).status).to.equal(200);
    expect((await fetch(`${url}/health`)).status).to.equal(200);
    release();
    await exempt;
  });

  it('ends after failed requests too', async () => {
    const fail = () => {
      throw new Refusal('conflict', 'no');
    };
    const { url } = await start([routes({ 'GET /t': fail })], { admission: { maxInFlight: 1, exempt: [] } });
    for (let i = 0; i < 3; i += 1) expect((await fetch(`${url}/t`)).status).to.equal(409);
  });
});
