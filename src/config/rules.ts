import type { User } from './kinds.js';
import { isLoopback, isWildcard } from './hosts.js';
import type { SettingName, Values } from './settings.js';

/** A combination of settings that prevents the start, or causes a warning. */
interface Combination {
  readonly when: (values: Values) => boolean;
  /** A sentence that names the settings and the remedy. */
  readonly says: string | ((values: Values) => string);
}

/** `about`: the settings of the combination. It is skipped if one of them is faulty. */
type Contradiction = Combination & { readonly about: readonly SettingName[] };

/** Returns the kind of the identity service. Without IDENTITY, IDENTITY_URL implies Keystone v2. */
export function identityKind(values: Values): NonNullable<Values['IDENTITY']> {
  return values.IDENTITY ?? (values.IDENTITY_URL === undefined ? 'embedded' : 'keystone-v2');
}

/** Returns the users of the embedded identity: without IDENTITY_USERS the demo user. */
export function embeddedUsers(values: Values): readonly User[] {
  return values.IDENTITY_USERS ?? [{ tenant: 'demo', user: 'demo', password: 'demo' }];
}

/** Returns true if the default account is on. Default: on, off in production. */
export function isDefaultAccountOn(values: Values): boolean {
  return (values.DEFAULT_ACCOUNT ?? (values.NODE_ENV === 'production' ? 'off' : 'on')) === 'on';
}

/** Combinations of settings that prevent the start. */
const contradictions: readonly Contradiction[] = [
  {
    about: ['IDENTITY', 'IDENTITY_URL'],
    when: (values) => identityKind(values) !== 'embedded' && values.IDENTITY_URL === undefined,
    says: (values) =>
      `IDENTITY_URL is missing: IDENTITY=${identityKind(values)} needs the address of the identity service`,
  },
  {
    about: ['IDENTITY', 'IDENTITY_AUDIENCE'],
    when: (values) => values.IDENTITY === 'jwt' && values.IDENTITY_AUDIENCE === undefined,
    says: 'IDENTITY_AUDIENCE is missing: IDENTITY=jwt needs the `aud` of tokens for this service; without it tokens for other applications of the issuer would be accepted',
  },
  {
    about: ['IDENTITY', 'IDENTITY_ISSUER'],
    when: (values) => values.IDENTITY === 'jwt' && values.IDENTITY_ISSUER === undefined,
    says: 'IDENTITY_ISSUER is missing: IDENTITY=jwt needs the `iss` of tokens',
  },
  {
    about: ['NODE_ENV', 'IDENTITY', 'IDENTITY_URL', 'IDENTITY_USERS'],
    when: (values) =>
      values.NODE_ENV === 'production' &&
      identityKind(values) === 'embedded' &&
      embeddedUsers(values).some(isDemo),
    says: 'IDENTITY_USERS: production refuses the demo user; name your own users, or an identity service in IDENTITY_URL',
  },
  {
    about: ['NODE_ENV', 'HOST', 'IDENTITY', 'IDENTITY_URL', 'IDENTITY_USERS'],
    when: (values) =>
      values.NODE_ENV !== 'production' &&
      !isLoopback(values.HOST) &&
      identityKind(values) === 'embedded' &&
      values.IDENTITY_USERS === undefined,
    says: (values) =>
      `IDENTITY_USERS is missing: others reach HOST=${values.HOST}, and the demo user is for this machine alone; name your own users as tenant:user:password, or demo:demo:demo if that is meant`,
  },
  {
    about: ['NODE_ENV', 'HOST', 'OPERATOR_TOKEN'],
    when: ({ NODE_ENV, HOST, OPERATOR_TOKEN = '' }) =>
      (NODE_ENV === 'production' || !isLoopback(HOST)) && OPERATOR_TOKEN.length < OPERATOR_TOKEN_LENGTH,
    says: operatorTokenFault,
  },
  {
    about: ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
    when: (values) => values.OIDC_ISSUER !== undefined && values.OIDC_CLIENT_ID === undefined,
    says: 'OIDC_CLIENT_ID is missing: OIDC_ISSUER needs the id of this service at the OpenID provider',
  },
  {
    about: ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
    when: (values) => values.OIDC_ISSUER === undefined && values.OIDC_CLIENT_ID !== undefined,
    says: 'OIDC_ISSUER is missing: OIDC_CLIENT_ID needs the address of the OpenID provider',
  },
  {
    about: ['OIDC_SCOPE'],
    when: (values) => !values.OIDC_SCOPE.split(' ').includes('openid'),
    says: 'OIDC_SCOPE must contain openid: without it the OpenID provider issues no ID token',
  },
  {
    about: ['OIDC_OPERATOR_CLAIM', 'OIDC_OPERATOR_VALUE'],
    when: (values) =>
      (values.OIDC_OPERATOR_CLAIM === undefined) !== (values.OIDC_OPERATOR_VALUE === undefined),
    says: 'OIDC_OPERATOR_CLAIM and OIDC_OPERATOR_VALUE belong together: the claim, and the value that operators have in it',
  },
  {
    about: ['NODE_ENV', 'OIDC_ISSUER'],
    when: (values) => values.NODE_ENV === 'production' && values.OIDC_ISSUER?.startsWith('https:') === false,
    says: 'OIDC_ISSUER must begin with https:// in production: over http anybody on the way could log in as anybody',
  },
  {
    about: ['NODE_ENV', 'OIDC_ISSUER', 'PUBLIC_URL'],
    when: (values) =>
      values.NODE_ENV === 'production' && values.OIDC_ISSUER !== undefined && values.PUBLIC_URL === undefined,
    says: 'PUBLIC_URL is missing: the OpenID provider of OIDC_ISSUER sends browsers back to PUBLIC_URL/console/login/callback',
  },
  {
    about: ['FACTS_AUTH', 'FACTS_KEY'],
    when: (values) => values.FACTS_AUTH === 'key' && values.FACTS_KEY === undefined,
    says: 'FACTS_KEY is missing: FACTS_AUTH=key needs the secret that brokers send in X-Facts-Key',
  },
  {
    about: ['FACTS_AUTH', 'BROKER_URL', 'BROKER_API'],
    when: (values) =>
      values.BROKER_URL !== undefined && values.FACTS_AUTH === 'key' && values.BROKER_API === 'ngsi10',
    says: 'BROKER_API=ngsi10 cannot send a key, so FACTS_AUTH=key would refuse the broker; use ngsiv2 or ngsi-ld, or another FACTS_AUTH',
  },
  {
    about: ['CHAIN_RPC_URL', 'CHAIN_CONTRACT'],
    when: (values) => values.CHAIN_RPC_URL !== undefined && values.CHAIN_CONTRACT === undefined,
    says: 'CHAIN_CONTRACT is missing: CHAIN_RPC_URL needs the address of the contract on that chain',
  },
  {
    about: ['CHAIN_RPC_URL', 'CHAIN_CONTRACT'],
    when: (values) => values.CHAIN_RPC_URL === undefined && values.CHAIN_CONTRACT !== undefined,
    says: 'CHAIN_RPC_URL is missing: CHAIN_CONTRACT needs the address of a node of its chain',
  },
  {
    about: ['LEDGER_CONFIRMATIONS', 'LEDGER_FINALITY'],
    when: (values) => values.LEDGER_CONFIRMATIONS > values.LEDGER_FINALITY,
    says: (values) =>
      `LEDGER_FINALITY must not be smaller than LEDGER_CONFIRMATIONS, ${values.LEDGER_CONFIRMATIONS}: what is answered would be final before`,
  },
  {
    about: ['NODE_ENV', 'DEFAULT_ACCOUNT', 'DEFAULT_ACCOUNT_KEY'],
    when: (values) =>
      values.NODE_ENV === 'production' &&
      isDefaultAccountOn(values) &&
      values.DEFAULT_ACCOUNT_KEY === undefined,
    says: 'DEFAULT_ACCOUNT_KEY is missing: production needs the private key of the account that DEFAULT_ACCOUNT=on lets sign',
  },
];

/** Combinations of settings that work but are probably unintended. */
const doubts: readonly Combination[] = [
  {
    when: (values) => missingAdminSettings(values).length > 0,
    says: (values) =>
      `${missingAdminSettings(values).join(' and ')} not set: IDENTITY=${identityKind(values)} can check no token, and requests that need one are answered with 503`,
  },
  {
    when: (values) => values.NODE_ENV === 'production' && identityKind(values) === 'embedded',
    says: 'IDENTITY is embedded: this service itself issues the tokens, to the users in IDENTITY_USERS',
  },
  {
    when: (values) => values.NODE_ENV === 'production' && values.SMTP_URL === undefined,
    says: 'SMTP_URL is not set: mails of notify-email rules become dead letters',
  },
  {
    when: (values) => values.NODE_ENV === 'production' && values.FACTS_AUTH === 'open',
    says: 'FACTS_AUTH is open: everyone who reaches the port can send measurements for a known tenant',
  },
  {
    when: (values) =>
      values.OIDC_ISSUER === undefined &&
      (values.OIDC_CLIENT_SECRET !== undefined || values.OIDC_OPERATOR_CLAIM !== undefined),
    says: 'OIDC_… settings have no effect: OIDC_ISSUER is not set',
  },
  {
    when: (values) => values.BROKER_URL !== undefined && values.FACTS_AUTH === 'token',
    says: 'FACTS_AUTH=token refuses a broker that sends no token of the tenant; FACTS_AUTH=key accepts it with a key',
  },
  {
    when: (values) =>
      values.BROKER_URL !== undefined &&
      values.BROKER_API === 'ngsi-ld' &&
      values.BROKER_SERVICE_PATH !== '/',
    says: 'BROKER_SERVICE_PATH has no effect: BROKER_API=ngsi-ld has no service paths',
  },
  {
    when: (values) => values.BROKER_CONTEXT !== undefined && values.BROKER_API !== 'ngsi-ld',
    says: (values) => `BROKER_CONTEXT has no effect: BROKER_API=${values.BROKER_API} has no JSON-LD contexts`,
  },
  {
    when: (values) => values.NODE_ENV === 'production' && hasClearCredentials(values.MQTT_URL),
    says: 'MQTT_URL is not mqtts: the password and the measurements cross the network in clear text',
  },
  {
    when: (values) => isWildcard(values.HOST) && values.PUBLIC_URL === undefined,
    says: 'PUBLIC_URL is not set: callbacks and mails contain an address on localhost, which only this machine can reach',
  },
  {
    when: (values) =>
      values.LEDGER === 'on' && values.NODE_ENV === 'production' && values.CHAIN_RPC_URL === undefined,
    says: 'CHAIN_RPC_URL is not set: the ledger is not served, its paths are answered with 404',
  },
  {
    when: (values) =>
      values.LEDGER === 'on' &&
      values.NODE_ENV !== 'production' &&
      values.CHAIN_RPC_URL === undefined &&
      values.MONGODB_URL !== undefined,
    says: 'CHAIN_RPC_URL is not set: each node of the service has a chain of its own, although they share MONGODB_URL',
  },
  {
    when: (values) =>
      values.NODE_ENV === 'production' &&
      values.CHAIN_RPC_URL !== undefined &&
      values.WALLET_ADDRESSES === undefined,
    says: 'WALLET_ADDRESSES is not set: every wallet that a caller names is refused',
  },
  {
    when: (values) =>
      values.NODE_ENV === 'production' && isDefaultAccountOn(values) && values.LEDGER_AUTH === 'open',
    says: 'DEFAULT_ACCOUNT is on and LEDGER_AUTH open: everyone who reaches the port can sign with that account',
  },
  {
    when: (values) => values.DEFAULT_ACCOUNT_KEY !== undefined && !isDefaultAccountOn(values),
    says: 'DEFAULT_ACCOUNT_KEY is set and not used, because DEFAULT_ACCOUNT is off',
  },
  {
    when: (values) => values.NODE_ENV === 'production' && values.HOSTS !== undefined,
    says: 'HOSTS is set and not used: production answers to any name',
  },
  {
    when: (values) => values.NODE_ENV === 'production' && values.WALLET_DEV_TOKEN !== undefined,
    says: 'WALLET_DEV_TOKEN is set and not used: production has no wallet in the process',
  },
];

/** Returns the faults in combinations of settings. `wrong`: settings that are faulty alone. */
export function faultsAmong(values: Values, wrong: ReadonlySet<SettingName>): string[] {
  const usable = contradictions.filter(({ about }) => !about.some((name) => wrong.has(name)));
  return textsOf(usable, values);
}

/** Returns the warnings about usable settings. */
export function warningsAmong(values: Values): string[] {
  return textsOf(doubts, values);
}

function textsOf(combinations: readonly Combination[], values: Values): string[] {
  return combinations
    .filter(({ when }) => when(values))
    .map(({ says }) => (typeof says === 'string' ? says : says(values)));
}

/** Least length of an OPERATOR_TOKEN on a reachable address. */
const OPERATOR_TOKEN_LENGTH = 32;

function operatorTokenFault({ NODE_ENV, HOST, OPERATOR_TOKEN }: Values): string {
  const what = OPERATOR_TOKEN === undefined ? 'is missing' : 'is too short';
  const where = NODE_ENV === 'production' ? 'production' : `HOST=${HOST}, which others reach,`;
  return (
    `OPERATOR_TOKEN ${what}: ${where} needs one of at least ${OPERATOR_TOKEN_LENGTH} characters; ` +
    `make one with: node -p 'crypto.randomBytes(32).toString("hex")'`
  );
}

function isDemo({ tenant, user, password }: User): boolean {
  return [tenant, user, password].every((word) => word === 'demo');
}

/** True for an MQTT broker on another machine that gets a password without TLS. */
function hasClearCredentials(url: string | undefined): boolean {
  if (url === undefined) return false;
  const { protocol, password, hostname } = new URL(url);
  return protocol === 'mqtt:' && password !== '' && !isLoopback(hostname);
}

const ADMIN_ACCOUNT = ['IDENTITY_ADMIN_USER', 'IDENTITY_ADMIN_PASSWORD'] as const;

/** The settings of the account that checks tokens, by the kind of the identity service. */
const ADMIN_SETTINGS: Readonly<Record<NonNullable<Values['IDENTITY']>, readonly SettingName[]>> = {
  'keystone-v2': ['IDENTITY_ADMIN_TENANT', ...ADMIN_ACCOUNT],
  'keystone-v3': ['IDENTITY_ADMIN_TENANT', ...ADMIN_ACCOUNT],
  oauth2: ADMIN_ACCOUNT,
  jwt: [],
  embedded: [],
};

/** Returns those of these settings that are not set. */
function missingAdminSettings(values: Values): readonly SettingName[] {
  return ADMIN_SETTINGS[identityKind(values)].filter((name) => values[name] === undefined);
}
