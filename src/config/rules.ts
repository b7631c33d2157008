import type { User } from './kinds.js';
import type { SettingName, Values } from './settings.js';

/** A rule about settings that are fine alone. */
interface Rule {
  /** The settings it looks at. It is not asked where one of them is wrong itself. */
  readonly about: readonly SettingName[];
  /** A sentence that names the settings and says what to do; undefined where there is nothing to say. */
  readonly says: (values: Values) => string | undefined;
}

/** The identity service that is meant: without IDENTITY, an address means Keystone. */
export function identityKind(values: Values): NonNullable<Values['IDENTITY']> {
  return values.IDENTITY ?? (values.IDENTITY_URL === undefined ? 'embedded' : 'keystone-v2');
}

/** Settings that cannot be used together. */
const contradictions: readonly Rule[] = [
  {
    about: ['IDENTITY', 'IDENTITY_URL'],
    says: (values) =>
      identityKind(values) !== 'embedded' && values.IDENTITY_URL === undefined
        ? `IDENTITY_URL is missing: IDENTITY=${identityKind(values)} needs the address of the identity service`
        : undefined,
  },
  {
    about: ['NODE_ENV', 'IDENTITY', 'IDENTITY_URL', 'IDENTITY_USERS'],
    says: (values) =>
      values.NODE_ENV === 'production' &&
      identityKind(values) === 'embedded' &&
      values.IDENTITY_USERS.some(isDemo)
        ? 'IDENTITY_USERS: production refuses the demo user; name your own users, or an identity service in IDENTITY_URL'
        : undefined,
  },
  {
    about: ['FACTS_AUTH', 'FACTS_KEY'],
    says: (values) =>
      values.FACTS_AUTH === 'key' && values.FACTS_KEY === undefined
        ? 'FACTS_KEY is missing: FACTS_AUTH=key needs the secret that brokers send in X-Facts-Key'
        : undefined,
  },
  {
    about: ['FACTS_AUTH', 'BROKER_URL', 'BROKER_API'],
    says: (values) =>
      values.BROKER_URL !== undefined && values.FACTS_AUTH === 'key' && values.BROKER_API === 'ngsi10'
        ? 'BROKER_API=ngsi10 cannot send a key along, so FACTS_AUTH=key would shut the broker out; use ngsiv2 or ngsi-ld, or another FACTS_AUTH'
        : undefined,
  },
];

/** Settings that work and are hardly meant: a sentence that names them, or undefined. */
const doubts: readonly ((values: Values) => string | undefined)[] = [
  (values) => {
    const missing = adminSettings(values).filter((name) => values[name] === undefined);
    return missing.length === 0
      ? undefined
      : `${missing.join(' and ')} not set: IDENTITY=${identityKind(values)} cannot check tokens without, they are answered with 503`;
  },
  (values) =>
    values.NODE_ENV === 'production' && identityKind(values) === 'embedded'
      ? 'IDENTITY is embedded: this service itself issues the tokens, to the users in IDENTITY_USERS'
      : undefined,
  (values) =>
    values.NODE_ENV === 'production' && values.SMTP_URL === undefined
      ? 'SMTP_URL is not set: mails of notify-email rules become dead letters'
      : undefined,
  (values) =>
    values.NODE_ENV === 'production' && values.FACTS_AUTH === 'open'
      ? 'FACTS_AUTH is open: whoever reaches the port can send measurements for a known tenant'
      : undefined,
  (values) =>
    values.BROKER_URL !== undefined && values.FACTS_AUTH === 'token'
      ? 'FACTS_AUTH=token shuts a broker out that sends no token of the tenant; FACTS_AUTH=key lets it in by a key'
      : undefined,
  (values) =>
    isWildcard(values.HOST) && values.PUBLIC_URL === undefined
      ? 'PUBLIC_URL is not set: others are told http://localhost, which only this machine can reach'
      : undefined,
];

/** What makes the settings unusable together; `wrong` are those that are unusable alone. */
export function faultsAmong(values: Values, wrong: ReadonlySet<SettingName>): string[] {
  return contradictions.flatMap(({ about, says }) =>
    about.some((name) => wrong.has(name)) ? [] : (says(values) ?? []),
  );
}

/** What is to be said at start of settings that can be used. */
export function warningsAmong(values: Values): string[] {
  return doubts.flatMap((doubt) => doubt(values) ?? []);
}

/** True for addresses that mean every interface of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function isDemo({ tenant, user, password }: User): boolean {
  return [tenant, user, password].every((word) => word === 'demo');
}

function adminSettings(values: Values) {
  const account = ['IDENTITY_ADMIN_USER', 'IDENTITY_ADMIN_PASSWORD'] as const;
  switch (identityKind(values)) {
    case 'keystone-v2':
    case 'keystone-v3':
      return ['IDENTITY_ADMIN_TENANT', ...account] as const;
    case 'oauth2':
      return account;
    case 'jwt':
    case 'embedded':
      return [];
  }
}
