import { expect } from 'chai';
import { type Receiver, startReceiver } from '../../delivery/senders/receiver.js';
import { apiClient, type ApiClient } from '../../e2e/api-client.js';
import { addGeneric, cpu, okBody, windowSize } from '../../e2e/policy/actions.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { nodesOnMongo } from '../../faults/stage/nodes-on-mongo.js';
import { launcher, type Launcher } from '../../faults/stage/service-process.js';
import { type Alertmanager, specAlertmanager } from '../../servers/alertmanager.js';

/** ALERT_RESEND_S of these services. An alert lives for four intervals: longer than a slow machine takes for a start. */
const RESEND_S = 5;
const SETTINGS = { ALERT_RESEND_S: String(RESEND_S) };
/** Longest time in which an alert may be missing, ms. */
const INTERVALS_MS = 2 * RESEND_S * 1_000;
/** Longest time between the end of an alert and its end at Alertmanager, ms: it does not wait for the next message. */
const OVER_MS = 3_000;
const SERVERS = ['web-1', 'web-2', 'web-3', 'web-4', 'web-5'];
const RULE = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

describe('Alertmanager and the service', () => {
  const start = specAlertmanager();

  /** Has a rule fire on all servers, with a subscription to each of the urls. */
  async function fire(api: ApiClient, urls: readonly string[]): Promise<void> {
    await windowSize(api, 1);
    const ruleId = await addGeneric(api, RULE);
    for (const server of SERVERS) {
      for (const url of urls) {
        const wanted = { ruleId, url, format: 'alertmanager' };
        okBody(await api.call('POST', `/v1.0/demo/servers/${server}/subscription`, wanted));
      }
      await cpu(api, server, 91);
    }
  }

  describe('of which each is killed', () => {
    let services: Launcher;
    beforeEach(async () => {
      services = await launcher(SETTINGS);
    });
    afterEach(() => services.close());

    it('agree again within two intervals, and no alert is over before its end', async () => {
      const alertmanager = await start();
      let service = await services.start();
      let api = await apiClient(service.url);
      await fire(api, [alertmanager.url]);
      await within(INTERVALS_MS, 'at first', () => has(alertmanager, SERVERS));
      const watch = watching(alertmanager);

      watch.pause();
      await alertmanager.kill();
      await alertmanager.start();
      await within(INTERVALS_MS, 'after its kill', () => has(alertmanager, SERVERS));
      watch.resume();

      await service.kill('SIGKILL');
      const known = await lastEnd(alertmanager);
      service = await services.start();
      await renewed(alertmanager, known);

      watch.pause();
      await Promise.all([alertmanager.kill(), service.kill('SIGKILL')]);
      await alertmanager.start();
      service = await services.start();
      await within(INTERVALS_MS, 'after the kill of both', () => has(alertmanager, SERVERS));
      watch.resume();
      await outlived(await lastEnd(alertmanager));
      expect(watch.stop(), 'alerts that were missing').to.deep.equal([]);

      api = await apiClient(service.url);
      const [first, ...others] = SERVERS;
      await cpu(api, first!, 20);
      await within(OVER_MS, 'after the end of one', () => has(alertmanager, others));
    });
  });

  describe('on two nodes of which one is killed', () => {
    const nodes = nodesOnMongo(SETTINGS);
    let counting: Receiver;
    beforeEach(async () => {
      counting = await startReceiver((response) => response.end());
    });
    afterEach(() => counting.stop());

    it('lack no alert for longer than two intervals, and get no more messages than before', async () => {
      const alertmanager = await start();
      const [one, other] = await Promise.all([nodes().start(), nodes().start()]);
      await fire(await apiClient(one.url), [alertmanager.url, counting.origin]);
      await within(INTERVALS_MS, 'at first', () => has(alertmanager, SERVERS));
      const watch = watching(alertmanager);
      await one.kill('SIGKILL');
      const before = counting.got.length;
      const from = performance.now();
      // What a lost node had begun is taken over after 10 s.
      await outlived(await lastEnd(alertmanager));
      const seconds = (performance.now() - from) / 1_000;
      watch.stop();
      expect(watch.longest(), 'longest time without an alert, ms').to.be.at.most(INTERVALS_MS);
      const most = (Math.ceil(seconds / RESEND_S) + 2) * SERVERS.length;
      expect(counting.got.length - before).to.be.within(SERVERS.length, most);

      const api = await apiClient(other.url);
      for (const server of SERVERS) await cpu(api, server, 20);
      await within(OVER_MS, 'after their end', () => has(alertmanager, []));
    });
  });
});

/** Returns when the last alert is over that is not sent again, ms since the epoch. */
async function lastEnd(alertmanager: Alertmanager): Promise<number> {
  const ends = (await alertmanager.alerts())!.map(({ endsAt }) => Date.parse(endsAt));
  expect(ends).to.have.length(SERVERS.length);
  return Math.max(...ends);
}

/** Waits until each alert was sent again. */
function renewed(alertmanager: Alertmanager, known: number): Promise<true> {
  return eventually(
    async () =>
      (await alertmanager.alerts())?.every(({ endsAt }) => Date.parse(endsAt) > known) ? true : undefined,
    SOON_MS,
    () => 'the alerts are not sent again',
  );
}

/** Waits until no alert fires that was not sent again. */
function outlived(end: number): Promise<true> {
  return eventually(
    () => Date.now() > end || undefined,
    SOON_MS,
    () => 'the time stands still',
  );
}

/** True if the alerts of these servers fire, and no others. */
async function has(alertmanager: Alertmanager, servers: readonly string[]): Promise<boolean> {
  const alerts = (await alertmanager.alerts())?.map(({ labels }) => labels['server']);
  return JSON.stringify(alerts?.toSorted()) === JSON.stringify(servers);
}

function within(ms: number, when: string, holds: () => Promise<boolean>): Promise<true> {
  const begun = performance.now();
  return eventually(
    async () => {
      if (!(await holds())) return undefined;
      const took = Math.round(performance.now() - begun);
      console.log(`      ${when}: ${took} ms`);
      expect(took, when).to.be.at.most(ms);
      return true as const;
    },
    SOON_MS,
    () => `${when}: not as it should be`,
  );
}

/**
 * Looks again and again whether all alerts fire. `stop` returns those that were missing, and `longest` for how long one was, ms.
 */
function watching(alertmanager: Alertmanager) {
  const missing: string[] = [];
  const missingSince = new Map<string, number>();
  let longest = 0;
  let isPaused = false;
  let pauses = 0;
  let isLooking = false;
  const look = async (): Promise<void> => {
    const before = pauses;
    const alerts = await alertmanager.alerts();
    // What was asked before or in a pause says nothing of the time after it.
    if (isPaused || pauses !== before || alerts === undefined) return;
    const found = new Set(alerts.map(({ labels }) => labels['server']));
    const now = performance.now();
    for (const server of SERVERS) {
      if (found.has(server)) {
        missingSince.delete(server);
        continue;
      }
      missing.push(server);
      missingSince.set(server, missingSince.get(server) ?? now);
      longest = Math.max(longest, now - missingSince.get(server)!);
    }
  };
  const timer = setInterval(() => {
    if (isPaused || isLooking) return;
    isLooking = true;
    void look().finally(() => (isLooking = false));
  }, 100);
  return {
    pause(): void {
      isPaused = true;
      pauses += 1;
    },
    resume: (): void => void (isPaused = false),
    longest: (): number => longest,
    stop(): readonly string[] {
      clearInterval(timer);
      return missing;
    },
  };
}
