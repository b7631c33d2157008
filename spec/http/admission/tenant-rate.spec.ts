import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';
import { TenantRate } from '../../../src/http/admission/tenant-rate.js';
import { scenes } from '../../e2e/scene.js';

describe('the rate of a tenant', () => {
  const open = scenes();
  /** A rate with a clock, and how many of some requests it takes. */
  const rated = (perSecond: number) => {
    let now = 5;
    const rate = new TenantRate(perSecond, () => now);
    const taken = (requests: number, tenant = 'a', proven = true): number => {
      let count = 0;
      for (let i = 0; i < requests; i += 1) {
        try {
          rate.count(tenant, proven);
          count += 1;
        } catch (error) {
          if (!(error instanceof Refusal) || error.code !== 'too-many-requests') throw error;
        }
      }
      return count;
    };
    return { taken, pass: (ms: number) => (now += ms) };
  };

  it('lets a second’s requests come at once, and then as many as time allows', () => {
    for (const perSecond of [1, 3, 7, 1_000]) {
      const { taken, pass } = rated(perSecond);
      expect(taken(perSecond * 2), String(perSecond)).to.equal(perSecond);
      pass(1000 / perSecond);
      expect(taken(2), String(perSecond)).to.equal(1);
      pass(60_000);
      expect(taken(perSecond * 2), String(perSecond)).to.equal(perSecond);
    }
  });

  it('is that of each tenant, and of those who only claim it', () => {
    const { taken } = rated(4);
    expect(taken(9, 'a', false)).to.equal(4);
    expect(taken(9, 'a', true)).to.equal(4);
    expect(taken(9, 'b', true)).to.equal(4);
  });

  it('is answered with 429, the number, and when to try again', async () => {
    const { api, url } = await open.service({ TENANT_RATE: '1' });
    const answers = [];
    for (let i = 0; i < 40 && answers.at(-1)?.status !== 429; i += 1)
      answers.push(await api.call('GET', '/v1.0/demo'));
    const refused = answers.at(-1)!;
    expect(answers[0]!.status).to.equal(200);
    expect(refused.status).to.equal(429);
    expect(JSON.stringify(refused.body)).to.include(
      'more than 1 per second, the limit of its requests (TENANT_RATE)',
    );
    const facts = (): Promise<Response> =>
      fetch(`${url}/v1.0/demo/servers/web-1`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{}',
      });
    let fact = await facts();
    expect(fact.status, 'facts without a token count apart').to.equal(400);
    for (let i = 0; i < 40 && fact.status !== 429; i += 1) fact = await facts();
    expect([fact.status, fact.headers.get('retry-after')]).to.deep.equal([429, '1']);
    expect((await fetch(`${url}/health`)).status).to.equal(200);
  });
});
