import { expect } from 'chai';
import { request } from '../../e2e/api-client.js';
import { scenes } from '../../e2e/scene.js';
import { browserClient, DEMO } from '../browser-client.js';

const OPERATOR_TOKEN = 'let-the-operators-in';
const PRIVATE = /^\/(?:console\/(?:api|mail)|operator)\//;
const STREAM = /\/events$/;

describe('answers that depend on the viewer', () => {
  const open = scenes();

  it('are kept by no cache, nor are the refusals in their place', async () => {
    const { url, routes } = await open.service({ OPERATOR_TOKEN });
    const { cookie } = await browserClient(url, { operatorToken: OPERATOR_TOKEN });
    const paths = routes
      .filter(({ methods, pattern }) => methods.includes('GET') && PRIVATE.test(pattern))
      .map(({ pattern }) => pattern.replaceAll(/[:*]\w+/g, 'x'))
      .filter((path) => !STREAM.test(path));
    expect(paths).to.include.members(['/console/api/overview', '/operator/actors']);
    for (const path of paths) {
      const viewers: readonly Record<string, string>[] = [{ cookie }, {}];
      for (const headers of viewers) {
        const answer = await request(url + path, 'GET', undefined, headers);
        expect(answer.headers.get('cache-control'), `${path} ${answer.status}`).to.equal('no-store');
      }
    }
  });

  it('of the policy API are kept by no cache if a cookie proves the tenant; otherwise they are as they were', async () => {
    const { url, api } = await open.service();
    const demo = await browserClient(url, DEMO);
    for (const path of ['/v1.0/demo', '/v1.0/demo/rules', '/v1.0/demo/servers']) {
      expect((await demo.call('GET', path)).headers.get('cache-control'), path).to.equal('no-store');
      expect((await api.call('GET', path)).headers.get('cache-control'), path).to.equal(null);
    }
  });

  it('are not those of the page and its assets', async () => {
    const { url } = await open.service();
    const page = await request(`${url}/console/servers`, 'GET');
    expect(page.headers.get('cache-control')).to.equal('no-cache');
  });
});
