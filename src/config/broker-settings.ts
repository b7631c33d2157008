import { choice, endpointUrl, httpUrl, type Kind, NotAllowed, word } from './kinds.js';
import type { Setting } from './setting.js';

const PLACEHOLDER = '{tenant}';

/** A tenant of a context broker, with a placeholder for the tenant of the service. */
const brokerTenant: Kind<string> = {
  allowed: `1 to 256 letters, digits and . _ : -, with ${PLACEHOLDER} in place of the tenant's id`,
  parse: (value) => {
    const tenant = value.trim();
    return /^[\w.:-]{1,256}$/.test(tenant.replaceAll(PLACEHOLDER, '_')) ? tenant : new NotAllowed();
  },
};

/** A service path of FIWARE. Orion loses the wildcard `/#` of a subscription with its first renewal. */
const servicePath: Kind<string> = {
  allowed: 'an absolute path of at most 10 levels, each of at most 50 letters, digits and _',
  parse: (value) => {
    const path = value.trim();
    return /^(?:\/|(?:\/\w{1,50}){1,10})$/.test(path) ? path : new NotAllowed();
  },
};

/** Returns the tenant at the broker for a tenant of the service; undefined without BROKER_TENANT. */
export function brokerTenantOf(setting: string | undefined, tenantId: string): string | undefined {
  return setting?.replaceAll(PLACEHOLDER, () => tenantId);
}

/** The settings of the context broker; rows as in `settings`. */
export const brokerSettings = {
  BROKER_URL: {
    kind: httpUrl,
    unset: 'no broker: the service makes the ids of subscriptions',
    about: 'Context broker. Each policy subscription has a counterpart there.',
  },
  BROKER_API: {
    kind: choice('ngsi10', 'ngsiv2', 'ngsi-ld'),
    default: 'ngsiv2',
    about: 'Subscription API of the broker. Orion has no `ngsi10` since version 4.0.',
  },
  BROKER_ENTITY_TYPE: {
    kind: word(256),
    default: 'host',
    about: 'Type of the entities at the broker that are servers.',
  },
  BROKER_TENANT: {
    kind: brokerTenant,
    unset: "the broker's default tenant",
    about:
      'Tenant at the broker, sent as `Fiware-Service`, to NGSI-LD as `NGSILD-Tenant`. `{tenant}` stands for the id of the tenant. Orion takes letters, digits and `_`, at most 50, and ignores case.',
  },
  BROKER_SERVICE_PATH: {
    kind: servicePath,
    default: '/',
    about:
      'Service path of the entities, sent as `Fiware-ServicePath`. Paths below it are others. NGSI-LD has none.',
  },
  BROKER_CONTEXT: {
    kind: endpointUrl,
    unset: "the broker's core context",
    about: 'NGSI-LD: URL of the JSON-LD context of the attributes and the entity type.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
