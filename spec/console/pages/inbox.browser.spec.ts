import { expect } from 'chai';
import { addSubscribedRule, cpu, factsBody, okBody, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { expectNoAxeViolations, expectNoSidewaysScroll, NARROW, specBrowser } from '../browser.js';
import { sendMail } from './send-mail.js';

const EMAIL = {
  name: 'hot <b>room</b> \u202Egnp.exe',
  condition: { cpu: { value: 0, operand: 'greater equal' } },
  action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Open a <i>window</i>.' },
};

/** A script: the elements of a document that are wider than its window, or reach out of it. */
const CLIPPED = `((body) => [...body.querySelectorAll('*')]
  .filter((element) => {
    const { left, right } = element.getBoundingClientRect();
    return left < 0 || right > innerWidth || element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
  })
  .map((element) => element.outerHTML.slice(0, 120)))(document.body)`;

describe('the inbox of the console', () => {
  const browser = specBrowser();
  const open = scenes();

  it('shows a mail as it arrives, as it looks, its text and its headers', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', EMAIL);
    const page = await browser.open({ url });
    await page.goto('/console/inbox');
    await page.getByText('No mail yet.').waitFor();
    await expectNoAxeViolations(page);
    await cpu(api, 'web-1', 90);
    await page.getByRole('link', { name: /hot <b>room<\/b>.* ops@example\.org of demo/s }).click();
    const mail = page.getByRole('article', { name: 'Mail' });
    await mail.getByText('ops@example.org', { exact: true }).waitFor();
    await mail.getByRole('link', { name: 'demo' }).waitFor();
    const looks = page.frameLocator('iframe');
    await looks.getByText('Open a <i>window</i>.').waitFor();
    await looks.getByRole('row', { name: 'Server web-1' }).waitFor();
    await mail.getByText('Headers').click();
    expect(await page.getByRole('region', { name: 'Headers of the mail' }).innerText()).to.match(
      /^auto-submitted: auto-generated$/m,
    );
    await mail.getByText('Text', { exact: true }).click();
    expect(await page.getByRole('region', { name: 'Text of the mail' }).innerText()).to.include(
      'Open a <i>window</i>.',
    );
    await expectNoAxeViolations(page);
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await expectNoSidewaysScroll(page);
    await page.getByRole('link', { name: 'Close' }).click();
    await mail.waitFor({ state: 'detached' });
    await expectNoSidewaysScroll(page);
  });

  it('shows the picture of the window in a mail', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 3);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', EMAIL);
    for (const value of [80, 85, 90]) await cpu(api, 'web-1', value);
    const page = await browser.open({ url, size: NARROW });
    await page.goto('/console/inbox');
    await page.getByRole('link', { name: 'hot <b>room</b>' }).click();
    const chart = page
      .frameLocator('iframe')
      .getByRole('img', { name: 'Chart of cpu: 3 values from 80 % to 90 %' });
    await chart.waitFor();
    // A picture that is not loaded has the size of its text.
    await eventually(
      async () =>
        (await chart.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)) ===
          560 || undefined,
      SOON_MS,
      () => 'the picture is not 560 pixels wide',
    );
    await expectNoAxeViolations(page);
    await expectNoSidewaysScroll(page);
  });

  it('clips nothing of a mail on a phone', async () => {
    const { url, api } = await open.service({ METRICS: 'temperature' });
    await windowSize(api, 3);
    await addSubscribedRule(api, `web-${'long-name-'.repeat(8)}1`, 'http://127.0.0.1:9/', {
      ...EMAIL,
      condition: {
        any: [
          { cpu: { value: 85, operand: 'greater' } },
          { not: { temperature: { value: 1_234_567.25, operand: 'less' } } },
        ],
      },
    });
    const measured = [1_234_560, 1_234_570, 1_234_580.5].map((temperature) => ({
      cpuLoadPct: 90,
      temperature,
    }));
    okBody(await api.call('POST', `/demo/servers/web-${'long-name-'.repeat(8)}1`, factsBody(...measured)));
    for (const [scheme, phone] of [
      ['light', true],
      ['dark', true],
      ['light', false],
    ] as const) {
      const page = await browser.open({ url, size: NARROW, scheme, phone });
      await page.goto('/console/inbox');
      await page.getByRole('link', { name: 'hot <b>room</b>' }).click();
      const looks = page.frameLocator('iframe');
      await looks.getByRole('img', { name: 'Chart of temperature' }).waitFor();
      const beyond = await looks.locator('body').evaluate(CLIPPED);
      expect(beyond).to.deep.equal([]);
      await expectNoAxeViolations(page);
      await expectNoSidewaysScroll(page);
    }
  });

  it('shows markup of a mail and runs nothing of it', async () => {
    const { url } = await open.service();
    const stranger = await open.receiver();
    const hostile = `${stranger.origin}/seen`;
    await sendMail({
      subject: '<img src=x onerror="document.title=1"> \u202Egnp.exe',
      text: '<script>document.title = 1</script>',
      html: [
        '<h1 style="color:rebeccapurple">Look</h1>',
        '<script>parent.document.title = 1</script>',
        `<script src="${hostile}.js"></script>`,
        `<img src="${hostile}.png" onerror="parent.document.title = 1">`,
        `<link rel="stylesheet" href="${hostile}.css">`,
        `<meta http-equiv="refresh" content="0;url=${hostile}">`,
        `<form action="${url}/console/api/session" method="post"><button>Free money</button></form>`,
        `<iframe src="${hostile}.html"></iframe>`,
        `<a href="${hostile}" target="_top">out</a>`,
      ].join(''),
    });
    // The browser says on its console what it has not let the mail do.
    browser.expectError(/Content Security Policy|sandbox|Not allowed|Unsafe attempt/i);
    browser.expectError(/^request: GET http/);
    const page = await browser.open({ url });
    await page.goto('/console/inbox');
    await page.getByRole('link', { name: 'gnp.exe' }).click();
    const looks = page.frameLocator('iframe');
    const heading = looks.getByRole('heading', { name: 'Look' });
    await heading.waitFor();
    expect(await heading.getAttribute('style')).to.include('rebeccapurple');
    await looks.getByRole('button', { name: 'Free money' }).click();
    await looks.getByRole('link', { name: 'out' }).click();
    expect(new URL(page.url()).pathname).to.equal('/console/inbox');
    expect(await page.title()).to.equal('Inbox · Mirzam');
    expect(await page.getByRole('article').getByRole('heading', { level: 2 }).innerText()).to.equal(
      '<img src=x onerror="document.title=1"> U+202Egnp.exe',
    );
    expect(stranger.got.map((got) => got.url)).to.deep.equal([]);
    const frame = page.locator('iframe');
    expect(await frame.getAttribute('sandbox')).to.equal('');
  });
});
