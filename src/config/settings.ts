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
import { hostNames } from './host-names.js';
import { ledgerSettings } from './ledger-settings.js';
import { networks } from './networks.js';
import type { Setting } from './setting.js';

const day = 86_400;

/** Every setting there is: one row here, one row in docs/settings.md. */
export const settings = {
  NODE_ENV: {
    kind: choice('production', 'development', 'test'),
    default: 'development',
    about: '`production` refuses what is only fit for trying out: the demo user, targets inside the network.',
  },
  LOG_LEVEL: {
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    about: 'The least severe messages that are logged.',
  },

  HOST: {
    kind: host,
    default: '127.0.0.1',
    about: 'Address to listen on; `0.0.0.0` for every IPv4 address.',
  },
  PORT: { kind: integer(0, 65_535), default: '8080', about: 'Port to listen on; 0 takes a free one.' },
  PUBLIC_URL: {
    kind: httpUrl,
    unset: '`http://localhost:PORT` where `HOST` is a loopback or wildcard address, else `http://HOST:PORT`',
    about: 'Under which address others reach the service: in callbacks at the broker, in mails, in `doc`.',
  },
  HOSTS: {
    kind: hostNames,
    unset: 'none',
    about:
      'Further names that the service is asked by, outside production: it answers to IP addresses, loopback names, the host of `PUBLIC_URL` and these, and to others with 421.',
  },
  BODY_LIMIT: {
    kind: bytes(1024, 64 * 1024 ** 2),
    default: '1MiB',
    about: 'Longest body of a request, after inflating.',
  },
  TRUSTED_PROXIES: {
    kind: networks,
    unset: 'none',
    about: 'Proxies whose `X-Forwarded-For` says which client a request is counted for.',
  },
  OPERATOR_TOKEN: {
    kind: headerValue,
    unset: 'none: operators are let in from this machine only',
    about:
      'Secret that the pages and figures for operators ask for. Production needs it, and so does a `HOST` that is no loopback address: in at least 32 characters.',
    secret: true,
  },

  DATA_DIR: {
    kind: text,
    default: './data',
    about: 'Folder of the embedded store, made when it is not there, and closed to other users.',
  },
  MONGODB_URL: {
    kind: mongodbUrl,
    unset: 'the embedded store in `DATA_DIR`',
    about: 'Database to use instead of the embedded store, shared by any number of nodes.',
    secret: true,
  },

  IDENTITY: {
    kind: choice('keystone-v2', 'keystone-v3', 'oauth2', 'jwt', 'embedded'),
    unset: '`keystone-v2` where `IDENTITY_URL` is set, else `embedded`',
    about: 'Who judges tokens. Every kind but `embedded` needs `IDENTITY_URL`.',
  },
  IDENTITY_URL: {
    kind: endpointUrl,
    unset: 'none',
    about:
      'Keystone: its base address with the version. `oauth2`: the introspection endpoint. `jwt`: the JWKS.',
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
    about: '`jwt`, which needs it: what `aud` of a token must be, or hold. Tokens for others are refused.',
  },
  IDENTITY_ISSUER: {
    kind: text,
    unset: 'none',
    about: '`jwt`, which needs it: what `iss` of a token must be.',
  },
  IDENTITY_TENANT_CLAIM: {
    kind: text,
    default: 'tenant',
    about: '`jwt`: the claim that holds the tenant, a plain text. A token without it is refused.',
  },
  IDENTITY_USERS: {
    kind: users,
    unset: '`demo:demo:demo`, where `HOST` is a loopback address and not in production',
    about: 'Who gets tokens from the `embedded` identity. Production refuses `demo:demo:demo`.',
    secret: true,
  },
  TOKEN_CACHE_S: {
    kind: integer(0, day),
    default: '60',
    about:
      'Seconds for which a valid token is not asked about again, never beyond its end; 0 asks every time.',
  },

  FACTS_AUTH: {
    kind: choice('open', 'token', 'key'),
    default: 'open',
    about:
      'What operation 1 asks for: nothing, a token as operations 2 to 17 do, or `FACTS_KEY` in `X-Facts-Key`.',
  },
  FACTS_KEY: {
    kind: headerValue,
    unset: 'none',
    about: 'The secret for `FACTS_AUTH=key`, which needs it.',
    secret: true,
  },
  HDD_READING: {
    kind: choice('used', 'free'),
    default: 'used',
    about: 'Whether `hdd` conditions compare `100 - freeSpacePct`, or the raw figure of `freeSpacePct`.',
  },
  WINDOW_MAX: {
    kind: integer(1, 10_000),
    default: '100',
    about: 'The largest `windowsize` that a tenant may ask for.',
  },
  WINDOW_GAP_S: {
    kind: integer(0, 365 * day),
    default: '300',
    about: 'A pause of more than this many seconds between two values empties their window; 0 never does.',
  },

  BROKER_URL: {
    kind: httpUrl,
    unset: 'no broker: the service makes the ids of subscriptions',
    about: 'Context broker at which every policy subscription gets one of its own.',
  },
  BROKER_API: {
    kind: choice('ngsi10', 'ngsiv2', 'ngsi-ld'),
    default: 'ngsi10',
    about: "The broker's subscription API.",
  },

  WEBHOOK_SECRET: {
    kind: webhookSecret,
    unset: 'one that is made at the first start and kept in the store',
    about:
      "Secret that every tenant's own webhook secret is derived from, at best 32 random characters or more. Another one gives every tenant another secret at once.",
    secret: true,
  },
  WEBHOOK_TARGETS: {
    kind: origins,
    unset: 'none',
    about: 'Origins inside the network to which webhooks may go although they are inside.',
  },
  DELIVERY_GIVE_UP_S: {
    kind: integer(1, 365 * day),
    default: '86400',
    about: 'Seconds after which a webhook or mail that still fails becomes a dead letter.',
  },
  DEAD_LETTER_DAYS: {
    kind: decimal(0.000001, 36_500, 6),
    default: '30',
    about:
      'Days for which a dead letter is kept, fractions allowed; at most 1,000 are kept for a subscription.',
  },

  SMTP_URL: {
    kind: smtpUrl,
    unset: 'an inbox in the process, for looking at; in production mails become dead letters',
    about: 'Server that takes the mails of `notify-email` rules.',
    secret: true,
  },
  MAIL_FROM: { kind: mailbox, default: 'mirzam@localhost', about: 'Sender of the mails.' },
  MAIL_INTERVAL_S: {
    kind: integer(0, 30 * day),
    default: '300',
    about: 'At most one mail in this many seconds for one subscription; 0 sends one for every firing.',
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

/** Each setting's value: its text in the environment or its default, parsed; undefined where there is neither. */
export type Values = { readonly [N in SettingName]: ValueOf<(typeof settings)[N]> };
