import { randomBytes } from 'node:crypto';
import { createActivity } from '../operator/activity.js';
import { createEventStream } from '../operator/event-stream.js';
import { type Probe, watchDependencies } from '../operator/health/dependency-watch.js';
import { chainProbe, connectionProbe, httpProbe, mailProbe } from '../operator/health/probes.js';
import { ledgerMetrics } from '../operator/metrics/ledger.js';
import { dependencyMetrics, diskMetrics, refusalMetrics } from '../operator/metrics/metrics.js';
import { readOnScrape } from '../operator/metrics/read.js';
import { storeMetrics } from '../operator/metrics/store.js';
import type { OpenedParts, ServiceContext } from './context.js';
import type { ConfiguredMqtt } from './mqtt.js';

/** Maximum wait for each step of a mail server, ms. */
const MAIL_STEP_MS = 5_000;

/** Returns an id that tells this process from all others. */
export function newNodeId(now: () => number): string {
  return now().toString(36) + randomBytes(3).toString('hex');
}

/** Creates the observer of this node and its stream of events, whose ids begin with that of the node. */
export function nodeActivity(node: string, now: () => number): Pick<ServiceContext, 'activity' | 'events'> {
  const events = createEventStream({ node, now });
  return { events, activity: createActivity({ stream: events, now }) };
}

/** Starts to check the configured dependencies. Returns the reader of their states. */
export function openDependencies(
  parts: OpenedParts,
  mqtt: ConfiguredMqtt | undefined,
): ServiceContext['dependencies'] {
  const { config, log, now, closeOnStop, inbox, ledger, metrics } = parts;
  const { identity, broker, mail } = config;
  const smtpUrl = mail.smtpUrl ?? inbox?.url;
  const chainUrl = config.ledger?.chain?.url;
  const probes: Probe[] = [];
  if (ledger !== undefined) {
    probes.push(chainProbe(ledger.chain, chainUrl === undefined ? undefined : new URL(chainUrl).host));
  }
  if (broker !== undefined) probes.push(connectionProbe('broker', broker.url));
  if (mqtt !== undefined) probes.push({ name: 'mqtt', check: () => mqtt.check() });
  if (smtpUrl !== undefined) probes.push(mailProbe(smtpUrl, MAIL_STEP_MS));
  if (identity.kind !== 'embedded') probes.push(httpProbe('identity', identity.url));
  const watch = closeOnStop(
    watchDependencies({
      probes,
      now,
      onChange({ name, status, detail, warning }) {
        if (status === 'down') log.warn({ part: name, detail }, 'a dependency is down');
        else if (warning !== undefined)
          log.warn({ part: name, warning }, 'a dependency is up, with a warning');
        else log.info({ part: name }, 'a dependency is up again');
      },
    }),
  );
  ledger?.chain.onContract(() => watch.checkNow('chain'));
  mqtt?.onChange(() => watch.checkNow('mqtt'));
  metrics.add((registry) => dependencyMetrics(registry, watch.states));
  return watch.states;
}

/** Adds the metrics that are read from the parts of the service on each scrape. */
export function addMetrics(parts: OpenedParts & Pick<ServiceContext, 'readable' | 'policy'>): void {
  const { config, now, readable: store, ledger, metrics, activity, events, refusals, policy } = parts;
  const serversByState = async () => {
    const { states } = await policy.fleet.counts(undefined);
    return Object.entries(states).map(([state, { servers }]) => [state, servers] as const);
  };
  metrics.rules.observe(activity.totals);
  metrics.add((registry) => {
    storeMetrics(registry, {
      store,
      // A shared store counts them with more effort than it counts documents.
      serversByState: store.shared ? undefined : serversByState,
      hasLedger: ledger !== undefined,
      now,
    });
    diskMetrics(registry, config.store.dataDir);
    const { gauge } = readOnScrape(registry);
    gauge('mirzam_event_readers', 'Readers of the stream of live events', () => events.readers);
    refusalMetrics(registry, () => refusals.totals());
    if (ledger === undefined) return;
    const { pendingNonces, chain } = ledger;
    ledgerMetrics(registry, {
      pendingNonces,
      chainProgress: () => chain.progress(),
      receipts: () => activity.totals().receipts,
      now,
    });
  });
}
