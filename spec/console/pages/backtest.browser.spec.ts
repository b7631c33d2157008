import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { addRule, cpu, okBody, subscribe, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { tenantIdOf } from '../../policy/model/live-stage.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  expectTexts,
  logInAsTenant,
  NARROW,
  specBrowser,
} from '../browser.js';

const SERIES = fileURLToPath(new URL('../../../../examples/ec2-cpu-ac20cd.csv', import.meta.url));

describe('"Try it on the past" in the form of a rule', () => {
  const browser = specBrowser();
  const open = scenes();

  async function newRule(url: string, path: string): Promise<Page> {
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.goto(path);
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByText('Try it on the past').click();
    return page;
  }
  const tryIt = (page: Page): Promise<void> => page.getByRole('button', { name: 'Try the rule' }).click();
  const summary = (page: Page): Promise<string> => page.locator('.outcome [role=status]').innerText();

  it('shows what the rule would have sent for a CSV file, before it has a name, and stores nothing', async () => {
    const { url, api } = await open.service();
    const page = await newRule(url, '/console/rules');
    await page.getByLabel('Value', { exact: true }).fill('85');
    await page.getByLabel('Measurements as CSV').setInputFiles(SERIES);
    await page.getByText('4,032 lines').waitFor();
    expect(await page.getByLabel('Time', { exact: true }).inputValue()).to.equal('timestamp');
    expect(await page.getByLabel('Column of cpu').inputValue()).to.equal('value');
    await tryIt(page);
    await page.getByText('453 firings.').waitFor();
    expect(await summary(page)).to.include('of 4,032 measurements. Held for 37 h 40 min.');
    const chart = page.getByRole('img', {
      name: 'cpu from 2014-04-02 14:29:00 UTC to 2014-04-16 14:49:00 UTC',
    });
    expect(await chart.getAttribute('aria-label')).to.include('thresholds 85: 453 firings, 0 resolved');
    await chart.locator('canvas').waitFor();
    await page.getByText('and 403 more').waitFor();

    await page.getByLabel('Clears at').fill('70');
    await page.getByText('When it notifies').click();
    await page.getByLabel('Holds for').fill('600');
    await page.getByLabel('Repeats after').fill('0');
    await page.getByLabel('Notify when it is over').check();
    await tryIt(page);
    await page.getByText('1 firing.').waitFor();
    await page.getByRole('cell', { name: '2014-04-15 01:19:00 UTC' }).waitFor();
    await page.getByLabel('No data after').fill('1200');
    await tryIt(page);
    await page.getByText('1 firing, 1 no data.').waitFor();
    await page.getByLabel('No data after').fill('');
    await tryIt(page);
    await page.getByText('1 firing.', { exact: true }).waitFor();
    await page.getByRole('img', { name: 'thresholds 85, clears at 70: 1 firing, 0 resolved' }).waitFor();
    await expectTexts(page.locator('.course-figures .key'), ['firing', '85', 'clears at 70']);
    await expectNoAxeViolations(page);
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    expect((await api.call('GET', '/v1.0/demo/rules')).text).to.equal('{"rules":[]}');
  });

  it('takes a file that is dropped, and marks the firings on the plot', async () => {
    const { url } = await open.service();
    const page = await newRule(url, '/console/rules');
    await page.getByLabel('Value', { exact: true }).fill('85');
    const text = await readFile(SERIES, 'utf8');
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(text)}], 'load.csv', { type: 'text/csv' }));
      return transfer;
    })()`);
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: data });
    await page.getByText('load.csv: 4,032 lines').waitFor();
    const named = await page.evaluate<string>('document.querySelector(".drop input").files[0].name');
    expect(named).to.equal('load.csv');
    /** Waits until the plot has so many red pixels. */
    const red = (fits: (pixels: number) => boolean): Promise<number> => {
      let pixels: number | null = null;
      return eventually(
        async () => {
          // The next outcome takes the canvas of the one before away.
          pixels = await page.evaluate<number | null>(`(() => {
            const canvas = document.querySelector('.outcome canvas');
            if (canvas === null) return null;
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            let red = 0;
            for (let i = 0; i < data.length; i += 4) {
              if (data[i] > 150 && data[i + 1] < 70 && data[i + 2] < 70 && data[i + 3] > 200) red += 1;
            }
            return red;
          })()`);
          return pixels !== null && fits(pixels) ? pixels : undefined;
        },
        SOON_MS,
        () => `the red pixels are ${pixels}`,
      );
    };
    await tryIt(page);
    await page.getByText('453 firings.').waitFor();
    const many = await red((pixels) => pixels > 100);
    await page.getByLabel('Value', { exact: true }).fill('99.9');
    await tryIt(page);
    await page.getByText('It would have sent nothing.').waitFor();
    await red((pixels) => pixels < many - 100);
  });

  it('says what is wrong with the file, the columns and the rule', async () => {
    const { url } = await open.service();
    browser.expectError(/400/);
    const page = await newRule(url, '/console/rules');
    const choose = (name: string, csv: string): Promise<void> =>
      page
        .getByLabel('Measurements as CSV')
        .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(csv) });
    /** Chooses a file, and waits until it is read. */
    const take = async (name: string, csv: string): Promise<void> => {
      await choose(name, csv);
      await page.getByText(new RegExp(`^${name}: \\d lines?$`)).waitFor();
    };
    const problem = (text: string): Promise<void> =>
      page.locator('.try-out [role=alert]', { hasText: text }).waitFor();
    await tryIt(page);
    await problem('Choose a CSV file first.');
    await choose('a.csv', 'nothing');
    await problem('a.csv: the file needs a header');
    await choose('b.csv', 'x'.repeat(16 * 1024 ** 2 + 1));
    await problem('b.csv: the file must not exceed 16 MiB');
    await take('c.csv', 'when,load\nnoon,1\n');
    await tryIt(page);
    await problem('line 2: when must be a time');
    await take('d.csv', 'when,load\n2026-02-30 10:00,1\n');
    await tryIt(page);
    await problem('not "2026-02-30 10:00"');
    await take('e.csv', 'at,load\n2026-11-21 10:00,90\n2026-11-21 09:00,90\n');
    await tryIt(page);
    await problem('condition.cpu.value: must be a JSON number from 0 to 100');
    await problem('line 3: at: must not be earlier');
    await page.getByLabel('Column of cpu').selectOption('not measured');
    await tryIt(page);
    await problem('No line has a value');
    await expectNoAxeViolations(page);

    // A wrong file takes the place of the one before.
    await choose('f.csv', 'nothing');
    await problem('f.csv: the file needs a header');
    expect(await page.getByLabel('Column of cpu').count()).to.equal(0);
    await tryIt(page);
    await problem('Choose a CSV file first.');
  });

  it('comes before the buttons that save, by keyboard too, and Enter in it saves nothing', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 3);
    await subscribe(api, 'web-1', await addRule(api, 'web-1'), 'http://127.0.0.1:1/');
    for (const value of [90, 95, 99]) await cpu(api, 'web-1', value);
    const path = `/console/servers/${await tenantIdOf(api)}/web-1`;
    const page = await newRule(url, path);
    const saved = async (): Promise<string> =>
      JSON.stringify(okBody(await api.call('GET', '/v1.0/demo/servers/web-1')));
    const before = await saved();
    await page.getByLabel('Name', { exact: true }).fill('tried first');
    await page.getByLabel('Value', { exact: true }).fill('85');
    const focused = (): Promise<string> =>
      page.evaluate(
        '(({ labels, textContent }) => labels?.[0]?.textContent ?? textContent)(document.activeElement)',
      );
    const tabs = async (key: string, times: number): Promise<readonly string[]> => {
      const seen: string[] = [];
      for (let n = 0; n < times; n += 1) {
        await page.keyboard.press(key);
        seen.push(await focused());
      }
      return seen;
    };
    // The past of the server is a reading of its own.
    await page.getByRole('combobox', { name: 'Measurements' }).waitFor();
    await page.getByText('Try it on the past').focus();
    const order = ['Measurements', 'Try the rule', 'Cancel', 'Create rule'];
    expect(await tabs('Tab', 4)).to.deep.equal(order);
    await tabs('Shift+Tab', 2);
    expect(await focused()).to.equal(order[1]);
    await page.keyboard.press('Enter');
    await page.getByText('1 firing.').waitFor();
    expect(await saved()).to.equal(before);
    const above = await page.locator('.outcome').boundingBox();
    const below = await page.getByRole('button', { name: 'Create rule' }).boundingBox();
    expect(above!.y + above!.height).to.be.at.most(below!.y);
    await expectNoAxeViolations(page);

    await page.getByLabel('Value', { exact: true }).press('Enter');
    await page.getByText('The rule is created.').waitFor();
    expect(await saved()).to.include('"tried first"');
  });

  it('takes the last hour or day of the server whose page it is on, and says how much it knows', async () => {
    const clock = { now: Date.now() - 3 * 3_600_000 };
    const { url, api } = await open.service({ WINDOW_GAP_S: '0' }, () => clock.now);
    await windowSize(api, 3);
    await subscribe(api, 'web-1', await addRule(api, 'web-1'), 'http://127.0.0.1:1/');
    for (const value of [90, 95, 99, 10]) {
      await cpu(api, 'web-1', value);
      clock.now += 20 * 60_000;
    }
    clock.now = Date.now() - 5 * 60_000;
    for (const value of [60, 60, 60, 60, 60]) {
      clock.now += 60_000;
      await cpu(api, 'web-1', value);
    }
    const page = await newRule(url, `/console/servers/${await tenantIdOf(api)}/web-1`);
    const measurements = page.getByRole('combobox', { name: 'Measurements' });
    await measurements.waitFor();
    await page.getByText('One mean for each minute: 5 means. A window is 3 means here.').waitFor();
    await page.getByLabel('Value', { exact: true }).fill('50');
    await tryIt(page);
    await page.getByText('3 firings.').waitFor();
    expect(await summary(page)).to.include('3 evaluations of 5 measurements');
    await measurements.selectOption('the last day of this server, by ten minutes');
    await page.getByText('The measurements have changed since').waitFor();
    await page.getByText(/^One mean for each ten minutes: [56] means\./).waitFor();
    await page.getByLabel('Value', { exact: true }).fill('85');
    await tryIt(page);
    await page.getByText('1 firing.').waitFor();
    await expectNoAxeViolations(page);
    await page.getByLabel('Metric').first().selectOption('mem');
    await tryIt(page);
    await page.getByText('There is no value of mem in the last day').waitFor();
  });
});
