import { expect } from 'chai';
import fc from 'fast-check';
import { ConfigError, loadConfig } from '../../src/config/config.js';
import { faultsOf } from './faults-of.js';
import { ANY_CHARACTER } from '../any-character.js';

describe('loadConfig', () => {
  it('works without any setting', () => {
    expect(loadConfig({})).to.deep.equal({
      production: false,
      http: {
        host: '127.0.0.1',
        port: 8080,
        publicUrl: 'http://localhost:8080',
        hosts: ['localhost'],
        bodyLimit: 1_048_576,
        batchLimit: 16_777_216,
      },
      admission: { trustedProxies: [], tenantRate: 0 },
      tenantMaxima: { servers: 0, subscriptions: 0 },
      store: { dataDir: './data', mongodbUrl: undefined },
      identity: {
        kind: 'embedded',
        users: [{ tenant: 'demo', user: 'demo', password: 'demo' }],
        tokenCacheS: 60,
      },
      oidc: undefined,
      facts: { auth: 'open', key: undefined, hddReading: 'used', clockSkewS: 300 },
      metrics: { any: false, listed: [] },
      trend: true,
      window: { max: 100, gapS: 300 },
      serverForgetDays: 0,
      auditDays: 90,
      broker: undefined,
      mqtt: undefined,
      mail: { smtpUrl: undefined, from: 'mirzam@localhost', intervalS: 300, timeZone: undefined },
      webhook: { secret: undefined, targets: [] },
      delivery: { giveUpS: 86_400, alertResendS: 60, deadLetterDays: 30 },
      ledger: {
        chain: undefined,
        defaultAccount: { key: undefined },
        walletAddresses: undefined,
        walletDevToken: undefined,
        auth: 'open',
        confirmations: 1,
        waitS: 30,
        finality: 12,
        proofs: 'demand',
        explorerUrl: undefined,
        idempotencyTtlS: 604_800,
        gasPriceFactor: 1.2,
        gasLimit: undefined,
        replaceAfterS: 60,
        gasPriceMax: undefined,
        mirrorUrl: undefined,
      },
      operator: { token: undefined },
      log: { level: 'info' },
      tracing: undefined,
      warnings: [],
    });
  });

  it('reads every setting', () => {
    const config = loadConfig({
      NODE_ENV: 'production',
      HOST: '10.0.0.5',
      PORT: '80',
      PUBLIC_URL: 'https://rules.example.org/base/',
      BODY_LIMIT: '2MiB',
      TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1',
      TENANT_RATE: '500',
      TENANT_SERVERS: '200',
      TENANT_SUBSCRIPTIONS: '400',
      DATA_DIR: '/var/lib/mirzam',
      MONGODB_URL: 'mongodb://u:p@a:27017,b:27017/mirzam?replicaSet=rs0',
      IDENTITY: 'keystone-v3',
      IDENTITY_URL: 'http://keystone:5000/v3',
      IDENTITY_ADMIN_TENANT: 'service',
      IDENTITY_ADMIN_USER: 'mirzam',
      IDENTITY_ADMIN_PASSWORD: 'p w',
      TOKEN_CACHE_S: '0',
      FACTS_AUTH: 'key',
      FACTS_KEY: 'open-sesame',
      HDD_READING: 'free',
      CLOCK_SKEW_S: '0',
      METRICS: 'queue, temperature:-40..120',
      TREND: 'off',
      WINDOW_MAX: '7',
      WINDOW_GAP_S: '0',
      SERVER_FORGET_DAYS: '90.5',
      AUDIT_DAYS: '0.25',
      BROKER_URL: 'http://orion:1026',
      BROKER_API: 'ngsi-ld',
      BROKER_ENTITY_TYPE: 'Machine',
      BROKER_TENANT: 'm_{tenant}',
      BROKER_SERVICE_PATH: '/',
      BROKER_CONTEXT: 'https://contexts.example/hosts.jsonld',
      MQTT_URL: 'mqtts://u:p@mqtt:8884',
      MQTT_CLIENT_ID: 'node-1',
      MQTT_GROUP: 'rules',
      MQTT_SESSION_S: '60',
      WEBHOOK_SECRET: 'whsec_YWJjZA==',
      WEBHOOK_TARGETS: 'http://10.0.0.7:9000, https://Hooks.internal',
      DELIVERY_GIVE_UP_S: '60',
      ALERT_RESEND_S: '5',
      DEAD_LETTER_DAYS: '0.5',
      SMTP_URL: 'smtp://u:p@mail:25',
      MAIL_FROM: 'alarm@example.org',
      MAIL_INTERVAL_S: '0',
      MAIL_TIMEZONE: 'Europe/Berlin',
      CHAIN_RPC_URL: 'wss://chain.example/v3/key?a=b',
      CHAIN_CONTRACT: `0x${'Ab'.repeat(20)}`,
      DEFAULT_ACCOUNT: 'on',
      DEFAULT_ACCOUNT_KEY: 'AB'.repeat(32),
      WALLET_ADDRESSES: 'https://vault:8200/v1/ethereum/, http://10.0.0.8',
      LEDGER_AUTH: 'token',
      LEDGER_CONFIRMATIONS: '3',
      LEDGER_WAIT_S: '5',
      LEDGER_FINALITY: '3',
      LEDGER_PROOFS: 'always',
      IDEMPOTENCY_TTL_S: '60',
      BATCH_LIMIT: '1MiB',
      GAS_PRICE_FACTOR: '2.125',
      GAS_LIMIT: '60000',
      GAS_BUMP_AFTER_S: '0.5',
      GAS_PRICE_MAX: '30000000000',
      EXPLORER_URL: 'https://explorer.example/tx/',
      BROKER_MIRROR_URL: 'http://orion-ld:1026/',
      OPERATOR_TOKEN: 'op'.repeat(16),
      LOG_LEVEL: 'warn',
      OIDC_ISSUER: 'https://sso.example.org/realms/mirzam',
      OIDC_CLIENT_ID: 'mirzam',
      OIDC_CLIENT_SECRET: 'sso-secret',
      OIDC_OPERATOR_CLAIM: 'groups',
      OIDC_OPERATOR_VALUE: 'ops',
      OIDC_SESSION_S: '3600',
      TRACING: 'on',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example:4318/base',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s3cret, x-team=a%20b',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
      OTEL_SERVICE_NAME: 'rules',
    });
    expect(config).to.deep.equal({
      production: true,
      http: {
        host: '10.0.0.5',
        port: 80,
        publicUrl: 'https://rules.example.org/base',
        hosts: undefined,
        bodyLimit: 2_097_152,
        batchLimit: 1_048_576,
      },
      admission: { trustedProxies: ['10.0.0.0/8', '2001:db8::1'], tenantRate: 500 },
      tenantMaxima: { servers: 200, subscriptions: 400 },
      store: {
        dataDir: '/var/lib/mirzam',
        mongodbUrl: 'mongodb://u:p@a:27017,b:27017/mirzam?replicaSet=rs0',
      },
      identity: {
        kind: 'keystone-v3',
        url: 'http://keystone:5000/v3',
        admin: { tenant: 'service', user: 'mirzam', password: 'p w' },
        tokenCacheS: 0,
      },
      oidc: {
        issuer: 'https://sso.example.org/realms/mirzam',
        clientId: 'mirzam',
        clientSecret: 'sso-secret',
        scope: 'openid profile email',
        tenantClaim: 'tenant',
        operator: { claim: 'groups', value: 'ops' },
        sessionS: 3_600,
      },
      facts: { auth: 'key', key: 'open-sesame', hddReading: 'free', clockSkewS: 0 },
      metrics: { any: false, listed: [{ name: 'queue' }, { name: 'temperature', range: [-40, 120] }] },
      trend: false,
      window: { max: 7, gapS: 0 },
      serverForgetDays: 90.5,
      auditDays: 0.25,
      broker: {
        url: 'http://orion:1026',
        api: 'ngsi-ld',
        entityType: 'Machine',
        tenant: 'm_{tenant}',
        servicePath: '/',
        context: 'https://contexts.example/hosts.jsonld',
      },
      mqtt: { url: 'mqtts://u:p@mqtt:8884', clientId: 'node-1', group: 'rules', sessionS: 60 },
      mail: {
        smtpUrl: 'smtp://u:p@mail:25',
        from: 'alarm@example.org',
        intervalS: 0,
        timeZone: 'Europe/Berlin',
      },
      webhook: { secret: 'whsec_YWJjZA==', targets: ['http://10.0.0.7:9000', 'https://hooks.internal'] },
      delivery: { giveUpS: 60, alertResendS: 5, deadLetterDays: 0.5 },
      ledger: {
        chain: { url: 'wss://chain.example/v3/key?a=b', contract: `0x${'ab'.repeat(20)}` },
        defaultAccount: { key: `0x${'ab'.repeat(32)}` },
        walletAddresses: ['https://vault:8200/v1/ethereum', 'http://10.0.0.8'],
        walletDevToken: undefined,
        auth: 'token',
        confirmations: 3,
        waitS: 5,
        finality: 3,
        proofs: 'always',
        explorerUrl: 'https://explorer.example/tx/{hash}',
        idempotencyTtlS: 60,
        gasPriceFactor: 2.125,
        gasLimit: 60_000,
        replaceAfterS: 0.5,
        gasPriceMax: 30_000_000_000n,
        mirrorUrl: 'http://orion-ld:1026',
      },
      operator: { token: 'op'.repeat(16) },
      log: { level: 'warn' },
      tracing: {
        endpoint: 'https://otel.example:4318/base',
        headers: { 'api-key': 's3cret', 'x-team': 'a b' },
        sampler: 'parentbased_traceidratio',
        ratio: 0.01,
        serviceName: 'rules',
      },
      warnings: [],
    });
  });

  it('treats an empty setting as not set', () => {
    expect(loadConfig({ PORT: '', IDENTITY_URL: '', BROKER_URL: '', FACTS_KEY: '' })).to.deep.equal(
      loadConfig({}),
    );
  });

  it('reports all faults with the allowed values', () => {
    const faults = faultsOf({
      PORT: '65536',
      LOG_LEVEL: 'loud',
      BODY_LIMIT: '1GB',
      BROKER_URL: 'orion:1026',
      FACTS_AUTH: 'key',
    });
    expect(faults).to.have.members([
      'PORT: "65536" is not allowed; allowed: a whole number from 0 to 65535',
      'LOG_LEVEL: "loud" is not allowed; allowed: one of trace, debug, info, warn, error, fatal, silent',
      'BODY_LIMIT: "1GB" is not allowed; allowed: bytes from 1024 to 67108864, as a whole number or like 512KiB or 1MiB',
      'BROKER_URL: "orion:1026" is not allowed; allowed: an http or https URL without credentials, query and fragment',
      'FACTS_KEY is missing: FACTS_AUTH=key needs the secret that brokers send in X-Facts-Key',
    ]);
  });

  it('lists every fault in the error’s message', () => {
    expect(() => loadConfig({ PORT: 'x', HOST: 'a b' })).to.throw(
      ConfigError,
      /settings cannot be used:\n- HOST: .*\n- PORT: /,
    );
  });

  it('never shows secrets, nor credentials of an address', () => {
    const text = 'hunter2';
    const environment = {
      MONGODB_URL: text,
      SMTP_URL: `http://u:${text}@mail`,
      MQTT_URL: `mqtt://u:${text}@mqtt/path`,
      IDENTITY_USERS: `acme:ann:pw,${text}`,
      IDENTITY_ADMIN_PASSWORD: `${text}\u0000`,
      OIDC_CLIENT_SECRET: `${text}\n`,
      FACTS_KEY: `${text} ${text}`,
      OPERATOR_TOKEN: `${text}\u00e9`,
      WEBHOOK_SECRET: `${text}\n`,
      IDENTITY_URL: `http://u:${text}@keystone/v3`,
      BROKER_URL: `ftp://u:${text}@orion`,
      PUBLIC_URL: `https://u:${text}@rules.example.org`,
      WEBHOOK_TARGETS: `http://u:${text}@hooks`,
      CHAIN_RPC_URL: text,
      DEFAULT_ACCOUNT_KEY: `0x${text}`,
      WALLET_DEV_TOKEN: `${text} `,
      WALLET_ADDRESSES: `http://u:${text}@vault`,
      EXPLORER_URL: `http://u:${text}@explorer/{hash}`,
      BROKER_MIRROR_URL: `http://u:${text}@orion`,
    };
    const faults = faultsOf(environment);
    expect(faults).to.have.length(Object.keys(environment).length);
    expect(faults.join('\n')).not.to.contain(text);
  });

  it('throws only ConfigError for any texts', () => {
    const names = [
      'HOST',
      'PORT',
      'PUBLIC_URL',
      'BODY_LIMIT',
      'MONGODB_URL',
      'IDENTITY_USERS',
      'SMTP_URL',
      'MAIL_FROM',
      'WEBHOOK_TARGETS',
      'CHAIN_RPC_URL',
      'CHAIN_CONTRACT',
      'DEFAULT_ACCOUNT_KEY',
      'WALLET_ADDRESSES',
      'GAS_PRICE_FACTOR',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string({ unit: ANY_CHARACTER }), (name, text) => {
        for (const fault of faultsOf({ [name]: text }))
          expect(fault).to.match(new RegExp(`^(?:${name}: |[A-Z_]+ is missing: )`));
      }),
    );
  });
});
