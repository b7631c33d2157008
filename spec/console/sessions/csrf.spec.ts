import { expect } from 'chai';
import { request } from '../../e2e/api-client.js';
import { expectRefusal } from '../../e2e/refusal.js';
import { scenes } from '../../e2e/scene.js';
import { type BrowserClient, browserClient, DEMO, logIn } from '../browser-client.js';

const OPERATOR_TOKEN = 'let-the-operators-in';
const SESSION = '/console/api/session';

describe('changes with a session of the console', () => {
  const open = scenes();

  /** Sends the changes of an operator and of a tenant. */
  const changes = (operator: BrowserClient, tenant: BrowserClient, headers: Record<string, string>) =>
    Promise.all([
      operator.call('POST', '/operator/deliveries/a/b/redelivery', undefined, headers),
      operator.call('DELETE', SESSION, undefined, headers),
      tenant.call('PUT', '/v1.0/demo', { windowsize: 4 }, headers),
      tenant.call('DELETE', SESSION, undefined, headers),
    ]);

  it('need X-CSRF-Token', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN });
    const operator = await browserClient(url, { operatorToken: OPERATOR_TOKEN });
    const tenant = await browserClient(url, DEMO);
    for (const wrong of ['wrong', `${operator.csrf}x`, '']) {
      for (const answer of await changes(operator, tenant, { 'x-csrf-token': wrong })) {
        expectRefusal(answer, 403, 'X-CSRF-Token', 'GET /console/api/session');
      }
    }
    const { cookie } = tenant;
    const missing = await request(`${url}/v1.0/demo`, 'PUT', { windowsize: 4 }, { cookie });
    expectRefusal(missing, 403, 'is missing');
    const theirs = { cookie, 'x-csrf-token': operator.csrf };
    expectRefusal(await request(`${url}/v1.0/demo`, 'PUT', { windowsize: 4 }, theirs), 403, 'is wrong');
    const statuses = (await changes(operator, tenant, {})).map(({ status }) => status);
    expect(statuses).to.deep.equal([404, 200, 200, 200]);
  });

  it('are refused from a page of another origin, with the right X-CSRF-Token too', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN });
    const operator = await browserClient(url, { operatorToken: OPERATOR_TOKEN });
    const tenant = await browserClient(url, DEMO);
    const { port } = new URL(url);
    const foreign: readonly Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://localhost:${Number(port) === 1 ? 2 : 1}` },
      { origin: `http://127.0.0.1.evil.example:${port}` },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'elsewhere' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'none' },
      { origin: url, 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign) {
      for (const answer of await changes(operator, tenant, headers)) {
        expectRefusal(answer, 403, 'another');
      }
      expectRefusal(await logIn(url, DEMO, headers), 403, 'another');
    }
  });

  it('are accepted from the own page, by the Host of the request or PUBLIC_URL', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN, PUBLIC_URL: 'https://rules.example.org' });
    const operator = await browserClient(url, { operatorToken: OPERATOR_TOKEN });
    const tenant = await browserClient(url, DEMO);
    for (const origin of [url, 'https://rules.example.org']) {
      const headers = { origin, 'sec-fetch-site': 'same-origin' };
      const statuses = (await changes(operator, tenant, headers)).map(({ status }) => status);
      expect(statuses, origin).to.deep.equal([404, 200, 200, 200]);
      expect((await logIn(url, DEMO, headers)).status).to.equal(200);
    }
  });

  it('are accepted with Sec-Fetch-Site: none, which no page can send', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN });
    const operator = await browserClient(url, { operatorToken: OPERATOR_TOKEN });
    const tenant = await browserClient(url, DEMO);
    const headers = { 'sec-fetch-site': 'none' };
    const statuses = (await changes(operator, tenant, headers)).map(({ status }) => status);
    expect(statuses).to.deep.equal([404, 200, 200, 200]);
    expect((await logIn(url, DEMO, headers)).status).to.equal(200);
  });

  it('say what the browser said', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN });
    for (const [site, said] of [
      ['same-site', 'same-site'],
      ['cross-site', 'cross-site'],
      ['any<where>', '"any<where>"'],
    ] as const) {
      expectRefusal(await logIn(url, DEMO, { 'sec-fetch-site': site }), 403, `Sec-Fetch-Site: ${said}`);
    }
  });

  it('are not needed for reading', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN });
    const operator = await browserClient(url, { operatorToken: OPERATOR_TOKEN });
    for (const method of ['GET', 'HEAD']) {
      expect((await operator.call(method, '/operator/actors')).status).to.equal(200);
    }
  });
});
