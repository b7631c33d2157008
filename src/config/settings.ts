import {
  brokerTenant,
  bytes,
  chainAddress,
  choice,
  decimal,
  endpointUrl,
  explorerUrl,
  headerPairs,
  headerValue,
  host,
  httpUrl,
  integer,
  type Kind,
  mailbox,
  mongodbUrl,
  mqttName,
  mqttUrl,
  origins,
  privateKey,
  rpcUrl,
  servicePath,
  smtpUrl,
  text,
  timeZone,
  urlPrefixes,
  users,
  webhookSecret,
  wei,
  word,
} from './kinds.js';
import { hostNames, networks } from './hosts.js';
import { metricList } from './metrics.js';

/** A setting: one variable of the environment. */
export interface Setting<T = unknown> {
  readonly kind: Kind<T>;
  /** Text used if the variable is not set or empty. */
  readonly default?: string;
  /** The text never appears in a message. */
  readonly secret?: true;
}

const day = 86_400;

/** Every setting there is: one row here, and one row in docs/settings.md, which says what it does. */
export const settings = {
  NODE_ENV: { kind: choice('production', 'development', 'test'), default: 'development' },
  LOG_LEVEL: { kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), default: 'info' },

  HOST: { kind: host, default: '127.0.0.1' },
  PORT: { kind: integer(0, 65_535), default: '8080' },
  PUBLIC_URL: { kind: httpUrl },
  HOSTS: { kind: hostNames },
  BODY_LIMIT: { kind: bytes(1024, 64 * 1024 ** 2), default: '1MiB' },
  BATCH_LIMIT: { kind: bytes(1024, 64 * 1024 ** 2), default: '16MiB' },
  TRUSTED_PROXIES: { kind: networks },
  TENANT_RATE: { kind: integer(0, 1_000_000), default: '0' },
  TENANT_SERVERS: { kind: integer(0, 10_000_000), default: '0' },
  TENANT_SUBSCRIPTIONS: { kind: integer(0, 10_000_000), default: '0' },
  OPERATOR_TOKEN: { kind: headerValue, secret: true },

  DATA_DIR: { kind: text, default: './data' },
  MONGODB_URL: { kind: mongodbUrl, secret: true },

  IDENTITY: { kind: choice('keystone-v2', 'keystone-v3', 'oauth2', 'jwt', 'embedded') },
  IDENTITY_URL: { kind: endpointUrl },
  IDENTITY_ADMIN_TENANT: { kind: text },
  IDENTITY_ADMIN_USER: { kind: text },
  IDENTITY_ADMIN_PASSWORD: { kind: text, secret: true },
  IDENTITY_AUDIENCE: { kind: text },
  IDENTITY_ISSUER: { kind: text },
  IDENTITY_TENANT_CLAIM: { kind: text, default: 'tenant' },
  IDENTITY_USERS: { kind: users, secret: true },
  TOKEN_CACHE_S: { kind: integer(0, day), default: '60' },

  OIDC_ISSUER: { kind: endpointUrl },
  OIDC_CLIENT_ID: { kind: text },
  OIDC_CLIENT_SECRET: { kind: text, secret: true },
  OIDC_SCOPE: { kind: text, default: 'openid profile email' },
  OIDC_OPERATOR_CLAIM: { kind: text },
  OIDC_OPERATOR_VALUE: { kind: text },
  OIDC_SESSION_S: { kind: integer(60, day), default: '43200' },

  FACTS_AUTH: { kind: choice('open', 'token', 'key'), default: 'open' },
  FACTS_KEY: { kind: headerValue, secret: true },
  HDD_READING: { kind: choice('used', 'free'), default: 'used' },
  CLOCK_SKEW_S: { kind: integer(0, 365 * day), default: '300' },
  METRICS: { kind: metricList },
  TREND: { kind: choice('on', 'off'), default: 'on' },
  WINDOW_MAX: { kind: integer(1, 10_000), default: '100' },
  WINDOW_GAP_S: { kind: integer(0, 365 * day), default: '300' },
  SERVER_FORGET_DAYS: { kind: decimal(0, 36_500, 6), default: '0' },
  AUDIT_DAYS: { kind: decimal(0, 36_500, 6), default: '90' },

  BROKER_URL: { kind: httpUrl },
  BROKER_API: { kind: choice('ngsi10', 'ngsiv2', 'ngsi-ld'), default: 'ngsiv2' },
  BROKER_ENTITY_TYPE: { kind: word(256), default: 'host' },
  BROKER_TENANT: { kind: brokerTenant },
  BROKER_SERVICE_PATH: { kind: servicePath, default: '/' },
  BROKER_CONTEXT: { kind: endpointUrl },

  MQTT_URL: { kind: mqttUrl, secret: true },
  MQTT_CLIENT_ID: { kind: mqttName },
  MQTT_GROUP: { kind: mqttName, default: 'mirzam' },
  MQTT_SESSION_S: { kind: integer(0, 365 * day), default: '86400' },

  WEBHOOK_SECRET: { kind: webhookSecret, secret: true },
  WEBHOOK_TARGETS: { kind: origins },
  DELIVERY_GIVE_UP_S: { kind: integer(1, 365 * day), default: '86400' },
  ALERT_RESEND_S: { kind: integer(1, day), default: '60' },
  DEAD_LETTER_DAYS: { kind: decimal(0.000001, 36_500, 6), default: '30' },

  SMTP_URL: { kind: smtpUrl, secret: true },
  MAIL_FROM: { kind: mailbox, default: 'mirzam@localhost' },
  MAIL_INTERVAL_S: { kind: integer(0, 30 * day), default: '300' },
  MAIL_TIMEZONE: { kind: timeZone },

  LEDGER: { kind: choice('on', 'off'), default: 'on' },
  CHAIN_RPC_URL: { kind: rpcUrl, secret: true },
  CHAIN_CONTRACT: { kind: chainAddress },
  LEDGER_AUTH: { kind: choice('open', 'token'), default: 'open' },
  LEDGER_CONFIRMATIONS: { kind: integer(1, 1000), default: '1' },
  LEDGER_WAIT_S: { kind: integer(1, 600), default: '30' },
  LEDGER_FINALITY: { kind: integer(1, 10_000), default: '12' },
  LEDGER_PROOFS: { kind: choice('demand', 'always'), default: 'demand' },
  EXPLORER_URL: { kind: explorerUrl },
  IDEMPOTENCY_TTL_S: { kind: integer(1, 365 * day), default: '604800' },

  DEFAULT_ACCOUNT: { kind: choice('on', 'off') },
  DEFAULT_ACCOUNT_KEY: { kind: privateKey, secret: true },
  WALLET_ADDRESSES: { kind: urlPrefixes },
  WALLET_DEV_TOKEN: { kind: headerValue, secret: true },
  GAS_PRICE_FACTOR: { kind: decimal(0, 100), default: '1.2' },
  GAS_LIMIT: { kind: integer(21_000, 1_000_000_000) },
  GAS_BUMP_AFTER_S: { kind: decimal(0, day), default: '60' },
  GAS_PRICE_MAX: { kind: wei },

  BROKER_MIRROR_URL: { kind: httpUrl },

  TRACING: { kind: choice('on', 'off'), default: 'off' },
  OTEL_EXPORTER_OTLP_ENDPOINT: { kind: httpUrl, default: 'http://localhost:4318' },
  OTEL_EXPORTER_OTLP_HEADERS: { kind: headerPairs, secret: true },
  OTEL_TRACES_SAMPLER: {
    kind: choice(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    default: 'parentbased_always_on',
  },
  OTEL_TRACES_SAMPLER_ARG: { kind: decimal(0, 1, 6), default: '1' },
  OTEL_SERVICE_NAME: { kind: text, default: 'mirzam' },
} as const satisfies Readonly<Record<string, Setting>>;

/** Name of a setting. */
export type SettingName = keyof typeof settings;

type ValueOf<S> = S extends { readonly kind: Kind<infer T> }
  ? S extends { readonly default: string }
    ? T
    : T | undefined
  : never;

/** Each setting's value: its text in the environment or its default, parsed; undefined without either. */
export type Values = { readonly [N in SettingName]: ValueOf<(typeof settings)[N]> };
