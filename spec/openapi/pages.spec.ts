import { readFile } from 'node:fs/promises';
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
    const page = await pageOf(`${url}/docs`);
    const { paths, components } = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(operations.length).to.be.greaterThan(50);
    for (const { operationId } of operations) expect(page).to.include(`<h3 id="${operationId}">`);
    for (const name of Object.keys(components.schemas)) expect(page).to.include(`id="schema-${name}"`);
    expect(page).to.include(`curl -s -X PUT 'http://localhost:8080/v1.0/demo'`);
    expect(page).to.include('-H &quot;X-Auth-Token: $TOKEN&quot;');
    expect(page).to.include(`-H 'Content-Type: application/x-www-form-urlencoded' -d 'for=3600'`);
  });

  it('show a schema that refers to itself once, with a link to itself', async () => {
    const { url } = await open.service();
    const page = await pageOf(`${url}/docs`);
    const shown = page
      .split('<h3 id="schema-Condition">')
      .slice(1)
      .map((rest) => rest.split('</article>')[0]!);
    expect(shown).to.have.length(1);
    expect(shown[0]!.match(/<a href="#schema-\w+">\w+/g)).to.deep.equal([
      '<a href="#schema-Comparisons">Comparisons',
      ...Array.from({ length: 3 }, () => '<a href="#schema-Condition">Condition'),
    ]);
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
        if (!/\.(?:css|svg|png)$/.test(pathname)) waiting.push(pathname);
        else expect(await statusOf(url + pathname), pathname).to.equal(200);
      }
    }
    const broken = links.filter(
      ([, path, anchor]) =>
        anchor !== undefined && !pages.get(path)!.includes(`id="${decodeURIComponent(anchor)}"`),
    );
    expect(broken).to.deep.equal([]);
    expect(pages.size).to.be.greaterThan(20);
  });

  it('run no script, and load nothing from elsewhere', async () => {
    const { url } = await open.service();
    for (const path of ['/docs', '/docs/operations', '/docs/style.css']) {
      const response = await fetch(url + path, { headers: BROWSER });
      expect(response.headers.get('content-security-policy'), path).to.match(
        /^default-src 'none'; style-src 'self'; img-src 'self';/,
      );
      expect(await response.text(), path).not.to.match(/<script|style="|\bon\w+="|src="http|url\(/);
    }
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
