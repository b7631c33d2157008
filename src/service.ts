import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { ActorKind } from './actors/kind.js';
import { readableKinds, readableOnly } from './actors/readable.js';
import { type Actors, startActors } from './actors/runtime.js';
import type { Config } from './config/config.js';
import { createDeliveries, type Deliveries, deliveryDispatcher } from './delivery/deliveries.js';
import type { Dispatcher } from './delivery/queue/dispatcher.js';
import { targetRules } from './delivery/senders/targets.js';
import type { WebhookOptions } from './delivery/senders/webhook.js';
import { type Inbox, startInbox } from './embedded/inbox.js';
import type { Route } from './http/router.js';
import { listen } from './http/server.js';
import { operatorAccess } from './operator/guard.js';
import { createMetrics } from './operator/metrics/metrics.js';
import { refusalLog } from './operator/refusals/refusal-log.js';
import { createRefusals } from './operator/refusals/refusals.js';
import type { BrokerUse } from './policy/subscriptions/broker-use.js';
import { createMuteLinks, type MuteLinks, muteUrls } from './policy/mute/mute-links.js';
import { createPolicy, policyKinds } from './policy/policy.js';
import type { ServerSettings } from './policy/server/take-facts.js';
import { appOf } from './service/app.js';
import { brokerOf, identityOf, webhookMaster } from './service/configured-parts.js';
import { openConsole } from './service/console.js';
import { watchConfigured } from './service/dependencies.js';
import { deliveryKinds } from './service/delivery.js';
import { type LedgerHalf, openLedgerHalf } from './service/ledger.js';
import { addMetrics, runtimeHooks } from './service/metrics.js';
import { nodeActivity } from './service/node-activity.js';
import type { SharedParts } from './service/shared-parts.js';
import { durableSecret } from './store/durable-secret.js';
import { openStore, startErrorOf } from './store/select.js';
import type { Store } from './store/port.js';

/** The running service. */
export interface Service {
  /** Its address, without a trailing slash. */
  readonly url: string;
  /** The routes, which the OpenAPI document describes. */
  readonly routes: readonly Route[];
  /** Finishes the requests in progress, then stops all parts. */
  close(): Promise<void>;
}

/** Maximum number of mails in the development inbox. */
const INBOX_SIZE = 1_000;
/** Maximum number of messages in the outbox of a server: a webhook and a mail for each firing of one request. */
const SERVER_OUTBOX = 2_000;
/** Maximum time without data on a connection, ms. */
const IDLE_MS = 60_000;
/** Maximum time that a stop waits for requests in progress, ms. */
const GRACE_MS = 10_000;

/** Opens the configured parts, wires them and starts to listen. `now`: the clock of the actors, ms since the epoch. */
export async function startService(
  config: Config,
  log: Logger,
  version: string,
  now: () => number = Date.now,
): Promise<Service> {
  const parts: { close(): Promise<unknown> }[] = [];
  let listening = '';
  let ready = false;
  const shared: SharedParts = {
    config,
    log,
    version,
    metrics: createMetrics(),
    ...nodeActivity(now),
    refusals: createRefusals(now, refusalLog(log, now)),
    targets: targetRules({ production: config.production, allowed: config.webhook.targets }),
    operators: operatorAccess(config.operator.token, now),
    now,
    random: Math.random,
    publicUrl: () => config.http.publicUrl ?? listening,
    localUrl: () => listening,
    closeOnStop(part) {
      parts.unshift(part);
      return part;
    },
  };
  const close = async (): Promise<void> => {
    for (const part of parts.splice(0)) {
      await part.close().catch((error: unknown) => log.error({ err: error }, 'a part did not stop'));
    }
  };

  try {
    const { dataDir, mongodbUrl } = config.store;
    const store = shared.closeOnStop(await openStore({ folder: dataDir, mongodbUrl }));
    const identity = shared.closeOnStop(await identityOf(config, store));
    const mailToSelf = config.mail.smtpUrl === undefined && !config.production;
    const inbox = mailToSelf ? shared.closeOnStop(await startInbox({ max: INBOX_SIZE })) : undefined;
    const broker = brokerOf(shared);
    const onScanError = (error: unknown): void =>
      log.error({ err: error }, 'waiting deliveries were not found');
    const dispatcher = deliveryDispatcher(() => actors, store, shared, onScanError);
    const deliveries = createDeliveries({ actors: () => actors, store, dispatcher, clock: shared });
    const ledger = await openLedgerHalf({ ...shared, store, deliveries });
    const webhookSecrets = (tenant: string) => policy.webhookSecrets.signing(tenant);
    const webhookSecret = await webhookMaster(config.webhook.secret, store);
    const muteLinks = createMuteLinks(await durableSecret(store, 'mute'));
    const settings = serverSettings(shared, muteLinks);
    const needed = { settings, store, broker, inbox, ledger, webhookSecrets, dispatcher, deliveries };
    const { actors, kinds } = actorsOf(shared, needed);
    const newId = (): string => randomBytes(12).toString('hex');
    const policy = createPolicy({
      actors,
      store,
      broker,
      webhookMaster: webhookSecret,
      now,
      newId,
    });
    const dependencies = watchConfigured(shared, { inbox, ledger });
    const isReadable = readableKinds(kinds);
    const readable = readableOnly(store, isReadable);
    const seen = { store, readable, isReadable, actors, kinds };
    const looked = { ...seen, identity, inbox, ledger, dependencies, ready: () => ready };
    const webConsole = await openConsole(shared, { ...looked, policy });
    const { app, routes } = appOf(shared, { ...looked, policy, muteLinks, webConsole });
    const { host, port } = config.http;
    // A caller that waits for a receipt gets no data meanwhile.
    const idleTimeoutMs = Math.max(IDLE_MS, (config.ledger?.waitS ?? 0) * 1000 + IDLE_MS / 2);
    const quiet = config.admission;
    const server = await listen(app, { host, port, idleTimeoutMs, quiet });
    shared.closeOnStop({ close: () => Promise.all([shared.events.close(), server.close(GRACE_MS)]) });
    listening = server.url;
    shared.closeOnStop(dispatcher).start();
    ledger?.start(actors, shared.publicUrl());
    ready = true;
    return { url: server.url, routes, close };
  } catch (error) {
    await close();
    throw startErrorOf(error, config.store.mongodbUrl !== undefined);
  }
}

function serverSettings({ config, publicUrl }: SharedParts, muteLinks: MuteLinks): ServerSettings {
  return {
    gapMs: config.window.gapS * 1000,
    skewMs: config.facts.clockSkewS === 0 ? Infinity : config.facts.clockSkewS * 1000,
    mailIntervalMs: config.mail.intervalS * 1000,
    outboxLimit: SERVER_OUTBOX,
    publicUrl,
    muteUrl: muteUrls(publicUrl, muteLinks),
  };
}

function actorsOf(
  shared: SharedParts,
  parts: {
    readonly settings: ServerSettings;
    readonly store: Store;
    readonly broker: BrokerUse | undefined;
    readonly inbox: Inbox | undefined;
    readonly ledger: LedgerHalf | undefined;
    readonly webhookSecrets: WebhookOptions['secrets'];
    readonly dispatcher: Dispatcher;
    readonly deliveries: Deliveries;
  },
): { readonly actors: Actors; readonly kinds: readonly ActorKind[] } {
  const { settings, store, broker, inbox, ledger, webhookSecrets, dispatcher, deliveries } = parts;
  const { config, now, closeOnStop } = shared;
  const smtpUrl = config.mail.smtpUrl ?? inbox?.url;
  const kinds: readonly ActorKind[] = [
    ...policyKinds({ store, deliveries, settings, broker, now }),
    ...deliveryKinds(shared, { store, smtpUrl, webhookSecrets, dispatcher }),
    ...(ledger?.kinds ?? []),
  ];
  const actors: Actors = closeOnStop(startActors({ store, kinds, now, ...runtimeHooks(shared) }));
  const readable = readableOnly(store, readableKinds(kinds));
  addMetrics(shared, { actors, store: readable, ledger });
  shared.activity.observe(actors);
  return { actors, kinds };
}
