import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { expect } from 'chai';
import type { OpenApiDocument } from '../../src/openapi/open-api.js';
import { scenes } from '../e2e/scene.js';

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const ROOT = new URL('../../../', import.meta.url);

describe('the pages below /docs', () => {
  const open = scenes();
  const statusOf = async (url: string): Promise<number> => {
    const response = await fetch(url);
    await response.text();
    return response.status;
  };
  const pageOf = async (url: string): Promise<string> => {
    const response = await fetch(url, { headers: BROWSER });
    expect([response.status, response.headers.get('content-type')], url).to.deep.equal([
      200,
      'text/html; charset=utf-8',
    ]);
    return response.text();
  };

  it('show every operation with a command for each of its examples', async () => {
    const { url } = await open.service({ LEDGER: 'on', OPERATOR_TOKEN: 'let-the-operators-in' });
    const overview = await pageOf(`${url}/docs`);
    const { paths, components, tags } = (await (
      await fetch(`${url}/openapi.json`)
    ).json()) as OpenApiDocument;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(operations.length).to.be.greaterThan(50);
    const names = [
      ...new Set([...overview.matchAll(/href="\/docs\/(api\/[^"#]+)"/g)].map(([, name]) => name!)),
    ];
    expect(names).to.have.length(tags.length + 1);
    const pages = await Promise.all(names.map((name) => pageOf(`${url}/docs/${name}`)));
    for (const { operationId } of operations) {
      const [page, ...others] = pages.filter((one) => one.includes(`<h2 id="${operationId}">`));
      expect(others, operationId).to.deep.equal([]);
      expect(overview).to.include(`#${operationId}">`);
      expect(page, operationId).to.be.a('string');
    }
    const schemas = await pageOf(`${url}/docs/api/schemas`);
    for (const name of Object.keys(components.schemas)) expect(schemas).to.include(`id="schema-${name}"`);
    const page = pages.join('');
    expect(page).to.include(`curl -s -X PUT '${url}/v1.0/demo'`);
    expect(page).to.include('-H &quot;X-Auth-Token: $TOKEN&quot;');
    expect(page).to.include(`-H 'Content-Type: application/x-www-form-urlencoded' -d 'for=3600'`);
  });

  it('show a schema that refers to itself once, with a link to itself', async () => {
    const { url } = await open.service();
    const page = await pageOf(`${url}/docs/api/schemas`);
    const shown = page
      .split('<h2 id="schema-Condition">')
      .slice(1)
      .map((rest) => rest.split('</article>')[0]!);
    expect(shown).to.have.length(1);
    expect(shown[0]!.match(/<a href="\/docs\/api\/schemas#schema-\w+">\w+/g)).to.deep.equal([
      '<a href="/docs/api/schemas#schema-Comparisons">Comparisons',
      ...Array.from({ length: 3 }, () => '<a href="/docs/api/schemas#schema-Condition">Condition'),
    ]);
    expect(page).to.match(/<code>\{\n  \w+: .*\n/);
  });

  it('are Markdown for scripts, and pages for browsers', async () => {
    const { url } = await open.service();
    for (const [name, file] of [
      ['policy-api', 'docs/policy-api.md'],
      ['readme', 'README.md'],
      ['adr/0004-npm-packages', 'docs/adr/0004-npm-packages.md'],
    ] as const) {
      const plain = await fetch(`${url}/docs/${name}`);
      expect(plain.headers.get('content-type'), name).to.equal('text/plain; charset=utf-8');
      expect(await plain.text(), name).to.equal(await readFile(new URL(file, ROOT), 'utf8'));
      expect(await pageOf(`${url}/docs/${name}`), name).to.match(/<h1 id="[^"]+">/);
    }
    expect(await statusOf(`${url}/docs/nothing`)).to.equal(404);
    expect(await statusOf(`${url}/docs/..%2Fpackage.json`)).to.equal(404);
  });

  it('have no link to a page or a heading that does not exist', async () => {
    const { url } = await open.service({ LEDGER: 'on' });
    const pages = new Map<string, string>();
    const waiting = ['/docs'];
    const files = new Set<string>();
    const links: (readonly [from: string, path: string, anchor: string | undefined])[] = [];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (pages.has(path)) continue;
      const page = path.startsWith('/docs') ? await pageOf(url + path) : '';
      pages.set(path, page);
      if (page === '') expect(await statusOf(url + path), path).to.equal(200);
      for (const [, target = ''] of page.matchAll(/(?:href|src)="([^"]*)"/g)) {
        if (/^(?:https?|mailto):/.test(target)) continue;
        const { pathname, hash } = new URL(target, url + path);
        links.push([path, pathname, hash === '' ? undefined : hash.slice(1)]);
        if (!/\.(?:css|svg|png|js)$/.test(pathname)) waiting.push(pathname);
        else files.add(pathname);
      }
    }
    for (const file of files) expect(await statusOf(url + file), file).to.equal(200);
    const broken = links.filter(
      ([, path, anchor]) =>
        anchor !== undefined && !pages.get(path)!.includes(`id="${decodeURIComponent(anchor)}"`),
    );
    expect(broken).to.deep.equal([]);
    expect(pages.size).to.be.greaterThan(20);
  });

  it('run the script of the service alone, and load nothing from elsewhere', async () => {
    const { url } = await open.service();
    for (const path of ['/docs', '/docs/operations', '/docs/style.css', '/docs/api/schemas']) {
      const response = await fetch(url + path, { headers: BROWSER });
      expect(response.headers.get('content-security-policy'), path).to.match(
        /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';/,
      );
      const text = (await response.text()).replace('<script src="/docs/script.js"></script>', '');
      expect(text, path).not.to.match(/<script|style="|\bon\w+="|src="http|url\(/);
    }
  });

  it('have the address that the reader used in their examples', async () => {
    const { url } = await open.service({ PUBLIC_URL: 'https://mirzam.example/rules', HOSTS: 'docs.example' });
    const { port } = new URL(url);
    const asked = async (host: string, path: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const request = get({ host: '127.0.0.1', port, path, headers: { ...BROWSER, host } }, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part: string) => (text += part));
          answer.on('end', () => resolve(text)).on('error', reject);
        });
        request.on('error', reject);
      });
    // PUBLIC_URL says that the service is reached over https.
    for (const [host, address] of [
      ['docs.example:8443', 'https://docs.example:8443'],
      [`127.0.0.1:${port}`, `https://127.0.0.1:${port}`],
      ['mirzam.example', 'https://mirzam.example/rules'],
    ] as const) {
      expect(await asked(host, '/docs/api/rules-of-the-tenant'), host).to.include(
        `curl -s '${address}/v1.0/demo`,
      );
      const readme = await asked(host, '/docs/readme');
      expect(readme, host).to.include(`<a href="${address}/console">${address}/console</a>`);
      expect(readme, host).not.to.include('localhost:8080');
    }
  });

  it('are found in a search index: operations, settings, sections', async () => {
    const { url } = await open.service();
    const response = await fetch(`${url}/docs/search-index`);
    expect(response.headers.get('content-encoding')).to.equal('gzip');
    const entries = (await response.json()) as readonly (readonly [string, string, string, string])[];
    const found = (word: string) =>
      entries.filter((entry) => entry.join(' ').includes(word)).map(([, , to]) => to);
    expect(found('MAIL_TIMEZONE')).to.include('/docs/settings#webhooks-and-e-mail');
    expect(found('/v1.0/{tenantId}/rules').some((to) => to.startsWith('/docs/api/'))).to.equal(true);
    for (const to of new Set(entries.map(([, , address]) => address))) {
      const [path, anchor] = to.split('#');
      if (anchor === undefined) expect(await statusOf(url + path), to).to.equal(200);
    }
    const plain = await fetch(`${url}/docs/search-index`, { headers: { 'Accept-Encoding': 'identity' } });
    expect(await plain.json()).to.deep.equal(entries);
  });

  it('begin at / for a browser, with the console', async () => {
    const { url } = await open.service();
    const browser = await fetch(url, { headers: BROWSER, redirect: 'manual' });
    await browser.text();
    expect([browser.status, browser.headers.get('location')]).to.deep.equal([302, '/console']);
    const script = (await (await fetch(url)).json()) as { name: string; docs: string[]; openapi: string };
    expect(script).to.include({ name: 'mirzam', openapi: '/openapi.json' });
    for (const path of script.docs) expect(await statusOf(url + path), path).to.equal(200);
  });
});
