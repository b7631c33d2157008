import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import { addSubscribedRule, cpu, windowSize } from '../../e2e/policy/actions.js';
import { startProxy } from '../../chain/proxy.js';
import { building, ENTITIES, ledgerClient, settingsFor } from '../../e2e/ledger/scene.js';
import { scenes } from '../../e2e/scene.js';
import { type Anvil, startAnvil } from '../../servers/chain.js';
import { startMongo } from '../../servers/mongodb.js';
import { specPrometheus } from '../../servers/prometheus.js';
import { scrape, type Scrape, scrapeUntil } from '../scrape.js';
import { expectAlerts } from './alert-check.js';
import type { During } from './series.js';

/** Scrapes until the metrics are as expected, then once more a second later. */
async function during(
  url: string,
  check: (found: Scrape) => void,
  meanwhile?: () => unknown,
): Promise<During> {
  const first = await scrapeUntil(url, check);
  const begun = performance.now();
  await meanwhile?.();
  await pause(1_000);
  const last = await scrape(url);
  return { first, last, seconds: (performance.now() - begun) / 1000 };
}

describe('an alert fires for its cause, and not before', () => {
  const open = scenes();
  const tools = specPrometheus();

  /** A service with a subscribed rule that fires at each fact, whose receiver answers with a status. */
  const firing = async (status: number) => {
    const { url, api } = await open.service();
    const receiver = await open.receiver((response) => response.writeHead(status).end());
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', receiver.origin);
    return { url, api, before: await scrape(url) };
  };

  it('MirzamDeliveriesOld: a receiver answers 503 for more than an hour', async () => {
    const { url, api, before } = await firing(503);
    await cpu(api, 'web-1', 1);
    const seen = await during(url, ({ sum }) => {
      expect(sum('mirzam_delivery_oldest_age_seconds')).to.be.above(0);
    });
    await expectAlerts(tools(), { before, during: seen }, []);
    await expectAlerts(tools(), { before, during: seen }, ['MirzamDeliveriesOld'], { afterS: 4_200 });
  });

  it('MirzamDeadLettersGrow: a receiver refuses eleven messages', async () => {
    const { url, api, before } = await firing(404);
    for (let n = 0; n < 11; n += 1) await cpu(api, 'web-1', n);
    const seen = await during(url, ({ sum }) => {
      expect(sum('mirzam_deliveries', { state: 'dead' })).to.equal(11);
    });
    await expectAlerts(tools(), { before, during: seen }, ['MirzamDeadLettersGrow']);
  });

  it('MirzamSubscriptionSuspended: a receiver is gone', async () => {
    const { url, api, before } = await firing(410);
    await cpu(api, 'web-1', 1);
    const seen = await during(url, ({ sum }) => {
      expect(sum('mirzam_endpoints', { state: 'suspended' })).to.equal(1);
    });
    await expectAlerts(tools(), { before, during: seen }, ['MirzamSubscriptionSuspended']);
  });

  it('MirzamMeasurementsRefused: a broker sends an entity that no server can be, a stranger what he likes', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const before = await scrape(url);
    const refused = (tenant: string) =>
      api.call('POST', `/v1.0/${tenant}/notify`, { data: [{ id: 'a b', cpuLoadPct: 1 }] });
    const strangers = await during(
      url,
      () => {},
      () => refused('stranger'),
    );
    await expectAlerts(tools(), { before, during: strangers }, [], { afterS: 1_800 });
    const quiet = await scrape(url);
    const seen = await during(
      url,
      () => {},
      () => refused('demo'),
    );
    await expectAlerts(tools(), { before: quiet, during: seen }, ['MirzamMeasurementsRefused'], {
      afterS: 1_800,
    });
  });

  it('MirzamEventLoopHeld: tasks of 0.3 s', async () => {
    const { url } = await open.service();
    const before = await scrapeUntil(url, ({ sum }) => {
      expect(sum('nodejs_eventloop_lag_p99_seconds')).to.be.below(0.1);
    });
    const hold = async (): Promise<void> => {
      for (let n = 0; n < 4; n += 1) {
        for (const until = performance.now() + 300; performance.now() < until;);
        await pause(10);
      }
    };
    await hold();
    const seen = { first: before, last: await scrape(url), seconds: 1 };
    await expectAlerts(tools(), { before, during: seen }, ['MirzamEventLoopHeld'], {
      ignored: 'MirzamMemoryHigh|MirzamStoreSlow|MirzamDiskFilling',
    });
  });

  describe('of the ledger:', () => {
    let anvil: Anvil;
    let url: string;
    let before: Scrape;

    beforeEach(async () => {
      anvil = await startAnvil();
      open.keep(anvil, () => anvil.stop());
      const settings = settingsFor(anvil.url, await deployTimestamper(anvil.url));
      ({ url } = await open.service({ ...settings, LEDGER_WAIT_S: '5', GAS_BUMP_AFTER_S: '0' }));
      before = await scrapeUntil(url, ({ sum }) => expect(sum('mirzam_chain_head_block')).to.be.above(0));
    });

    const record = async (): Promise<void> => {
      const ledger = ledgerClient(url);
      const { headers } = await ledger.account();
      await ledger.ask(`POST ${ENTITIES}`, building(), headers);
    };

    it('MirzamNonceOpenLong: the chain makes no blocks', async () => {
      await anvil.rpc('evm_setAutomine', [false]);
      await record();
      const seen = await during(url, ({ sum }) => {
        expect(sum('mirzam_open_nonce_age_seconds')).to.be.above(0);
      });
      await expectAlerts(tools(), { before, during: seen }, ['MirzamNonceOpenLong']);
    });

    it('MirzamChainReorganised: a block gives way to another one', async () => {
      await record();
      await anvil.rpc('evm_setAutomine', [false]);
      const quiet = await scrape(url);
      await anvil.rpc('anvil_reorg', [1, []]);
      await anvil.rpc('evm_setAutomine', [true]);
      await anvil.rpc('evm_mine');
      const seen = await during(url, ({ sum }) => {
        expect(sum('mirzam_chain_reorganisations_total')).to.equal(1);
        expect(sum('mirzam_open_nonces')).to.equal(0);
      });
      await expectAlerts(tools(), { before: quiet, during: seen }, ['MirzamChainReorganised']);
    });

    it('MirzamChainBehind: the node names blocks that it does not give', async () => {
      const node = await startProxy(anvil.url);
      open.keep(node, () => node.close());
      const settings = settingsFor(node.url, await deployTimestamper(anvil.url));
      const { url: at } = await open.service(settings);
      const quiet = await scrapeUntil(at, ({ sum }) => expect(sum('mirzam_chain_blocks_behind')).to.equal(0));
      node.become({ givesBelow: quiet.sum('mirzam_chain_head_block')! + 2 });
      await anvil.rpc('anvil_mine', ['0x14']);
      const last = await scrapeUntil(at, ({ sum }) =>
        expect(sum('mirzam_chain_blocks_behind')).to.be.above(10),
      );
      // The service skips such blocks after a second. A chain that is too fast for it is behind for longer.
      const seen = { first: last, last, seconds: 1 };
      await expectAlerts(tools(), { before: quiet, during: seen }, ['MirzamChainBehind']);
    });

    it('MirzamDependencyDown: the chain’s node is gone', async () => {
      await anvil.stop();
      const seen = await during(url, ({ sum }) => {
        expect(sum('mirzam_part_up', { part: 'chain' })).to.equal(0);
      });
      await expectAlerts(tools(), { before, during: seen }, ['MirzamDependencyDown']);
    });
  });

  it('MirzamStoreDown and MirzamFactsRefused: the database is gone', async function () {
    const mongo = await startMongo();
    if (mongo?.kill === undefined) return this.skip();
    open.keep(mongo, () => mongo.stop());
    const { url, api } = await open.service({ MONGODB_URL: mongo.database() });
    await windowSize(api, 1);
    await cpu(api, 'web-1', 1);
    const before = await scrape(url);
    await mongo.kill();
    const refused = async (): Promise<void> => {
      expect((await api.call('POST', '/v1.0/demo/servers/web-1', {})).status).to.be.oneOf([400, 503]);
      await cpu(api, 'web-1', 2).then(
        () => expect.fail('the fact was taken'),
        () => undefined,
      );
    };
    await refused();
    const seen = await during(
      url,
      ({ sum }) => {
        expect(sum('mirzam_store_up')).to.equal(0);
        expect(sum('mirzam_deliveries')).to.equal(undefined);
      },
      refused,
    );
    await expectAlerts(tools(), { before, during: seen }, [
      'MirzamFactsRefused',
      'MirzamFaults',
      'MirzamStoreDown',
    ]);
  });
});
