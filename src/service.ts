import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { readableKinds, readableOnly } from './actors/reading.js';
import type { Actors } from './actors/kind.js';
import type { Config } from './config/config.js';
import { createDeliveries, deliveryDispatcher } from './delivery/deliveries.js';
import { createHeaderSeal } from './delivery/form/header-seal.js';
import { createReceiverWatch } from './delivery/receiver/receiver-watch.js';
import { targetRules } from './delivery/senders/targets.js';
import { startInbox } from './embedded/inbox.js';
import type { Route } from './http/router.js';
import { listen } from './http/server.js';
import { operatorAccess } from './operator/guard.js';
import { createReadiness } from './operator/health/readiness.js';
import { createMetrics } from './operator/metrics/metrics.js';
import { createNodeList } from './operator/nodes/node-list.js';
import { createReceiverCounts } from './operator/receivers/receiver-counts.js';
import { createReceivers } from './operator/receivers/receivers-view.js';
import { refusalLog } from './operator/refusals/refusal-log.js';
import { createRefusals } from './operator/refusals/refusals.js';
import { createServerRemains } from './policy/deletion/server-remains.js';
import { createMuteLinks } from './policy/mute/mute-links.js';
import { createPolicy, type Policy } from './policy/policy.js';
import { openQuietPlans } from './policy/quiet/plans.js';
import { isKnownTenant } from './policy/tenant/tenants.js';
import { actorKinds, forgetIdleServers, openActors, sendersOf } from './service/actors.js';
import { appOf } from './service/app.js';
import { auditOf, brokerOf, identityOf, webhookMaster } from './service/configured-parts.js';
import { openConsole } from './service/console.js';
import type { ServiceContext } from './service/context.js';
import { openConfiguredLedger } from './service/ledger.js';
import { addMetrics, newNodeId, nodeActivity, openDependencies } from './service/monitoring.js';
import { durableSecret } from './store/durable-texts.js';
import { openConfiguredMqtt } from './service/mqtt.js';
import { openSources } from './service/sources.js';
import { openConfiguredTracing } from './service/tracing.js';
import { openStore, startErrorOf } from './store/select.js';

/** The running service. */
export interface Service {
  /** Its address, without a trailing slash. */
  readonly url: string;
  /** The routes, which the OpenAPI document describes. */
  readonly routes: readonly Route[];
  /**
   * Has load balancers send no more requests, while all that come are answered. Resolves when it is time to close. Answers end
   * their connections from then on.
   */
  drain(): Promise<void>;
  /** Finishes the requests in progress, then stops all parts. */
  close(): Promise<void>;
}

/** Maximum number of mails in the development inbox. */
const INBOX_SIZE = 1_000;
/** Maximum time without data on a connection, ms. */
const IDLE_MS = 60_000;
/** Maximum time that a stop waits for requests in progress, ms. */
const GRACE_MS = 10_000;

/**
 * Opens the configured parts, wires them and starts to listen. `config` comes from `loadConfig`, which checks it. `now`: the
 * clock of the actors, ms since the epoch.
 */
export async function startService(
  config: Config,
  log: Logger,
  version: string,
  now: () => number = Date.now,
): Promise<Service> {
  const opened: { close(): Promise<unknown> }[] = [];
  const closeOnStop: ServiceContext['closeOnStop'] = (part) => {
    opened.unshift(part);
    return part;
  };
  const close = async (): Promise<void> => {
    for (const part of opened.splice(0)) {
      await part.close().catch((error: unknown) => log.error({ err: error }, 'a part did not stop'));
    }
  };
  let listening = '';
  const localUrl = (): string => listening;
  const publicUrl = (): string => config.http.publicUrl ?? listening;
  const readiness = createReadiness();
  const clock = { now, random: Math.random };

  try {
    const metrics = createMetrics();
    const node = newNodeId(now);
    // Closed last: the other parts end spans until they are closed.
    const tracing = closeOnStop(await openConfiguredTracing({ config, log, version, node }));
    const { dataDir, mongodbUrl } = config.store;
    const store = closeOnStop(await openStore({ folder: dataDir, mongodbUrl }));
    const onBeatError = (error: unknown): void =>
      log.warn({ err: error }, 'this node could not write that it lives');
    const nodes = closeOnStop(createNodeList({ store, id: node, version, now, onError: onBeatError }));
    const mailToSelf = config.mail.smtpUrl === undefined && !config.production;
    const base = {
      config,
      log,
      version,
      now,
      publicUrl,
      localUrl,
      readiness,
      closeOnStop,
      store,
      identity: closeOnStop(await identityOf(config, store)),
      inbox: mailToSelf ? closeOnStop(await startInbox({ max: INBOX_SIZE })) : undefined,
      broker: brokerOf({ config, now, publicUrl, closeOnStop }),
      targets: targetRules({ production: config.production, allowed: config.webhook.targets }),
      metrics,
      tracing,
      ...nodeActivity(node, now),
      refusals: createRefusals(now, refusalLog(log, now)),
      operators: operatorAccess(config.operator.token, now),
      nodes,
    };

    const onScanError = (error: unknown): void =>
      log.error({ err: error }, 'waiting deliveries were not found');
    const dispatcher = deliveryDispatcher(() => actors, store, clock, onScanError);
    const deliveries = createDeliveries({ actors: () => actors, store, dispatcher });
    const receiverWatch = createReceiverWatch({
      actors: () => actors,
      store,
      isKnown: (tenant) => isKnownTenant(actors, tenant),
      now,
    });
    const ledger = await openConfiguredLedger({ ...base, deliveries });
    const master = await webhookMaster(config.webhook.secret, store);
    const plans = closeOnStop(openQuietPlans(now));
    const ownSecret = await durableSecret(store, 'mute');
    const remains = createServerRemains({
      store,
      onDeadLetterEnded: (why) => metrics.deliveries.deadLetterEnded(why),
      forgetReceiver: (id) => receiverWatch.forget(id),
      now,
    });
    const parts = {
      ...base,
      ...auditOf(config, now),
      dispatcher,
      deliveries,
      receiverWatch,
      ledger,
      muteLinks: createMuteLinks(ownSecret),
      // No other secret of the store: a service that was there before has this one, and exports it.
      headerSeal: createHeaderSeal(ownSecret),
      plans,
      remains,
    };

    const senders = sendersOf(parts, (tenant) => policy.webhookSecrets.signing(tenant));
    const kinds = actorKinds({ ...parts, senders });
    const isReadable = readableKinds(kinds);
    const readable = readableOnly(store, isReadable);
    const actors: Actors = openActors({ ...parts, kinds });
    const policy: Policy = createPolicy({
      ...parts,
      actors,
      webhookMaster: master,
      newId: () => randomBytes(12).toString('hex'),
      maxima: config.tenantMaxima,
      onSubscribed: (subscription, url) => receiverWatch.subscribed(subscription, url),
    });

    const sources = openSources(parts, policy);

    const mqtt = await openConfiguredMqtt(parts, policy, sources);
    addMetrics({ ...parts, readable, policy });
    const dependencies = openDependencies(parts, mqtt);
    const counts = createReceiverCounts(readable, now);
    const receivers = createReceivers({ store: readable, watch: receiverWatch, counts, now });
    const readers = { readable, isReadable, receivers };
    const context = { ...parts, ...readers, senders, kinds, actors, policy, sources, dependencies };
    const webConsole = await openConsole(context);
    const { app, routes } = appOf({ ...context, webConsole });

    const { host, port } = config.http;
    // A caller that waits for a receipt gets no data meanwhile.
    const idleTimeoutMs = Math.max(IDLE_MS, (config.ledger?.waitS ?? 0) * 1000 + IDLE_MS / 2);
    const server = await listen(app, { host, port, idleTimeoutMs, idle: config.admission });
    closeOnStop({ close: () => Promise.all([context.events.close(), server.close(GRACE_MS)]) });
    listening = server.url;
    closeOnStop(receiverWatch);
    closeOnStop(dispatcher).start();
    ledger?.start(actors, publicUrl());
    if (mqtt !== undefined) closeOnStop(mqtt).start();
    if (config.serverForgetDays > 0) closeOnStop(forgetIdleServers({ ...parts, actors }));
    await nodes.start(`${hostOf(host)}:${server.port}`);
    readiness.started();
    const drain = async (): Promise<void> => {
      server.endConnections();
      await readiness.stopping();
    };
    return { url: server.url, routes, drain, close };
  } catch (error) {
    await close();
    throw startErrorOf(error, config.store.mongodbUrl !== undefined);
  }
}

/** Returns the host at which other machines find this one; that of HOST unless it stands for all addresses. */
function hostOf(host: string): string {
  if (['0.0.0.0', '::', ''].includes(host)) return hostname();
  return host.includes(':') ? `[${host}]` : host;
}
