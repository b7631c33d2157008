import {
  bytes,
  choice,
  decimal,
  endpointUrl,
  headerValue,
  host,
  httpUrl,
  integer,
  mailbox,
  mongodbUrl,
  origins,
  smtpUrl,
  text,
  users,
  webhookSecret,
  type Kind,
} from './kinds.js';
import { brokerSettings } from './broker-settings.js';
import { ledgerSettings } from './ledger-settings.js';
import { hostNames, networks } from './hosts.js';
import { metricList } from './metrics.js';
import type { Setting } from './setting.js';

const day = 86_400;

/** Every setting there is: one row here, one row in docs/settings.md. */
export const settings = {
  NODE_ENV: {
    kind: choice('production', 'development', 'test'),
    default: 'development',
    about: '`production` refuses what is only fit for trials: the demo user, targets inside the network.',
  },
  LOG_LEVEL: {
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    about: 'Least severe level that is logged.',
  },

  HOST: {
    kind: host,
    default: '127.0.0.1',
    about: 'Address to listen on; `0.0.0.0` for every IPv4 address.',
  },
  PORT: { kind: integer(0, 65_535), default: '8080', about: 'Port to listen on; 0 takes a free one.' },
  PUBLIC_URL: {
    kind: httpUrl,
    unset:
      '`http://localhost:PORT` if `HOST` is a loopback or wildcard address, otherwise `http://HOST:PORT`',
    about:
      'Address at which others reach the service. It is used in callbacks at the broker, in mails and in `doc`. With https, the cookie of the console is `Secure`.',
  },
  HOSTS: {
    kind: hostNames,
    unset: 'none',
    about:
      'Further host names of the service, outside production. It answers to these, to IP addresses, loopback names and the host of `PUBLIC_URL`. Other hosts get 421.',
  },
  BODY_LIMIT: {
    kind: bytes(1024, 64 * 1024 ** 2),
    default: '1MiB',
    about: 'Longest body of a request after decompression.',
  },
  BATCH_LIMIT: {
    kind: bytes(1024, 64 * 1024 ** 2),
    default: '16MiB',
    about: 'Longest body of a batch of entities, and of a backtest, after decompression.',
  },
  TRUSTED_PROXIES: {
    kind: networks,
    unset: 'none',
    about:
      'Proxies whose `X-Forwarded-For` names the client that a request counts for, and whose `X-Forwarded-Proto` says whether that client uses https.',
  },
  OPERATOR_TOKEN: {
    kind: headerValue,
    unset: 'none: operators have access from this machine only',
    about:
      'Token for the paths and metrics of operators, and for their login at the console. Production and every `HOST` that is no loopback address require it, with at least 32 characters.',
    secret: true,
  },

  DATA_DIR: {
    kind: text,
    default: './data',
    about: 'Folder of the embedded store. The start creates it if necessary, and closes it to other users.',
  },
  MONGODB_URL: {
    kind: mongodbUrl,
    unset: 'the embedded store in `DATA_DIR`',
    about: 'Database in place of the embedded store. Any number of nodes may share it.',
    secret: true,
  },

  IDENTITY: {
    kind: choice('keystone-v2', 'keystone-v3', 'oauth2', 'jwt', 'embedded'),
    unset: '`keystone-v2` if `IDENTITY_URL` is set, otherwise `embedded`',
    about: 'Kind of identity service that checks tokens. All but `embedded` need `IDENTITY_URL`.',
  },
  IDENTITY_URL: {
    kind: endpointUrl,
    unset: 'none',
    about:
      'Keystone: the base address with the version. `oauth2`: the introspection endpoint. `jwt`: the JWKS.',
  },
  IDENTITY_ADMIN_TENANT: {
    kind: text,
    unset: 'none',
    about: "Keystone: the tenant or project of the service's own account.",
  },
  IDENTITY_ADMIN_USER: {
    kind: text,
    unset: 'none',
    about: "Keystone: the service's own account. `oauth2`: the client id.",
  },
  IDENTITY_ADMIN_PASSWORD: {
    kind: text,
    unset: 'none',
    about: "Keystone: the account's password. `oauth2`: the client secret.",
    secret: true,
  },
  IDENTITY_AUDIENCE: {
    kind: text,
    unset: 'none',
    about:
      "Required for `jwt`: the value that a token's `aud` must be, or contain. Other tokens are refused.",
  },
  IDENTITY_ISSUER: {
    kind: text,
    unset: 'none',
    about: "Required for `jwt`: the value that a token's `iss` must be.",
  },
  IDENTITY_TENANT_CLAIM: {
    kind: text,
    default: 'tenant',
    about: '`jwt`: the claim with the tenant, a plain string. A token without it is refused.',
  },
  IDENTITY_USERS: {
    kind: users,
    unset: '`demo:demo:demo` if `HOST` is a loopback address, outside production',
    about: 'Users of the `embedded` identity. Production refuses `demo:demo:demo`.',
    secret: true,
  },
  TOKEN_CACHE_S: {
    kind: integer(0, day),
    default: '60',
    about: 'Seconds for which a valid token is cached, never beyond its end; 0 caches none.',
  },

  FACTS_AUTH: {
    kind: choice('open', 'token', 'key'),
    default: 'open',
    about:
      'What operation 1 and `/notify` require: nothing, a token as operations 2 to 17 do, or `FACTS_KEY` in `X-Facts-Key`.',
  },
  FACTS_KEY: {
    kind: headerValue,
    unset: 'none',
    about: 'Required for `FACTS_AUTH=key`: the key.',
    secret: true,
  },
  HDD_READING: {
    kind: choice('used', 'free'),
    default: 'used',
    about:
      'Value that `hdd` conditions compare: `100 - freeSpacePct` (`used`), or `freeSpacePct` itself (`free`).',
  },
  CLOCK_SKEW_S: {
    kind: integer(0, 365 * day),
    default: '300',
    about:
      'Seconds by which a time that came with a value may lie after its arrival. A value with a later time counts, and holds back no other. 0 believes any time.',
  },
  METRICS: {
    kind: metricList,
    unset: 'none',
    about:
      'Metrics that conditions may name beside cpu, mem, hdd and net: attributes of facts, with a range of allowed values or without. `*` allows every name.',
  },
  WINDOW_MAX: {
    kind: integer(1, 10_000),
    default: '100',
    about: 'Largest `windowsize` that a tenant may set.',
  },
  WINDOW_GAP_S: {
    kind: integer(0, 365 * day),
    default: '300',
    about: 'Seconds: a longer pause between two values empties their window. 0 never does.',
  },

  ...brokerSettings,

  WEBHOOK_SECRET: {
    kind: webhookSecret,
    unset: 'one that the first start makes and stores',
    about:
      "Master secret from which each tenant's webhook secret derives; use 32 random characters or more. A change replaces every tenant's secret at once.",
    secret: true,
  },
  WEBHOOK_TARGETS: {
    kind: origins,
    unset: 'none',
    about: 'Origins inside the network that webhooks may call.',
  },
  DELIVERY_GIVE_UP_S: {
    kind: integer(1, 365 * day),
    default: '86400',
    about:
      'Seconds after which a failing webhook or mail becomes a dead letter. The time behind an earlier message of its ' +
      'subscription does not count.',
  },
  DEAD_LETTER_DAYS: {
    kind: decimal(0.000001, 36_500, 6),
    default: '30',
    about: 'Days for which a dead letter is kept, fractions allowed. A subscription keeps at most 1,000.',
  },

  SMTP_URL: {
    kind: smtpUrl,
    unset: 'an inbox in the process; in production mails become dead letters',
    about: 'Mail server for the mails of `notify-email` rules.',
    secret: true,
  },
  MAIL_FROM: { kind: mailbox, default: 'mirzam@localhost', about: 'Sender of the mails.' },
  MAIL_INTERVAL_S: {
    kind: integer(0, 30 * day),
    default: '300',
    about:
      'Seconds between two mails of one subscription; 0 sends one for every firing. Mails that say `Resolved` or `No data` are sent at once.',
  },

  ...ledgerSettings,
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
