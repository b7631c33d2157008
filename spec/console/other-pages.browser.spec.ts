import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import type { Page, Response } from 'playwright-core';
import { addSubscribedRule, ALWAYS, cpu, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { logInAsOperator, logInAsTenant, specBrowser } from './browser.js';

const TOKEN = 'operator-token-of-more-than-32-characters';
/** Returns the id of the newest mail, as a page of the console. */
const NEWEST_MAIL = `fetch('/operator/inbox').then((answer) => answer.json()).then((mails) => mails[0]?.id)`;

/** Another page that the person with the session has open. */
const PAGES = [
  // SameSite does not regard ports: the browser sends the cookie.
  ['of another port', '127.0.0.1'],
  ['of another site', '127.0.0.2'],
] as const;

describe('pages of elsewhere and a session of the console', () => {
  // Its windows close before the service does.
  const browser = specBrowser();
  const scene = scenes();

  /** Opens an empty page of a server of its own, in the window that has the session. */
  const foreignPage = async (own: Page, host: string): Promise<Page> => {
    const server = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>elsewhere</title>'),
    );
    server.listen(0, host);
    await once(server, 'listening');
    scene.keep(server, async () => server.close().closeAllConnections());
    const page = await own.context().newPage();
    await page.goto(`http://${host}:${(server.address() as AddressInfo).port}/`);
    return page;
  };

  /** Sends a form that holds JSON, as a page without scripts of the service can. Returns the answer. */
  const postForm = async (page: Page, url: string, json: object): Promise<Response> => {
    const [name, rest] = [`${JSON.stringify(json).slice(0, -1)},"pad":"`, '"}'];
    const answer = page.waitForResponse((response) => response.url() === url);
    await page.evaluate(
      `{
        const form = document.createElement('form');
        Object.assign(form, { method: 'post', enctype: 'text/plain', action: ${JSON.stringify(url)} });
        const field = document.createElement('input');
        Object.assign(field, { type: 'hidden', name: ${JSON.stringify(name)}, value: ${JSON.stringify(rest)} });
        form.append(field);
        document.body.append(form);
        form.submit();
      }`,
    );
    return answer;
  };

  for (const [title, host] of PAGES) {
    it(`change nothing with it: a page ${title}`, async () => {
      const { url, api } = await scene.service({ OPERATOR_TOKEN: TOKEN });
      const own = await browser.open({ url });
      await logInAsTenant(own);
      const rules = `${url}/v1.0/demo/rules`;

      const posted = await postForm(await foreignPage(own, host), rules, ALWAYS);
      expect(posted.status()).to.equal(403);
      const foreign = await foreignPage(own, host);
      const unread = await foreign.evaluate<string>(
        `fetch(${JSON.stringify(rules)}, { credentials: 'include' }).then((answer) => answer.text(), String)`,
      );
      expect(unread).to.include('Failed to fetch');
      for (const [method, path] of [
        ['DELETE', '/console/api/session'],
        ['PUT', '/v1.0/demo'],
      ]) {
        const options = { method, credentials: 'include', headers: { 'X-CSRF-Token': 'guessed' } };
        const refused = await foreign.evaluate<string>(
          `fetch(${JSON.stringify(url + path!)}, ${JSON.stringify(options)}).then(() => 'sent', String)`,
        );
        expect(refused, method).to.include('Failed to fetch');
      }
      expect((await api.call('GET', '/v1.0/demo/rules')).body['rules']).to.deep.equal([]);
      await own.reload();
      await own.getByRole('button', { name: 'Log out' }).waitFor({ state: 'attached' });
    });
  }

  it('do not get the console into a frame', async () => {
    const { url } = await scene.service();
    const own = await browser.open({ url });
    await own.goto('/console');
    const foreign = await foreignPage(own, '127.0.0.1');
    const refused = foreign.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()));
    await foreign.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${url}/console' }))`,
    );
    await refused;
  });

  it('do not run in a mail, which is shown in a sandbox with the session of an operator', async () => {
    const { url, api } = await scene.service({ OPERATOR_TOKEN: TOKEN });
    const action = { actionName: 'notify-email', email: 'you@example.org', body: '<b>hot</b>' };
    await windowSize(api, 1);
    await addSubscribedRule(api, 'one', 'http://127.0.0.1:9/unused', { ...ALWAYS, action });
    await cpu(api, 'one', 99);
    const own = await browser.open({ url });
    await own.goto('/console/login');
    await logInAsOperator(own, TOKEN);
    const mailId = await eventually(
      async () => (await own.evaluate<string | undefined>(NEWEST_MAIL)) ?? undefined,
      SOON_MS,
      () => 'no mail came',
    );
    const path = `/console/mail/${mailId}`;
    const answer = own.waitForResponse((response) => response.url() === url + path);
    await own.evaluate(
      `{
        const frame = document.createElement('iframe');
        frame.setAttribute('sandbox', '');
        frame.src = ${JSON.stringify(path)};
        document.body.append(frame);
      }`,
    );
    expect((await answer).status()).to.equal(200);
    const text = own.frameLocator('iframe').locator('body');
    await text.getByText('<b>hot</b>').waitFor();
  });
});
