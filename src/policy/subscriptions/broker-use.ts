import type { Broker, BrokerSubscription } from '../../broker/port.js';
import { serverPath } from '../http/server-path.js';

/** How the service uses a context broker. */
export interface BrokerUse {
  readonly port: Broker;
  /** Where the broker reaches the service. */
  readonly publicUrl: () => string;
  /** Headers that let the broker's notifications in. */
  readonly headers: Readonly<Record<string, string>>;
  /** The marks of the intents that requests of this process follow. */
  readonly followed: Set<string>;
}

/** The attributes that measure a server (policy §2, Facts payload). */
const ATTRIBUTES = ['cpuLoadPct', 'usedMemPct', 'netLoadPct', 'freeSpacePct'] as const;

/** What the service asks of the broker for one server: its measurements, sent to operation 1. */
export function brokerSubscription(use: BrokerUse, tenantId: string, serverId: string): BrokerSubscription {
  return {
    entityId: serverId,
    entityType: 'host',
    attributes: ATTRIBUTES,
    callback: use.publicUrl() + serverPath(tenantId, serverId),
    headers: use.headers,
  };
}
