import type { ActorKind, Actors } from '../actors/kind.js';
import { readCommitted } from '../actors/reading.js';
import type { Deliveries } from '../delivery/deliveries.js';
import type { Store } from '../store/port.js';
import { createExplain, type Explain } from './explain/explain.js';
import { historyKind } from './explain/history-machine.js';
import { recordEffect } from './explain/record-effect.js';
import { createMutes, type Mutes } from './mute/mutes.js';
import type { ServerSettings } from './server/take-facts.js';
import { serverKind } from './server/server-kind.js';
import { createFactsByEntity, type FactsByEntity } from './server/facts-by-entity.js';
import { createServers, type Servers } from './server/servers.js';
import type { TenantCopies } from './server/tenant-copy.js';
import { createListing, createRuleNotice, createWindowCheck, type Listing } from './server/tenant-servers.js';
import { brokerEffects } from './subscriptions/broker-effects.js';
import type { BrokerUse } from './subscriptions/broker-use.js';
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions.js';
import { createGenericRules, type GenericRules } from './tenant/generic-rules.js';
import { tenantKind } from './tenant/tenant-machine.js';
import { tenantNameKind } from './tenant/tenant-name.js';
import { createTenants, tenantCopies, type Tenants } from './tenant/tenants.js';
import { createWebhookSecrets, type WebhookSecrets } from './tenant/webhook-secrets.js';

export interface PolicyKindOptions {
  readonly store: Store;
  readonly deliveries: Deliveries;
  readonly settings: ServerSettings;
  readonly broker: BrokerUse | undefined;
  readonly now: () => number;
}

/** Returns the kinds of actors behind the policy API. */
export function policyKinds(options: PolicyKindOptions): readonly ActorKind[] {
  const { store, deliveries, settings, now } = options;
  const copiesOf = (actors: Actors): TenantCopies => tenantCopies(actors, readCommitted(actors, store));
  return [
    serverKind({
      settings,
      deliveries,
      broker: brokerEffects(options),
      copiesOf,
      record: recordEffect(now),
      now,
    }),
    historyKind,
    tenantKind({ sendRuleNotice: createRuleNotice({ store, copiesOf, now }), now }),
    tenantNameKind,
  ];
}

/** The seventeen operations of the policy API (policy §4), without HTTP. */
export interface Policy {
  readonly tenants: Tenants;
  readonly genericRules: GenericRules;
  readonly servers: Servers;
  /** Beyond the document. */
  readonly factsByEntity: FactsByEntity;
  readonly subscriptions: Subscriptions;
  /** Beyond the document. */
  readonly mutes: Mutes;
  readonly listing: Listing;
  /** Beyond the document. */
  readonly explain: Explain;
  /** Beyond the document. */
  readonly webhookSecrets: WebhookSecrets;
}

export interface PolicyOptions {
  readonly actors: Actors;
  readonly store: Store;
  readonly broker: BrokerUse | undefined;
  /** Key from which the webhook secrets are derived. */
  readonly webhookMaster: Uint8Array;
  readonly now: () => number;
  /** Returns a new id of 24 hexadecimal digits. */
  readonly newId: () => string;
}

/** Makes the operations on a runtime. */
export function createPolicy(options: PolicyOptions): Policy {
  const { actors, store, now, newId } = options;
  const read = readCommitted(actors, store);
  const tenants = createTenants(actors, read, now);
  const servers = createServers({ actors, tenants, now, newId });
  return {
    tenants,
    genericRules: createGenericRules({ tenants, checkWindows: createWindowCheck(store), now, newId }),
    servers,
    factsByEntity: createFactsByEntity(servers),
    subscriptions: createSubscriptions({ servers, tenants, broker: options.broker, now, newId }),
    mutes: createMutes({ servers, read, now }),
    listing: createListing(store),
    explain: createExplain({ read, store, now }),
    webhookSecrets: createWebhookSecrets({ tenants, master: options.webhookMaster, now }),
  };
}
