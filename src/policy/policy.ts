import { createListing } from './listing.js';
import type { Listing } from './listing.js';
import { createGenericRules } from './generic-rules.js';
import type { GenericRules } from './generic-rules.js';
import { createServers } from './servers.js';
import type { Servers } from './servers.js';
import { createSubscriptions } from './subscriptions.js';
import type { Subscriptions } from './subscriptions.js';
import { createTenants } from './tenants.js';
import type { Tenants } from './tenants.js';
import type { Actors } from '../actors/runtime.js';
import type { Store } from '../store/port.js';
import type { BrokerUse } from './broker-use.js';
import { createWebhookSecrets } from './webhook-secrets.js';
import type { WebhookSecrets } from './webhook-secrets.js';

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
