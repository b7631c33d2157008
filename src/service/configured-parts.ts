import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { createAuditLog } from '../audit/audit-log.js';
import type { Config } from '../config/config.js';
import type { AdmissionOptions } from '../http/admission/admission.js';
import type { TenantLimits } from '../operator/shapes.js';
import { HEALTH } from '../operator/health/routes.js';
import { openBroker } from '../broker/select.js';
import { brokerTenantOf } from '../config/kinds.js';
import { DOCUMENT_ATTRIBUTES } from '../policy/facts/measuring-attributes.js';
import type { BrokerUse } from '../policy/subscriptions/broker-use.js';
import type { ActorKind } from '../actors/kind.js';
import { authorsOf } from '../http/author.js';
import { jsonBody, type ReadJson } from '../http/body/body.js';
import type { ServiceContext } from './context.js';
import { embeddedTenantId } from '../identity/embedded.js';
import { type IdentityOptions, openIdentity, type OpenIdentity } from '../identity/select.js';
import { durableSecret } from '../store/durable-texts.js';
import type { Store } from '../store/port.js';

/** Maximum number of requests in progress. One more is answered 503. */
const WORKING = 5_000;
/** Maximum number of requests that wait for the chain. One more is answered 503 before anything is signed. */
const WAITING = 5_000;
/** Maximum number of bytes of bodies in receipt, unless four of the longest bodies are more. */
const BODY_BYTES = 256 * 1024 ** 2;

/** Paths that monitors read: under overload too, and by any name of the machine. */
export const ALWAYS_ANSWERED: readonly string[] = [...Object.values(HEALTH), '/metrics'];

/** Returns the limits of concurrent requests. */
export function admissionOf({ http, admission }: Config): AdmissionOptions {
  const longest = Math.max(http.bodyLimit, http.batchLimit);
  return {
    maxInFlight: WORKING,
    maxWaiting: WAITING,
    bodyBytes: Math.max(BODY_BYTES, 4 * longest),
    trustedProxies: admission.trustedProxies,
    tenantRate: admission.tenantRate,
    exempt: ALWAYS_ANSWERED,
  };
}

/** Returns the limits of each tenant as operators see them. */
export function tenantLimitsOf({ admission, tenantMaxima }: Config): TenantLimits {
  const shown = (most: number): number | null => (most === 0 ? null : most);
  return {
    servers: shown(tenantMaxima.servers),
    subscriptions: shown(tenantMaxima.subscriptions),
    requestsPerSecond: shown(admission.tenantRate),
  };
}

/** Opens the configured context broker. undefined if none is configured. */
export function brokerOf({
  config,
  now,
  publicUrl,
  closeOnStop,
}: Pick<ServiceContext, 'config' | 'now' | 'publicUrl' | 'closeOnStop'>): BrokerUse | undefined {
  if (config.broker === undefined) return undefined;
  const headers: Record<string, string> =
    config.facts.key === undefined ? {} : { 'X-Facts-Key': config.facts.key };
  const { entityType, tenant } = config.broker;
  return {
    port: closeOnStop(openBroker({ ...config.broker, now })),
    publicUrl,
    headers,
    entityType,
    attributes: [...DOCUMENT_ATTRIBUTES, ...config.metrics.listed.map(({ name }) => name)],
    tenantOf: (tenantId) => brokerTenantOf(tenant, tenantId),
    followed: new Set(),
  };
}

/** Lifetime of a token of the embedded identity, s. */
const TOKEN_TTL_S = 24 * 60 * 60;

/** Opens the configured identity service. */
export async function identityOf({ identity }: Config, store: Store): Promise<OpenIdentity> {
  const { tokenCacheS: cacheS, ...chosen } = identity;
  const options: IdentityOptions =
    chosen.kind === 'embedded'
      ? { ...chosen, cacheS, secret: await durableSecret(store, 'identity'), tokenTtlS: TOKEN_TTL_S }
      : { ...chosen, cacheS };
  return openIdentity(options);
}

/** Returns the users of the embedded identity; none for another identity service. */
export function embeddedUsers({ identity }: Config) {
  return identity.kind === 'embedded' ? identity.users : [];
}

/** Returns the tenants of the embedded identity. Another identity service is not asked for names. */
export function embeddedTenants(config: Config): readonly { readonly id: string; readonly name: string }[] {
  const names = new Set(embeddedUsers(config).map(({ tenant }) => tenant));
  return [...names].map((name) => ({ id: embeddedTenantId(name), name }));
}

/**
 * Returns the tenant that a claim of an OpenID provider names: that of the embedded identity with this name, else the one with
 * this id, as in `jwt`.
 */
export function claimedTenant({ identity }: Config, value: string) {
  return { id: identity.kind === 'embedded' ? embeddedTenantId(value) : value, name: value };
}

/** Returns the challenge for a client without a valid token: the address that issues tokens (policy §5, rule 5). */
export function challengeOf({ identity }: Config, publicUrl: string): string {
  const uri = identity.kind === 'embedded' ? `${publicUrl}/identity/v2.0` : identity.url;
  return `Keystone uri="${uri}"`;
}

const stretched = promisify<string, string, number, Buffer>(scrypt);

/**
 * Returns the secret from which all tenants' webhook secrets are derived: WEBHOOK_SECRET, else a generated secret in the
 * store. A tenant knows its derived secret and could guess a weak WEBHOOK_SECRET offline: scrypt (RFC 7914) makes each
 * guess slow.
 */
export async function webhookMaster(setting: string | undefined, store: Store): Promise<Uint8Array> {
  return setting === undefined
    ? durableSecret(store, 'webhook')
    : stretched(setting, 'mirzam webhook secrets', 32);
}

/** Maximum length of a body that is parsed on the event loop, bytes. A longer one would block it. */
const SHORT_BODY = 64 * 1024;

/** Returns the reader of short JSON bodies. */
export function shortBody(bodyLimit: number): ReadJson {
  return jsonBody({ limit: Math.min(bodyLimit, SHORT_BODY) });
}

/** Returns the states of each kind's machine, by the name of the kind. */
export function statesOf(kinds: readonly ActorKind[]): ReadonlyMap<string, readonly string[]> {
  return new Map(kinds.map(({ name, machine }) => [name, Object.keys(machine.states)]));
}

/** Returns the audit, and who makes the changes of a request. */
export function auditOf({ auditDays }: Config, now: () => number) {
  const keepMs = auditDays * 24 * 60 * 60 * 1000;
  return { auditLog: createAuditLog({ keepMs, now }), authors: authorsOf(keepMs > 0) };
}
