import { NO_METRICS } from './metrics.js';
import { isIPv6 } from 'node:net';
import { type Environment, readValues } from './read-values.js';
import { isLoopback, isWildcard } from './hosts.js';
import { embeddedUsers, faultsAmong, identityKind, isDefaultAccountOn, warningsAmong } from './rules.js';
import type { Values } from './settings.js';

/** Validated configuration of the service. Durations are in seconds. */
export type Config = ReturnType<typeof configOf>;

/** Configuration of the ledger. */
export type LedgerConfig = NonNullable<Config['ledger']>;

/** The settings are unusable. `faults` has a sentence for each fault: the setting and the allowed values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(['the settings cannot be used:', ...faults].join('\n- '));
    this.faults = faults;
  }
}

/** Reads the configuration from an environment. Throws a `ConfigError` with all faults. */
export function loadConfig(environment: Environment): Config {
  const { values, faults } = readValues(environment);
  const all = [...faults.values(), ...faultsAmong(values, new Set(faults.keys()))];
  if (all.length > 0) throw new ConfigError(all);
  return configOf(values);
}

function configOf(values: Values) {
  const publicUrl = values.PUBLIC_URL ?? defaultPublicUrl(values.HOST, values.PORT);
  return {
    production: values.NODE_ENV === 'production',
    http: {
      host: values.HOST,
      /** 0: any free port. */
      port: values.PORT,
      /** Without a trailing slash. undefined if PORT is 0 and PUBLIC_URL is not set: known once the service listens. */
      publicUrl,
      /** Accepted host names, besides IP addresses and loopback names. undefined: all. */
      hosts: values.NODE_ENV === 'production' ? undefined : hostsOf(values.HOSTS, publicUrl),
      /** Bytes. */
      bodyLimit: values.BODY_LIMIT,
      /** Limit of batches of entities and of backtests, bytes. */
      batchLimit: values.BATCH_LIMIT,
    },
    /** `trustedProxies`: IP addresses and networks in CIDR notation. `tenantRate`: requests per second; 0: any number. */
    admission: { trustedProxies: values.TRUSTED_PROXIES ?? [], tenantRate: values.TENANT_RATE },
    /** Servers and subscriptions of a tenant; 0: any number. */
    tenantMaxima: { servers: values.TENANT_SERVERS, subscriptions: values.TENANT_SUBSCRIPTIONS },
    /** Without `mongodbUrl` the embedded store in `dataDir` is used. */
    store: { dataDir: values.DATA_DIR, mongodbUrl: values.MONGODB_URL },
    /** `tokenCacheS`: how long a verified token is cached. */
    identity: { ...identityOf(values), tokenCacheS: values.TOKEN_CACHE_S },
    /** The OpenID provider at which users of the console log in. undefined: none. */
    oidc: oidcOf(values),
    facts: {
      auth: values.FACTS_AUTH,
      /** Present if `auth` is `key`. */
      key: values.FACTS_KEY,
      hddReading: values.HDD_READING,
      /** How far ahead of its arrival a time that came with a value is believed; 0: any. */
      clockSkewS: values.CLOCK_SKEW_S,
    },
    metrics: values.METRICS ?? NO_METRICS,
    /** True if watched metrics have a trend. */
    trend: values.TREND === 'on',
    window: { max: values.WINDOW_MAX, gapS: values.WINDOW_GAP_S },
    /** Days without subscription, own rule and fact after which a server is deleted; 0: never. */
    serverForgetDays: values.SERVER_FORGET_DAYS,
    /** Days for which the audit keeps a change; 0: nothing is audited. */
    auditDays: values.AUDIT_DAYS,
    broker: brokerOf(values),
    /** The MQTT broker whose messages are measurements. undefined: none. */
    mqtt: mqttOf(values),
    mail: {
      smtpUrl: values.SMTP_URL,
      from: values.MAIL_FROM,
      intervalS: values.MAIL_INTERVAL_S,
      /** The IANA name of a time zone; undefined: mails have UTC alone. */
      timeZone: values.MAIL_TIMEZONE,
    },
    webhook: { secret: values.WEBHOOK_SECRET, targets: values.WEBHOOK_TARGETS ?? [] },
    delivery: {
      giveUpS: values.DELIVERY_GIVE_UP_S,
      alertResendS: values.ALERT_RESEND_S,
      deadLetterDays: values.DEAD_LETTER_DAYS,
    },
    /** undefined: no ledger is served. */
    ledger: ledgerOf(values),
    operator: { token: values.OPERATOR_TOKEN },
    log: { level: values.LOG_LEVEL },
    /** undefined: nothing is traced. */
    tracing: tracingOf(values),
    /** Warnings about settings that are allowed but probably unintended: one sentence each, without secrets. */
    warnings: warningsAmong(values),
  } as const;
}

function tracingOf(values: Values) {
  if (values.TRACING === 'off') return undefined;
  return {
    endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    sampler: values.OTEL_TRACES_SAMPLER,
    ratio: values.OTEL_TRACES_SAMPLER_ARG,
    serviceName: values.OTEL_SERVICE_NAME,
  } as const;
}

function brokerOf(values: Values) {
  if (values.BROKER_URL === undefined) return undefined;
  return {
    url: values.BROKER_URL,
    api: values.BROKER_API,
    entityType: values.BROKER_ENTITY_TYPE,
    /** May have the placeholder `{tenant}`. */
    tenant: values.BROKER_TENANT,
    servicePath: values.BROKER_SERVICE_PATH,
    /** URL of a JSON-LD context. */
    context: values.BROKER_CONTEXT,
  } as const;
}

function mqttOf(values: Values) {
  if (values.MQTT_URL === undefined) return undefined;
  return {
    /** May hold credentials. */
    url: values.MQTT_URL,
    /** Name of this node at the broker. undefined: made of the name of the machine and the port. */
    clientId: values.MQTT_CLIENT_ID,
    /** The group in which the nodes of one database share the messages. */
    group: values.MQTT_GROUP,
    /** How long the broker keeps the messages of a node that is not connected. */
    sessionS: values.MQTT_SESSION_S,
  } as const;
}

/** Returns the identity service. `admin` is this service's account there; members that are not set are ''. */
function identityOf(values: Values) {
  const kind = identityKind(values);
  if (kind === 'embedded') return { kind, users: embeddedUsers(values) } as const;
  // A missing address is a fault reported before.
  const url = values.IDENTITY_URL ?? '';
  if (kind === 'jwt') {
    // Missing values are faults reported before.
    const { IDENTITY_AUDIENCE: audience = '', IDENTITY_ISSUER: issuer = '' } = values;
    return { kind, url, audience, issuer, tenantClaim: values.IDENTITY_TENANT_CLAIM } as const;
  }
  const admin = {
    tenant: values.IDENTITY_ADMIN_TENANT ?? '',
    user: values.IDENTITY_ADMIN_USER ?? '',
    password: values.IDENTITY_ADMIN_PASSWORD ?? '',
  };
  return { kind, url, admin } as const;
}

function oidcOf(values: Values) {
  // One setting without the other is a fault reported before.
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = values;
  if (issuer === undefined || clientId === undefined) return undefined;
  const { OIDC_OPERATOR_CLAIM: claim, OIDC_OPERATOR_VALUE: value } = values;
  return {
    issuer,
    clientId,
    /** undefined: a public client. */
    clientSecret: values.OIDC_CLIENT_SECRET,
    /** Separated by blanks. */
    scope: values.OIDC_SCOPE,
    tenantClaim: values.IDENTITY_TENANT_CLAIM,
    /** Who has this value in this claim is an operator. undefined: nobody. */
    operator: claim === undefined || value === undefined ? undefined : { claim, value },
    sessionS: values.OIDC_SESSION_S,
  } as const;
}

function ledgerOf(values: Values) {
  const { CHAIN_RPC_URL: url, CHAIN_CONTRACT: contract } = values;
  // Production does not start the embedded chain.
  if (values.LEDGER === 'off' || (url === undefined && values.NODE_ENV === 'production')) return undefined;
  return {
    /**
     * A node of the chain, and the contract's address in lower case. undefined: the embedded chain. One setting without the
     * other is a fault reported before.
     */
    chain: url === undefined || contract === undefined ? undefined : { url, contract },
    /** Account of callers who name no wallet. undefined: none. Without `key` a key is generated and stored. */
    defaultAccount: isDefaultAccountOn(values) ? { key: values.DEFAULT_ACCOUNT_KEY } : undefined,
    /** Allowed prefixes of wallet addresses, without a trailing slash. undefined: not set. */
    walletAddresses: values.WALLET_ADDRESSES,
    /** Token of the embedded wallet. undefined: a token is generated and stored. */
    walletDevToken: values.WALLET_DEV_TOKEN,
    auth: values.LEDGER_AUTH,
    /** Blocks on a transaction, its own included, before its receipt is answered. */
    confirmations: values.LEDGER_CONFIRMATIONS,
    waitS: values.LEDGER_WAIT_S,
    /** Blocks; never fewer than `confirmations`. */
    finality: values.LEDGER_FINALITY,
    proofs: values.LEDGER_PROOFS,
    /** Address of a transaction in a block explorer, with `{hash}`. undefined: none. */
    explorerUrl: values.EXPLORER_URL,
    idempotencyTtlS: values.IDEMPOTENCY_TTL_S,
    /** At most three digits after the point. */
    gasPriceFactor: values.GAS_PRICE_FACTOR,
    /** undefined: estimated. */
    gasLimit: values.GAS_LIMIT,
    /** Seconds after which a transaction that is in no block is signed again with a higher price; 0 never. */
    replaceAfterS: values.GAS_BUMP_AFTER_S,
    /** wei; undefined: ten times the first price of a transaction. */
    gasPriceMax: values.GAS_PRICE_MAX,
    /** Without a trailing slash. */
    mirrorUrl: values.BROKER_MIRROR_URL,
  } as const;
}

/** Returns the settings of the chain of a ledger, as `openChain` takes them. */
export function chainSettings({ gasPriceFactor, gasPriceMax, gasLimit, finality }: LedgerConfig) {
  const limit = gasLimit === undefined ? undefined : BigInt(gasLimit);
  return { gasPriceFactor, gasPriceMax, gasLimit: limit, finality };
}

function hostsOf(named: Values['HOSTS'], publicUrl: string | undefined): readonly string[] {
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  return [...(named ?? []), ...own];
}

function defaultPublicUrl(host: string, port: number): string | undefined {
  if (port === 0) return undefined;
  const isHere = isWildcard(host) || isLoopback(host);
  return `http://${isHere ? 'localhost' : isIPv6(host) ? `[${host}]` : host}:${port}`;
}
