import type { Broker, BrokerSubscription } from '../../broker/port.js';

/** The context broker and what its subscriptions contain. */
export interface BrokerUse {
  readonly port: Broker;
  /** Returns the address at which the broker reaches the service. */
  readonly publicUrl: () => string;
  /** Headers that the broker sends with its notifications. */
  readonly headers: Readonly<Record<string, string>>;
  /** BROKER_ENTITY_TYPE. */
  readonly entityType: string;
  /** Attributes with measurements. */
  readonly attributes: readonly string[];
  /** Returns the tenant at the broker for a tenant of the service; undefined: the broker's default tenant. */
  readonly tenantOf: (tenantId: string) => string | undefined;
  /** Marks of the intents that requests of this process follow. */
  readonly followed: Set<string>;
}

/** Returns the subscription at the broker for one server. The broker sends its measurements to operation 1. */
export function brokerSubscription(use: BrokerUse, tenantId: string, serverId: string): BrokerSubscription {
  return {
    entityId: serverId,
    entityType: use.entityType,
    attributes: use.attributes,
    tenant: use.tenantOf(tenantId),
    callback: use.publicUrl() + serverPath(tenantId, serverId),
    headers: use.headers,
  };
}

/**
 * Returns the path of a server, that of operations 1 and 10. A server id contains no character that must be encoded. The
 * ending `.json` of a path asks for a format, so an id with this ending is written with it twice.
 */
function serverPath(tenantId: string, serverId: string): string {
  return `/v1.0/${tenantId}/servers/${serverId}${serverId.endsWith('.json') ? '.json' : ''}`;
}
