import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  NARROW,
  specBrowser,
  type Window,
} from '../../console/browser.js';
import { emailScene, MESSAGE, type EmailScene } from '../senders/email-scene.js';
import { CPU, WITH_SERIES } from './mail-with-series.js';

const LONG = 'x'.repeat(10_000);
const HOSTILE = `<b onclick="document.title=1">bold</b> \u202Egpj.exe שלום ${LONG}`;

describe('the page of an e-mail in Chromium', () => {
  const browser = specBrowser();
  let scene: EmailScene;
  let requests: string[];
  beforeEach(() => {
    scene = emailScene();
    requests = [];
  });
  afterEach(() => scene.end());

  /** Sends a mail over SMTP and shows its HTML as wide as a phone. */
  const shown = async (
    changes: Parameters<ReturnType<EmailScene['sender']>['mail']>[0],
    { scheme = 'light', phone = false }: Pick<Window, 'scheme' | 'phone'> = {},
  ): Promise<Page> => {
    const server = await scene.mailServer();
    expect(await scene.sender({ smtpUrl: server.url }).mail(changes)).to.have.property('result', 'delivered');
    const page = await browser.open({ url: 'http://127.0.0.1:9', size: NARROW, scheme, phone });
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) requests.push(request.url());
    });
    await page.setContent(String(server.arrived[0]!.mail.html), { waitUntil: 'load' });
    // axe takes the ground for white unless it is said: this is the one that Chromium paints.
    await page.addStyleTag({ content: 'html { background-color: Canvas }' });
    return page;
  };

  it('fits a phone, in light and in dark, and asks nobody for anything', async () => {
    const page = await shown(WITH_SERIES);
    await expectNoAxeViolations(page);
    await expectNoSidewaysScroll(page);
    const { width, height } = (await page.getByRole('img', { name: 'Chart of cpu' }).boundingBox())!;
    expect({ width, height }).to.deep.equal({ width: 280, height: 96 });
    const drawn = await page.evaluate('[...document.images].map((image) => image.naturalWidth)');
    expect(drawn).to.deep.equal([560, 560]);
    for (const link of await page.getByRole('link').all()) {
      expect((await link.boundingBox())!.width).to.be.at.most(348);
    }
    expect(requests).to.deep.equal([]);
  });

  it('is as wide as the screen of a phone', async () => {
    const page = await shown(WITH_SERIES, { phone: true });
    expect(await page.evaluate('window.innerWidth')).to.equal(NARROW[0]);
  });

  it('breaks neither the label of a metric nor a time within a word', async () => {
    const time = '2026-11-23T15:09:40.410Z';
    const page = await shown({
      ...WITH_SERIES,
      facts: [
        ['Last of temperature', '95'],
        ['When', time],
      ],
    });
    const lines = (selector: string, word: string) =>
      page.evaluate<number>(`(() => {
        const range = document.createRange();
        const text = [...document.querySelectorAll('${selector}')].find((cell) => cell.innerText.includes('${word}')).firstChild;
        range.setStart(text, text.data.indexOf('${word}'));
        range.setEnd(text, text.length);
        return range.getClientRects().length;
      })()`);
    expect(await lines('th', 'temperature')).to.equal(1);
    // As narrow as in the inbox of the console on a phone.
    await page.setViewportSize({ width: 316, height: 800 });
    expect(await lines('th', 'temperature')).to.equal(1);
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    expect(await lines('td', time)).to.equal(1);
  });

  it('begins with what happened on which server, what to do and why, then the page of the server', async () => {
    const page = await shown(WITH_SERIES);
    const texts = (await page.locator('body').innerText()).split('\n').filter((line) => line !== '');
    expect(texts.slice(0, 6)).to.deep.equal([
      MESSAGE.headline,
      'The server is busy.',
      'Look at it — soon.',
      MESSAGE.reason,
      'Open the server’s page',
      'What was measured',
    ]);
    const sizes = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main > h1, main > p')].map((paragraph) => getComputedStyle(paragraph).fontSize)`,
    );
    expect(sizes.slice(0, 3)).to.deep.equal(['20px', '16px', '16px']);
    const button = await page.getByRole('link', { name: 'Open the server’s page' }).boundingBox();
    expect(button!.height).to.be.at.least(44);
    expect(texts.at(-1)).to.equal('Mute this rule on this server for an hour, a day or a week.');
  });

  it('is dark where the reader is', async () => {
    const page = await shown(WITH_SERIES, { scheme: 'dark' });
    const colours = await page.evaluate<string[]>(
      '[getComputedStyle(document.body).color, getComputedStyle(document.documentElement).backgroundColor]',
    );
    expect(colours).to.deep.equal(['rgb(255, 255, 255)', 'rgb(18, 18, 18)']);
    // The ground of a picture is that of the page; the threshold is a red dash on it.
    const picture = await page.evaluate<number[][]>(`(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 560, height: 192 });
      const context = canvas.getContext('2d');
      context.drawImage(document.images[0], 0, 0, 560, 192);
      return [[4, 100], [8, 37]].map(([x, y]) => [...context.getImageData(x, y, 1, 1).data]);
    })()`);
    expect(picture).to.deep.equal([
      [0, 0, 0, 0],
      [224, 57, 62, 255],
    ]);
  });

  it('shows names with markup, marks of direction and 10,000 characters as text, on a phone', async () => {
    const page = await shown({
      ...WITH_SERIES,
      subject: HOSTILE,
      headline: HOSTILE,
      reason: HOSTILE,
      body: HOSTILE,
      facts: [
        ['Rule', HOSTILE],
        ['Server', LONG],
        ['Where to look', `https://mirzam.example/${LONG}`],
      ],
      series: [{ ...CPU, metric: HOSTILE }],
    });
    expect(await page.locator('b').count()).to.equal(0);
    expect(await page.getByText('<b onclick="document.title=1">bold</b>').count()).to.be.at.least(3);
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    expect(requests).to.deep.equal([]);
  });

  it('has all in its texts where pictures are not shown', async () => {
    const page = await shown(WITH_SERIES);
    await page.evaluate(`document.querySelectorAll('img').forEach((image) => { image.src = 'data:,'; })`);
    await expectNoSidewaysScroll(page);
    await page.getByText(MESSAGE.reason).waitFor();
    await page.getByAltText('the threshold is 85 %, it clears at 70 %').waitFor();
  });
});
