import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import { launcher, type Launcher } from '../../faults/stage/service-process.js';
import { startAnvil } from '../../servers/chain.js';
import { addRule, cpu, subscribe } from '../policy/actions.js';
import { apiClient } from '../api-client.js';
import { hiddenClassLog } from './hidden-class-log.js';
import { building, ENTITIES, ledgerClient, receiptIn, settingsFor } from '../ledger/scene.js';

/** Number of requests of a run, and of concurrent requests. */
const REQUESTS = 400;
const AT_ONCE = 20;
const NEVER = {
  name: 'never',
  condition: { cpu: { value: 100, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

const PENDING = {
  ...NEVER,
  name: 'pending',
  condition: { any: [{ cpu: { value: 50, operand: 'less', clear: 60 } }] },
  for: 604_800,
  resolve: true,
  noData: 604_800,
};

/** Returns the hidden classes that half of the requests or more make for a single object. A first run warms up. */
async function madeByEach(
  services: Launcher,
  settings: Readonly<Record<string, string>>,
  begin: (url: string) => Promise<() => Promise<unknown>>,
): Promise<[name: string, count: number][]> {
  const log = hiddenClassLog(services.folder);
  const { url } = await services.start(settings, log.nodeArgs);
  const ask = await begin(url);
  const run = async (): Promise<void> => {
    for (let asked = 0; asked < REQUESTS; asked += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, ask));
    }
  };
  await run();
  await log.since();
  await run();
  return [...(await log.since())].filter(([, count]) => count >= REQUESTS / 2);
}

describe('no request makes its own hidden classes', () => {
  let services: Launcher;
  beforeEach(async () => {
    services = await launcher();
  });
  afterEach(() => services.close());

  it('with a measurement', async () => {
    const made = await madeByEach(services, {}, async (url) => {
      const api = await apiClient(url);
      await addRule(api, 'web-1', NEVER);
      return () => cpu(api, 'web-1', 7);
    });
    expect(made).to.deep.equal([]);
  });

  it('with a measurement for a rule with groups that is pending', async () => {
    const made = await madeByEach(services, {}, async (url) => {
      const api = await apiClient(url);
      await subscribe(api, 'web-1', await addRule(api, 'web-1', PENDING), 'http://127.0.0.1:9/unused');
      return () => cpu(api, 'web-1', 7);
    });
    expect(made).to.deep.equal([]);
  });

  it('with an entity to record', async () => {
    const anvil = await startAnvil();
    try {
      const settings = {
        ...settingsFor(anvil.url, await deployTimestamper(anvil.url)),
        DEFAULT_ACCOUNT_KEY: `0x${randomBytes(32).toString('hex')}`,
      };
      const made = await madeByEach(services, settings, async (url) => {
        const ledger = ledgerClient(url);
        return async () => receiptIn(await ledger.ask(`POST ${ENTITIES}`, building()));
      });
      expect(made).to.deep.equal([]);
    } finally {
      await anvil.stop();
    }
  });
});
