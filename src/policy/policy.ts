import type { ActorKind, Actors, Author } from '../actors/kind.js';
import type { Deliveries } from '../delivery/deliveries.js';
import type { HeaderSeal } from '../delivery/form/header-seal.js';
import type { Store } from '../store/port.js';
import { singleFlight } from '../system/ttl-cache.js';
import { alertEffect, alertKind } from './alertmanager/alert-kind.js';
import { eraseTenant } from './deletion/erase-tenant.js';
import type { ServerRemains } from './deletion/server-remains.js';
import { createExplain } from './explain/explain.js';
import { createFleet } from './fleet/fleet.js';
import { historyKind } from './explain/history-machine.js';
import { recordEffect } from './explain/record-effect.js';
import { createMutes } from './mute/mutes.js';
import type { QuietPlans } from './quiet/plans.js';
import { createQuietTimes } from './tenant/quiet-times.js';
import type { ServerSettings } from './server/take-facts.js';
import { serverKind } from './server/server-kind.js';
import { createFactsByEntity } from './server/facts-by-entity.js';
import { createServers } from './server/servers.js';
import type { TenantCopies } from './server/tenant-copy.js';
import { createListing, createNotices, createWindowCheck } from './server/tenant-servers.js';
import { brokerEffects } from './subscriptions/broker-effects.js';
import type { BrokerUse } from './subscriptions/broker-use.js';
import { createSubscriptionList } from './subscriptions/subscription-list.js';
import { createSubscriptions, type OnSubscribed } from './subscriptions/subscriptions.js';
import { createGenericRules } from './tenant/generic-rules.js';
import { tenantLimit, type TenantMaxima } from './tenant/tenant-limits.js';
import { tenantKind } from './tenant/tenant-machine.js';
import { tenantNotes } from './tenant/tenant-notes.js';
import { tenantNameKind } from './tenant/tenant-name.js';
import { createTenants, tenantChanges, tenantCopies, type Tenants } from './tenant/tenants.js';
import { createWebhookSecrets } from './tenant/webhook-secrets.js';
import { trendKind } from './trend/trend-machine.js';
import { createTrends, trendEffect } from './trend/trends.js';

/** Returns the kinds of actors behind the policy API. */
export function policyKinds(options: {
  readonly store: Store;
  readonly deliveries: Deliveries;
  readonly settings: ServerSettings;
  readonly broker: BrokerUse | undefined;
  readonly plans: QuietPlans;
  readonly remains: ServerRemains;
  readonly now: () => number;
}): readonly ActorKind[] {
  const { store, deliveries, settings, broker, plans, remains, now } = options;
  const copiesOf = (actors: Actors): TenantCopies => tenantCopies(actors, plans, now);
  return [
    serverKind({
      settings,
      deliveries,
      effects: {
        ...brokerEffects(store, broker, now),
        record: recordEffect(now),
        trend: trendEffect(now),
        alert: alertEffect(now),
        erase: remains.effect,
      },
      copiesOf,
      now,
    }),
    historyKind,
    trendKind,
    alertKind({
      deliveries,
      publicUrl: settings.publicUrl,
      resendMs: settings.alertResendMs,
      now,
    }),
    {
      ...tenantKind({
        notices: createNotices(store, copiesOf, now),
        plans,
        erase: eraseTenant({ store, now }),
        now,
      }),
      notes: tenantNotes,
    },
    tenantNameKind,
  ];
}

/** The seventeen operations of the policy API (policy §4), and what is beyond the document, without HTTP. */
export type Policy = ReturnType<typeof createPolicy>;

/** Makes the operations on a runtime. */
export function createPolicy(options: {
  readonly actors: Actors;
  readonly store: Store;
  readonly broker: BrokerUse | undefined;
  readonly plans: QuietPlans;
  readonly remains: Pick<ServerRemains, 'erase'>;
  /** Seals the headers of subscriptions. */
  readonly headerSeal: Pick<HeaderSeal, 'form'>;
  /** Returns the address of the service for people. */
  readonly publicUrl: () => string;
  /** Key from which the webhook secrets are derived. */
  readonly webhookMaster: Uint8Array;
  readonly now: () => number;
  /** Returns a new id of 24 hexadecimal digits. */
  readonly newId: () => string;
  /** Absent: any numbers. */
  readonly maxima?: TenantMaxima;
  /** Called for each request for a subscription that was carried out. */
  readonly onSubscribed?: OnSubscribed;
}) {
  const { actors, store, broker, plans, remains, now, newId, onSubscribed = () => {} } = options;
  const { maxima = { servers: 0, subscriptions: 0 } } = options;
  const tenants = createTenants(actors, plans, now);
  const fleet = createFleet({ store, tenants, now });
  const serverLimit = tenantLimit({
    most: maxima.servers,
    count: fleet.serverCount,
    what: 'servers',
    setting: 'TENANT_SERVERS',
    instead: 'delete a server that is no longer needed, or have the operator raise the limit',
  });
  const subscriptionLimit = tenantLimit({
    most: maxima.subscriptions,
    count: fleet.subscriptions,
    what: 'subscriptions',
    setting: 'TENANT_SUBSCRIPTIONS',
    instead: 'end a subscription that is no longer needed, or have the operator raise the limit',
  });
  const checkWindows = createWindowCheck(store);
  /** Makes the operations that change something. `asked` gets their events, `erasing` those that delete what a deleted server left. */
  const changesOf = (
    asked: Actors,
    erasing: Actors,
    use: Pick<Parameters<typeof createSubscriptions>[0], 'broker' | 'onSubscribed' | 'additions'>,
  ) => {
    const changed: Tenants = { ...tenants, ...tenantChanges(asked, now) };
    const servers = createServers({
      actors: asked,
      tenants: changed,
      erase: (server, entry) => remains.erase(erasing, server, entry),
      now,
      newId,
      limit: serverLimit,
    });
    return {
      tenants: changed,
      servers,
      genericRules: createGenericRules(changed, checkWindows, now, newId),
      subscriptions: createSubscriptions({
        servers,
        tenants: changed,
        now,
        newId,
        limit: subscriptionLimit,
        seal: options.headerSeal,
        publicUrl: options.publicUrl,
        ...use,
      }),
      quietTimes: createQuietTimes(changed, plans, now),
      mutes: createMutes(servers, actors, now),
      webhookSecrets: createWebhookSecrets(changed, options.webhookMaster, now),
    };
  };
  const effective = { broker, onSubscribed, additions: singleFlight<string>() };
  const withoutEffect = { broker: undefined, onSubscribed: () => {}, additions: singleFlight<string>() };
  const changes = changesOf(actors, actors, effective);
  const trying: Actors = { ...actors, ask: (address, event) => actors.tryOut(address, event) };
  return {
    ...changes,
    /** The same operations, which check and answer as these do, and change nothing. The context broker is not asked. */
    dryRun: changesOf(trying, trying, withoutEffect),
    /** The same operations, whose changes are audited as those of an author; undefined: they are not audited. */
    by(author: Author | undefined): typeof changes {
      if (author === undefined) return changes;
      const authored: Actors = {
        ...actors,
        ask: (address, event) => actors.ask(address, { ...event, author }),
      };
      // What a deletion takes with it is no change of its own.
      return changesOf(authored, actors, effective);
    },
    factsByEntity: createFactsByEntity(changes.servers),
    subscriptionList: createSubscriptionList({ store, tenants }),
    listing: createListing(store),
    explain: createExplain(changes.servers, tenants, store, now),
    trends: createTrends(changes.servers, tenants, store, now),
    fleet,
  };
}
