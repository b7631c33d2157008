import { createListing } from './listing.js';
import type { Listing } from './listing.js';
import { createGenericRules } from './rules/generic-rules.js';
import type { GenericRules } from './rules/generic-rules.js';
import { createServers } from './server/servers.js';
import type { Servers } from './server/servers.js';
import { createSubscriptions } from './subscriptions/subscriptions.js';
import type { Subscriptions } from './subscriptions/subscriptions.js';
import { createTenants } from './tenant/tenants.js';
import type { Tenants } from './tenant/tenants.js';
import type { Actors } from '../actors/runtime.js';
import type { Store } from '../store/port.js';
import type { BrokerUse } from './subscriptions/broker-use.js';
import { createWebhookSecrets } from './tenant/webhook-secrets.js';
import type { WebhookSecrets } from './tenant/webhook-secrets.js';

/** The seventeen operations of the policy API (policy §4), free of HTTP. */
export interface Policy {
  readonly tenants: Tenants;
  readonly genericRules: GenericRules;
  readonly servers: Servers;
  readonly subscriptions: Subscriptions;
  readonly listing: Listing;
  /** Beyond the document. */
  readonly webhookSecrets: WebhookSecrets;
}

export interface PolicyOptions {
  readonly actors: Actors;
  readonly store: Store;
  readonly broker: BrokerUse | undefined;
  /** What the webhook secrets are derived from. */
  readonly webhookMaster: Uint8Array;
  readonly now: () => number;
  /** A new id of 24 hexadecimal digits. */
  readonly newId: () => string;
}

/** Wires the operations on a runtime. */
export function createPolicy(options: PolicyOptions): Policy {
  const { actors, store, now, newId } = options;
  const tenants = createTenants(actors, now);
  const servers = createServers({ actors, tenants, now, newId });
  return {
    tenants,
    genericRules: createGenericRules({ tenants, now, newId }),
    servers,
    subscriptions: createSubscriptions({ servers, tenants, broker: options.broker, now, newId }),
    listing: createListing(store),
    webhookSecrets: createWebhookSecrets({ tenants, master: options.webhookMaster, now }),
  };
}
