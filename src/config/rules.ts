import type { User } from './kinds.js';
import { isLoopback, isWildcard } from './hosts.js';
import type { SettingName, Values } from './settings.js';

/** A rule on a combination of settings. */
interface Rule {
  /** Settings of the rule. The rule is skipped if one of them is faulty. */
  readonly about: readonly SettingName[];
  /** Returns a sentence that names the settings and the remedy. undefined if the rule is met. */
  readonly faultOf: (values: Values) => string | undefined;
}

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
const contradictions: readonly Rule[] = [
  {
    about: ['IDENTITY', 'IDENTITY_URL'],
    faultOf: (values) =>
      identityKind(values) !== 'embedded' && values.IDENTITY_URL === undefined
        ? `IDENTITY_URL is missing: IDENTITY=${identityKind(values)} needs the address of the identity service`
        : undefined,
  },
  {
    about: ['IDENTITY', 'IDENTITY_AUDIENCE'],
    faultOf: (values) =>
      values.IDENTITY === 'jwt' && values.IDENTITY_AUDIENCE === undefined
        ? 'IDENTITY_AUDIENCE is missing: IDENTITY=jwt needs the `aud` of tokens for this service; without it tokens for other applications of the issuer would be accepted'
        : undefined,
  },
  {
    about: ['IDENTITY', 'IDENTITY_ISSUER'],
    faultOf: (values) =>
      values.IDENTITY === 'jwt' && values.IDENTITY_ISSUER === undefined
        ? 'IDENTITY_ISSUER is missing: IDENTITY=jwt needs the `iss` of tokens'
        : undefined,
  },
  {
    about: ['NODE_ENV', 'IDENTITY', 'IDENTITY_URL', 'IDENTITY_USERS'],
    faultOf: (values) =>
      values.NODE_ENV === 'production' &&
      identityKind(values) === 'embedded' &&
      embeddedUsers(values).some(isDemo)
        ? 'IDENTITY_USERS: production refuses the demo user; name your own users, or an identity service in IDENTITY_URL'
        : undefined,
  },
  {
    about: ['NODE_ENV', 'HOST', 'IDENTITY', 'IDENTITY_URL', 'IDENTITY_USERS'],
    faultOf: (values) =>
      values.NODE_ENV !== 'production' &&
      !isLoopback(values.HOST) &&
      identityKind(values) === 'embedded' &&
      values.IDENTITY_USERS === undefined
        ? `IDENTITY_USERS is missing: others reach HOST=${values.HOST}, and the demo user is for this machine alone; name your own users as tenant:user:password, or demo:demo:demo if that is meant`
        : undefined,
  },
  {
    about: ['NODE_ENV', 'HOST', 'OPERATOR_TOKEN'],
    faultOf: operatorTokenFault,
  },
  {
    about: ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
    faultOf: (values) =>
      values.OIDC_ISSUER !== undefined && values.OIDC_CLIENT_ID === undefined
        ? 'OIDC_CLIENT_ID is missing: OIDC_ISSUER needs the id of this service at the OpenID provider'
        : undefined,
  },
  {
    about: ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
    faultOf: (values) =>
      values.OIDC_ISSUER === undefined && values.OIDC_CLIENT_ID !== undefined
        ? 'OIDC_ISSUER is missing: OIDC_CLIENT_ID needs the address of the OpenID provider'
        : undefined,
  },
  {
    about: ['OIDC_SCOPE'],
    faultOf: (values) =>
      values.OIDC_SCOPE.split(' ').includes('openid')
        ? undefined
        : 'OIDC_SCOPE must contain openid: without it the OpenID provider issues no ID token',
  },
  {
    about: ['OIDC_OPERATOR_CLAIM', 'OIDC_OPERATOR_VALUE'],
    faultOf: (values) =>
      (values.OIDC_OPERATOR_CLAIM === undefined) === (values.OIDC_OPERATOR_VALUE === undefined)
        ? undefined
        : 'OIDC_OPERATOR_CLAIM and OIDC_OPERATOR_VALUE belong together: the claim, and the value that operators have in it',
  },
  {
    about: ['NODE_ENV', 'OIDC_ISSUER'],
    faultOf: (values) =>
      values.NODE_ENV === 'production' && values.OIDC_ISSUER?.startsWith('https:') === false
        ? 'OIDC_ISSUER must begin with https:// in production: over http anybody on the way could log in as anybody'
        : undefined,
  },
  {
    about: ['NODE_ENV', 'OIDC_ISSUER', 'PUBLIC_URL'],
    faultOf: (values) =>
      values.NODE_ENV === 'production' && values.OIDC_ISSUER !== undefined && values.PUBLIC_URL === undefined
        ? 'PUBLIC_URL is missing: the OpenID provider of OIDC_ISSUER sends browsers back to PUBLIC_URL/console/login/callback'
        : undefined,
  },
  {
    about: ['FACTS_AUTH', 'FACTS_KEY'],
    faultOf: (values) =>
      values.FACTS_AUTH === 'key' && values.FACTS_KEY === undefined
        ? 'FACTS_KEY is missing: FACTS_AUTH=key needs the secret that brokers send in X-Facts-Key'
        : undefined,
  },
  {
    about: ['FACTS_AUTH', 'BROKER_URL', 'BROKER_API'],
    faultOf: (values) =>
      values.BROKER_URL !== undefined && values.FACTS_AUTH === 'key' && values.BROKER_API === 'ngsi10'
        ? 'BROKER_API=ngsi10 cannot send a key, so FACTS_AUTH=key would refuse the broker; use ngsiv2 or ngsi-ld, or another FACTS_AUTH'
        : undefined,
  },
  {
    about: ['CHAIN_RPC_URL', 'CHAIN_CONTRACT'],
    faultOf: (values) =>
      values.CHAIN_RPC_URL !== undefined && values.CHAIN_CONTRACT === undefined
        ? 'CHAIN_CONTRACT is missing: CHAIN_RPC_URL needs the address of the contract on that chain'
        : undefined,
  },
  {
    about: ['CHAIN_RPC_URL', 'CHAIN_CONTRACT'],
    faultOf: (values) =>
      values.CHAIN_RPC_URL === undefined && values.CHAIN_CONTRACT !== undefined
        ? 'CHAIN_RPC_URL is missing: CHAIN_CONTRACT needs the address of a node of its chain'
        : undefined,
  },
  {
    about: ['LEDGER_CONFIRMATIONS', 'LEDGER_FINALITY'],
    faultOf: (values) =>
      values.LEDGER_CONFIRMATIONS > values.LEDGER_FINALITY
        ? `LEDGER_FINALITY must not be smaller than LEDGER_CONFIRMATIONS, ${values.LEDGER_CONFIRMATIONS}: what is answered would be final before`
        : undefined,
  },
  {
    about: ['NODE_ENV', 'DEFAULT_ACCOUNT', 'DEFAULT_ACCOUNT_KEY'],
    faultOf: (values) =>
      values.NODE_ENV === 'production' &&
      isDefaultAccountOn(values) &&
      values.DEFAULT_ACCOUNT_KEY === undefined
        ? 'DEFAULT_ACCOUNT_KEY is missing: production needs the private key of the account that DEFAULT_ACCOUNT=on lets sign'
        : undefined,
  },
];

/** Combinations of settings that work but are probably unintended: a sentence that names them, or undefined. */
const doubts: readonly ((values: Values) => string | undefined)[] = [
  (values) => {
    const missing = adminSettings(values).filter((name) => values[name] === undefined);
    return missing.length === 0
      ? undefined
      : `${missing.join(' and ')} not set: IDENTITY=${identityKind(values)} can check no token, and requests that need one are answered with 503`;
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
      ? 'FACTS_AUTH is open: everyone who reaches the port can send measurements for a known tenant'
      : undefined,
  (values) =>
    values.OIDC_ISSUER === undefined &&
    (values.OIDC_CLIENT_SECRET !== undefined || values.OIDC_OPERATOR_CLAIM !== undefined)
      ? 'OIDC_… settings have no effect: OIDC_ISSUER is not set'
      : undefined,
  (values) =>
    values.BROKER_URL !== undefined && values.FACTS_AUTH === 'token'
      ? 'FACTS_AUTH=token refuses a broker that sends no token of the tenant; FACTS_AUTH=key accepts it with a key'
      : undefined,
  (values) =>
    values.BROKER_URL !== undefined && values.BROKER_API === 'ngsi-ld' && values.BROKER_SERVICE_PATH !== '/'
      ? 'BROKER_SERVICE_PATH has no effect: BROKER_API=ngsi-ld has no service paths'
      : undefined,
  (values) =>
    values.BROKER_CONTEXT !== undefined && values.BROKER_API !== 'ngsi-ld'
      ? `BROKER_CONTEXT has no effect: BROKER_API=${values.BROKER_API} has no JSON-LD contexts`
      : undefined,
  (values) =>
    values.NODE_ENV === 'production' && hasClearCredentials(values.MQTT_URL)
      ? 'MQTT_URL is not mqtts: the password and the measurements cross the network in clear text'
      : undefined,
  (values) =>
    isWildcard(values.HOST) && values.PUBLIC_URL === undefined
      ? 'PUBLIC_URL is not set: callbacks and mails contain an address on localhost, which only this machine can reach'
      : undefined,
  (values) =>
    values.LEDGER === 'on' && values.NODE_ENV === 'production' && values.CHAIN_RPC_URL === undefined
      ? 'CHAIN_RPC_URL is not set: the ledger is not served, its paths are answered with 404'
      : undefined,
  (values) =>
    values.LEDGER === 'on' &&
    values.NODE_ENV !== 'production' &&
    values.CHAIN_RPC_URL === undefined &&
    values.MONGODB_URL !== undefined
      ? 'CHAIN_RPC_URL is not set: each node of the service has a chain of its own, although they share MONGODB_URL'
      : undefined,
  (values) =>
    values.NODE_ENV === 'production' &&
    values.CHAIN_RPC_URL !== undefined &&
    values.WALLET_ADDRESSES === undefined
      ? 'WALLET_ADDRESSES is not set: every wallet that a caller names is refused'
      : undefined,
  (values) =>
    values.NODE_ENV === 'production' && isDefaultAccountOn(values) && values.LEDGER_AUTH === 'open'
      ? 'DEFAULT_ACCOUNT is on and LEDGER_AUTH open: everyone who reaches the port can sign with that account'
      : undefined,
  (values) =>
    values.DEFAULT_ACCOUNT_KEY !== undefined && !isDefaultAccountOn(values)
      ? 'DEFAULT_ACCOUNT_KEY is set and not used, because DEFAULT_ACCOUNT is off'
      : undefined,
  (values) =>
    values.NODE_ENV === 'production' && values.HOSTS !== undefined
      ? 'HOSTS is set and not used: production answers to any name'
      : undefined,
  (values) =>
    values.NODE_ENV === 'production' && values.WALLET_DEV_TOKEN !== undefined
      ? 'WALLET_DEV_TOKEN is set and not used: production has no wallet in the process'
      : undefined,
];

/** Returns the faults in combinations of settings. `wrong`: settings that are faulty alone. */
export function faultsAmong(values: Values, wrong: ReadonlySet<SettingName>): string[] {
  return contradictions.flatMap(({ about, faultOf }) =>
    about.some((name) => wrong.has(name)) ? [] : (faultOf(values) ?? []),
  );
}

/** Returns the warnings about usable settings. */
export function warningsAmong(values: Values): string[] {
  return doubts.flatMap((doubt) => doubt(values) ?? []);
}

/** Least length of an OPERATOR_TOKEN on a reachable address. */
const OPERATOR_TOKEN_LENGTH = 32;

function operatorTokenFault({ NODE_ENV, HOST, OPERATOR_TOKEN }: Values): string | undefined {
  const isProduction = NODE_ENV === 'production';
  if (!isProduction && isLoopback(HOST)) return undefined;
  if (OPERATOR_TOKEN !== undefined && OPERATOR_TOKEN.length >= OPERATOR_TOKEN_LENGTH) return undefined;
  const what = OPERATOR_TOKEN === undefined ? 'is missing' : 'is too short';
  const where = isProduction ? 'production' : `HOST=${HOST}, which others reach,`;
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
