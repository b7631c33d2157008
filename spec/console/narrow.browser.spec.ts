import { addGeneric, ALWAYS, cpu, okBody, subscribe, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { tenantIdOf } from '../policy/model/live-stage.js';
import { expectNoAxeViolations, expectNoSidewaysScroll, NARROW, specBrowser } from './browser.js';

/** Pages for an operator, with a text that is there once they have their data. Specs of the other pages try their width. */
const PAGES: readonly (readonly [path: string, text: string])[] = [
  ['', 'web-1'],
  ['?wall=on', 'web-1'],
  ['/servers/TENANT/web-1', 'Window size'],
  ['/quiet', 'nights'],
  ['/refusals', 'Refusals'],
  ['/rules?tenant=demo', 'busy'],
  ['/nodes', '1 live'],
  ['/inbox', 'busy on web-1'],
];

describe('the pages of the console on a phone', () => {
  const browser = specBrowser();
  const open = scenes();

  it('fit its width and are accessible, in light and dark', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const action = { actionName: 'notify-email', email: 'ops@example.org', body: 'Add a machine.' };
    const busy = await addGeneric(api, { ...ALWAYS, name: 'busy', labels: { severity: 'critical' }, action });
    await subscribe(api, 'web-1', busy, 'http://127.0.0.1:9/hook');
    await cpu(api, 'web-1', 95);
    okBody(await api.call('PUT', '/v1.0/demo/quiet/nights', { servers: ['web-*'], duration: 3600 }));
    const tenant = await tenantIdOf(api);
    const page = await browser.open({ url, size: NARROW });
    for (const [path, text] of PAGES) {
      await page.goto(`/console${path.replace('TENANT', tenant)}`);
      await page.getByRole('main').getByText(text).first().waitFor();
      await expectNoSidewaysScroll(page);
      await expectNoAxeViolations(page);
    }
  });
});
