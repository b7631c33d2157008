import { type MetricSettings, NO_METRICS } from './metrics.js';
import { isIPv6 } from 'node:net';
import type { Hex, User } from './kinds.js';
import { type Environment, readValues } from './read-values.js';
import { isLoopback, isWildcard } from './hosts.js';
import { embeddedUsers, faultsAmong, identityKind, isDefaultAccountOn, warningsAmong } from './rules.js';
import type { Values } from './settings.js';

/** Validated configuration of the service. Durations are in seconds. */
export interface Config {
  readonly production: boolean;
  readonly http: {
    readonly host: string;
    /** 0: any free port. */
    readonly port: number;
    /** Without a trailing slash. undefined if PORT is 0 and PUBLIC_URL is not set: known once the service listens. */
    readonly publicUrl: string | undefined;
    /** Accepted host names, besides IP addresses and loopback names. undefined: all. */
    readonly hosts: readonly string[] | undefined;
    /** Bytes. */
    readonly bodyLimit: number;
    /** Limit of batches of entities and of backtests, bytes. */
    readonly batchLimit: number;
  };
  /** IP addresses and networks in CIDR notation. */
  readonly admission: { readonly trustedProxies: readonly string[] };
  /** Without `mongodbUrl` the embedded store in `dataDir` is used. */
  readonly store: { readonly dataDir: string; readonly mongodbUrl: string | undefined };
  /** `tokenCacheS`: how long a verified token is cached. */
  readonly identity: IdentityChoice & { readonly tokenCacheS: number };
  readonly facts: {
    readonly auth: Values['FACTS_AUTH'];
    /** Present if `auth` is `key`. */
    readonly key: string | undefined;
    readonly hddReading: Values['HDD_READING'];
    /** How far ahead of its arrival a time that came with a value is believed; 0: any. */
    readonly clockSkewS: number;
  };
  readonly metrics: MetricSettings;
  readonly window: { readonly max: number; readonly gapS: number };
  readonly broker:
    | {
        readonly url: string;
        readonly api: Values['BROKER_API'];
        readonly entityType: string;
        /** May have the placeholder `{tenant}`. */
        readonly tenant: string | undefined;
        readonly servicePath: string;
        /** URL of a JSON-LD context. */
        readonly context: string | undefined;
      }
    | undefined;
  readonly mail: { readonly smtpUrl: string | undefined; readonly from: string; readonly intervalS: number };
  readonly webhook: { readonly secret: string | undefined; readonly targets: readonly string[] };
  readonly delivery: { readonly giveUpS: number; readonly deadLetterDays: number };
  /** undefined: no ledger is served. */
  readonly ledger: LedgerConfig | undefined;
  readonly operator: { readonly token: string | undefined };
  readonly log: { readonly level: Values['LOG_LEVEL'] };
  /** Warnings about settings that are allowed but probably unintended: one sentence each, without secrets. */
  readonly warnings: readonly string[];
}

/** Configuration of the ledger. */
export interface LedgerConfig {
  /** A node of the chain, and the contract's address in lower case. undefined: the embedded chain. */
  readonly chain: { readonly url: string; readonly contract: Hex } | undefined;
  /** Account of callers who name no wallet. undefined: none. Without `key` a key is generated and stored. */
  readonly defaultAccount: { readonly key: Hex | undefined } | undefined;
  /** Allowed prefixes of wallet addresses, without a trailing slash. undefined: not set. */
  readonly walletAddresses: readonly string[] | undefined;
  /** Token of the embedded wallet. undefined: a token is generated and stored. */
  readonly walletDevToken: string | undefined;
  readonly auth: Values['LEDGER_AUTH'];
  /** Blocks on a transaction, its own included, before its receipt is answered. */
  readonly confirmations: number;
  readonly waitS: number;
  /** Blocks; never fewer than `confirmations`. */
  readonly finality: number;
  readonly idempotencyTtlS: number;
  /** At most three digits after the point. */
  readonly gasPriceFactor: number;
  /** undefined: estimated. */
  readonly gasLimit: number | undefined;
  /** Seconds after which a transaction that is in no block is signed again with a higher price; 0 never. */
  readonly gasBumpAfterS: number;
  /** wei; undefined: ten times the first price of a transaction. */
  readonly gasPriceMax: bigint | undefined;
  /** Without a trailing slash. */
  readonly mirrorUrl: string | undefined;
}

/** Identity service. `admin` is this service's account there; members that are not set are ''. */
type IdentityChoice =
  | { readonly kind: 'embedded'; readonly users: readonly User[] }
  | {
      readonly kind: 'jwt';
      /** Address of the issuer's keys. */
      readonly url: string;
      /** Required `aud` and `iss` of tokens. */
      readonly audience: string;
      readonly issuer: string;
      /** Claim with the tenant. */
      readonly tenantClaim: string;
    }
  | {
      readonly kind: Exclude<Values['IDENTITY'], 'embedded' | 'jwt' | undefined>;
      readonly url: string;
      readonly admin: User;
    };

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
  const publicUrl = values.PUBLIC_URL ?? defaultPublicUrl(values.HOST, values.PORT);
  return {
    production: values.NODE_ENV === 'production',
    http: {
      host: values.HOST,
      port: values.PORT,
      publicUrl,
      hosts: values.NODE_ENV === 'production' ? undefined : hostsOf(values.HOSTS, publicUrl),
      bodyLimit: values.BODY_LIMIT,
      batchLimit: values.BATCH_LIMIT,
    },
    admission: { trustedProxies: values.TRUSTED_PROXIES ?? [] },
    store: { dataDir: values.DATA_DIR, mongodbUrl: values.MONGODB_URL },
    identity: { ...identityOf(values), tokenCacheS: values.TOKEN_CACHE_S },
    facts: {
      auth: values.FACTS_AUTH,
      key: values.FACTS_KEY,
      hddReading: values.HDD_READING,
      clockSkewS: values.CLOCK_SKEW_S,
    },
    metrics: values.METRICS ?? NO_METRICS,
    window: { max: values.WINDOW_MAX, gapS: values.WINDOW_GAP_S },
    broker: brokerOf(values),
    mail: { smtpUrl: values.SMTP_URL, from: values.MAIL_FROM, intervalS: values.MAIL_INTERVAL_S },
    webhook: { secret: values.WEBHOOK_SECRET, targets: values.WEBHOOK_TARGETS ?? [] },
    delivery: { giveUpS: values.DELIVERY_GIVE_UP_S, deadLetterDays: values.DEAD_LETTER_DAYS },
    ledger: ledgerOf(values),
    operator: { token: values.OPERATOR_TOKEN },
    log: { level: values.LOG_LEVEL },
    warnings: warningsAmong(values),
  };
}

function brokerOf(values: Values): Config['broker'] {
  if (values.BROKER_URL === undefined) return undefined;
  return {
    url: values.BROKER_URL,
    api: values.BROKER_API,
    entityType: values.BROKER_ENTITY_TYPE,
    tenant: values.BROKER_TENANT,
    servicePath: values.BROKER_SERVICE_PATH,
    context: values.BROKER_CONTEXT,
  };
}

function identityOf(values: Values): IdentityChoice {
  const kind = identityKind(values);
  if (kind === 'embedded') return { kind, users: embeddedUsers(values) };
  // A missing address is a fault reported before.
  const url = values.IDENTITY_URL ?? '';
  if (kind === 'jwt') {
    // Missing values are faults reported before.
    const { IDENTITY_AUDIENCE: audience = '', IDENTITY_ISSUER: issuer = '' } = values;
    return { kind, url, audience, issuer, tenantClaim: values.IDENTITY_TENANT_CLAIM };
  }
  const admin = {
    tenant: values.IDENTITY_ADMIN_TENANT ?? '',
    user: values.IDENTITY_ADMIN_USER ?? '',
    password: values.IDENTITY_ADMIN_PASSWORD ?? '',
  };
  return { kind, url, admin };
}

function ledgerOf(values: Values): LedgerConfig | undefined {
  const { CHAIN_RPC_URL: url, CHAIN_CONTRACT: contract } = values;
  // Production does not start the embedded chain.
  if (values.LEDGER === 'off' || (url === undefined && values.NODE_ENV === 'production')) return undefined;
  return {
    // One without the other is a fault reported before.
    chain: url === undefined || contract === undefined ? undefined : { url, contract },
    defaultAccount: isDefaultAccountOn(values) ? { key: values.DEFAULT_ACCOUNT_KEY } : undefined,
    walletAddresses: values.WALLET_ADDRESSES,
    walletDevToken: values.WALLET_DEV_TOKEN,
    auth: values.LEDGER_AUTH,
    confirmations: values.LEDGER_CONFIRMATIONS,
    waitS: values.LEDGER_WAIT_S,
    finality: values.LEDGER_FINALITY,
    idempotencyTtlS: values.IDEMPOTENCY_TTL_S,
    gasPriceFactor: values.GAS_PRICE_FACTOR,
    gasLimit: values.GAS_LIMIT,
    gasBumpAfterS: values.GAS_BUMP_AFTER_S,
    gasPriceMax: values.GAS_PRICE_MAX,
    mirrorUrl: values.BROKER_MIRROR_URL,
  };
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
