import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { ActorKind } from './actors/kind.js';
import { startActors } from './actors/runtime.js';
import type { ActorFault, Actors } from './actors/runtime.js';
import type { Config } from './config/config.js';
import { createDeliveries, deliveryDispatcher } from './delivery/deliveries.js';
import type { Deliveries } from './delivery/deliveries.js';
import type { Dispatcher } from './delivery/queue/dispatcher.js';
import { targetRules } from './delivery/senders/targets.js';
import type { TargetRules } from './delivery/senders/targets.js';
import type { WebhookOptions } from './delivery/senders/webhook.js';
import { startInbox } from './embedded/inbox.js';
import type { Inbox } from './embedded/inbox.js';
import { createApp } from './http/app.js';
import type { App } from './http/app.js';
import { jsonBody, jsonBytes } from './http/body/body.js';
import { identityRoutes } from './embedded/identity/routes.js';
import { listen } from './http/server.js';
import { authenticate } from './http/authentication.js';
import { vaultArea } from './embedded/wallet/routes.js';
import type { OpenIdentity } from './identity/select.js';
import { ledgerAreas, withoutLedger } from './ledger/http/routes.js';
import { deadLetterRoutes } from './operator/dead-letter-routes.js';
import { createDeadLetters } from './operator/dead-letters.js';
import { documentRoutes } from './operator/documents.js';
import { operatorArea } from './operator/guard.js';
import { createMetrics } from './operator/metrics.js';
import type { Metrics } from './operator/metrics.js';
import { operatorRoutes } from './operator/routes.js';
import type { BrokerUse } from './policy/subscriptions/broker-use.js';
import { openPolicyBodies } from './policy/http/bodies.js';
import { factsRoutes } from './policy/http/facts-routes.js';
import { createPolicy, policyKinds } from './policy/policy.js';
import type { Policy } from './policy/policy.js';
import { policyRoutes } from './policy/http/routes.js';
import { admissionOf } from './service/admission.js';
import { brokerOf } from './service/broker.js';
import { deliveryKinds } from './service/delivery.js';
import { challengeOf, identityOf } from './service/identity.js';
import { openLedgerHalf } from './service/ledger.js';
import type { LedgerHalf } from './service/ledger.js';
import { webhookMaster } from './service/webhook-master.js';
import { openStore } from './store/select.js';
import type { Store } from './store/port.js';

/** The service, running. */
export interface Service {
  /** Where it listens, without a slash at its end. */
  readonly url: string;
  /** Finishes the requests under way, then stops everything. */
  close(): Promise<void>;
}

/** Mails that the development inbox keeps. */
const INBOX_SIZE = 1_000;
/** Messages that a server may have waiting to be handed over: a webhook and a mail for each firing of one request. */
const SERVER_OUTBOX = 2_000;
/** Bytes of bodies with a few members, which are read at once: larger ones would hold the event loop. */
const SMALL_BODY = 64 * 1024;
/** How long a connection may be without movement, ms. */
const IDLE_MS = 60_000;
/** How long a stop waits for requests under way, ms. */
const GRACE_MS = 10_000;

/** What the parts of the service are given in common. */
interface Setting {
  readonly config: Config;
  readonly log: Logger;
  readonly version: string;
  readonly metrics: Metrics;
  readonly targets: TargetRules;
  readonly now: () => number;
  readonly random: () => number;
  /** Where the service is reached; known once it listens. */
  readonly publicUrl: () => string;
  /** Has a part closed with the service, before those opened earlier. */
  readonly opened: <T extends { close(): Promise<unknown> }>(part: T) => T;
}

/** Opens what the configuration names, wires it, and serves it. */
export async function startService(config: Config, log: Logger, version: string): Promise<Service> {
  const parts: { close(): Promise<unknown> }[] = [];
  let listening = '';
  let ready = false;
  const setting: Setting = {
    config,
    log,
    version,
    metrics: createMetrics(),
    targets: targetRules({ production: config.production, allowed: config.webhook.targets }),
    now: Date.now,
    random: Math.random,
    publicUrl: () => config.http.publicUrl ?? listening,
    opened(part) {
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
    const store = setting.opened(await openStore({ folder: dataDir, mongodbUrl }));
    const identity = setting.opened(await identityOf(config, store));
    const mailToSelf = config.mail.smtpUrl === undefined && !config.production;
    const inbox = mailToSelf ? setting.opened(await startInbox({ max: INBOX_SIZE })) : undefined;
    const broker = brokerOf(setting);
    const unlooked = (error: unknown): void => log.error({ err: error }, 'waiting deliveries were not found');
    const dispatcher = deliveryDispatcher(() => actors, store, setting, unlooked);
    const deliveries = createDeliveries(() => actors, dispatcher, setting);
    const ledger = await ledgerOf(setting, store, deliveries, () => actors);
    const webhookSecrets = (tenant: string) => policy.webhookSecrets.signing(tenant);
    const webhookSecret = await webhookMaster(config.webhook.secret, store);
    const needed = { store, broker, inbox, ledger, webhookSecrets, dispatcher, deliveries };
    const { actors, kinds } = actorsOf(setting, needed);
    const newId = (): string => randomBytes(12).toString('hex');
    const policy = createPolicy({
      actors,
      store,
      broker,
      webhookMaster: webhookSecret,
      now: Date.now,
      newId,
    });
    const app = appOf(setting, { store, identity, inbox, policy, actors, kinds, ledger, ready: () => ready });
    const { host, port } = config.http;
    // Who waits for a receipt hears nothing meanwhile.
    const idleTimeoutMs = Math.max(IDLE_MS, (config.ledger?.waitS ?? 0) * 1000 + IDLE_MS / 2);
    const quiet = config.admission;
    const server = await listen(app, { host, port, idleTimeoutMs, quiet });
    setting.opened({ close: () => server.close(GRACE_MS) });
    listening = server.url;
    setting.opened(dispatcher).start();
    ledger?.start(setting.publicUrl());
    ready = true;
    return { url: server.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function ledgerOf(
  { config, log, now, opened }: Setting,
  store: Store,
  deliveries: Deliveries,
  actors: () => Actors,
): Promise<LedgerHalf | undefined> {
  if (config.ledger === undefined) return undefined;
  return openLedgerHalf({ config, log, store, deliveries, actors, now, opened }, config.ledger);
}

function actorsOf(
  setting: Setting,
  parts: {
    readonly store: Store;
    readonly broker: BrokerUse | undefined;
    readonly inbox: Inbox | undefined;
    readonly ledger: LedgerHalf | undefined;
    readonly webhookSecrets: WebhookOptions['secrets'];
    readonly dispatcher: Dispatcher;
    readonly deliveries: Deliveries;
  },
): { readonly actors: Actors; readonly kinds: readonly ActorKind[] } {
  const { store, broker, inbox, ledger, webhookSecrets, dispatcher, deliveries } = parts;
  const { config, log, metrics, now, publicUrl, opened } = setting;
  const settings = {
    gapMs: config.window.gapS * 1000,
    mailIntervalMs: config.mail.intervalS * 1000,
    outboxLimit: SERVER_OUTBOX,
    publicUrl,
  };
  const smtpUrl = config.mail.smtpUrl ?? inbox?.url;
  const kinds: readonly ActorKind[] = [
    ...policyKinds({ store, deliveries, settings, broker, now }),
    ...deliveryKinds(setting, { store, smtpUrl, webhookSecrets, dispatcher }),
    ...(ledger?.kinds ?? []),
  ];
  const onFault = (fault: ActorFault): void => {
    metrics.fault(fault);
    const { error, ...where } = fault;
    log.error({ ...where, err: error }, 'a fault that no caller sees');
  };
  const actors: Actors = opened(startActors({ store, kinds, now, onFault }));
  metrics.observe(actors);
  return { actors, kinds };
}

function appOf(
  setting: Setting,
  parts: {
    readonly store: Store;
    readonly identity: OpenIdentity;
    readonly inbox: Inbox | undefined;
    readonly policy: Policy;
    readonly actors: Actors;
    readonly kinds: readonly ActorKind[];
    readonly ledger: LedgerHalf | undefined;
    readonly ready: () => boolean;
  },
): App {
  const { config, log, version, metrics, now, publicUrl } = setting;
  const { store, identity, inbox, policy, actors, kinds, ledger, ready } = parts;
  const { bodyLimit } = config.http;
  const body = jsonBytes({ limit: bodyLimit });
  const smallBody = jsonBody({ limit: Math.min(bodyLimit, SMALL_BODY) });
  const shapes = { hdd: config.facts.hddReading, windowMax: config.window.max };
  const bodies = setting.opened(openPolicyBodies(shapes));
  const authenticated = authenticate(identity);
  return createApp({
    log,
    challenge: () => challengeOf(config, publicUrl()),
    observe: (method, status, seconds) => metrics.request(method, status, seconds),
    admission: admissionOf(config),
    browsers: { hosts: config.http.hosts, anyHost: ['/health', '/metrics'] },
    areas: [...ledgerAreas, vaultArea, operatorArea(config.operator.token)],
    routes: [
      ...factsRoutes(policy, { auth: config.facts, authenticated, body, bodies }),
      ...policyRoutes({
        policy,
        authenticated,
        body,
        bodies,
        startedAt: now(),
        doc: () => `${publicUrl()}/docs/policy-api`,
        refuseTarget: (url) => setting.targets.refuse(url),
      }),
      ...(ledger?.routes(authenticated) ?? withoutLedger()),
      ...(identity.issue === undefined ? [] : identityRoutes(identity.issue, smallBody)),
      ...documentRoutes(version),
      ...operatorRoutes({
        actors,
        store,
        states: new Map(kinds.map(({ name, machine }) => [name, Object.keys(machine.states)])),
        metrics,
        token: config.operator.token,
        version,
        inbox: inbox === undefined ? undefined : () => inbox.messages(),
        ready,
      }),
      ...deadLetterRoutes(createDeadLetters({ actors, store, now }), smallBody),
    ],
  });
}
