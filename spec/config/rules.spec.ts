import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import type { Environment } from '../../src/config/read-values.js';
import { faultsOf } from './faults-of.js';

const OPERATOR_TOKEN = '0123456789abcdef'.repeat(2);
const production = { NODE_ENV: 'production', IDENTITY_USERS: 'acme:ann:s3cret', OPERATOR_TOKEN };

const chain = { CHAIN_RPC_URL: 'http://node:8545', CHAIN_CONTRACT: `0x${'ab'.repeat(20)}` };
const key = `0x${'ab'.repeat(32)}`;

describe('combinations of settings', () => {
  describe('the OpenID provider', () => {
    const sso = { OIDC_ISSUER: 'https://sso.example.org', OIDC_CLIENT_ID: 'mirzam' };

    it('needs an address and a client', () => {
      const { OIDC_ISSUER, OIDC_CLIENT_ID } = sso;
      expect(faultsOf({ OIDC_ISSUER })).to.deep.equal([
        'OIDC_CLIENT_ID is missing: OIDC_ISSUER needs the id of this service at the OpenID provider',
      ]);
      expect(faultsOf({ OIDC_CLIENT_ID })).to.deep.equal([
        'OIDC_ISSUER is missing: OIDC_CLIENT_ID needs the address of the OpenID provider',
      ]);
      expect(faultsOf(sso)).to.deep.equal([]);
    });

    it('is asked for an ID token', () => {
      expect(faultsOf({ ...sso, OIDC_SCOPE: 'profile' })[0]).to.match(/^OIDC_SCOPE must contain openid/);
    });

    it('has claim and value of operators together', () => {
      for (const half of [{ OIDC_OPERATOR_CLAIM: 'groups' }, { OIDC_OPERATOR_VALUE: 'ops' }]) {
        expect(faultsOf({ ...sso, ...half })[0]).to.match(/belong together/);
      }
    });

    it('has https and PUBLIC_URL in production', () => {
      const http = { ...production, ...sso, OIDC_ISSUER: 'http://sso.example.org' };
      expect(faultsOf(http).map((line) => line.split(' ')[0])).to.deep.equal(['OIDC_ISSUER', 'PUBLIC_URL']);
      expect(faultsOf({ ...production, ...sso, PUBLIC_URL: 'https://rules.example.org' })).to.deep.equal([]);
    });

    it('is missed by its other settings', () => {
      const { warnings } = loadConfig({ OIDC_CLIENT_SECRET: 'x' });
      expect(warnings).to.deep.equal(['OIDC_… settings have no effect: OIDC_ISSUER is not set']);
    });
  });

  describe('the ledger', () => {
    it('needs both the chain and the contract', () => {
      const { CHAIN_RPC_URL, CHAIN_CONTRACT } = chain;
      expect(faultsOf({ CHAIN_RPC_URL })).to.deep.equal([
        'CHAIN_CONTRACT is missing: CHAIN_RPC_URL needs the address of the contract on that chain',
      ]);
      expect(faultsOf({ CHAIN_CONTRACT })).to.deep.equal([
        'CHAIN_RPC_URL is missing: CHAIN_CONTRACT needs the address of a node of its chain',
      ]);
      expect(faultsOf(chain)).to.deep.equal([]);
    });

    it('does not report a faulty setting as missing', () => {
      expect(faultsOf({ ...chain, CHAIN_CONTRACT: '0x1' })).to.have.length(1);
    });

    it('cannot be final before it is answered', () => {
      expect(faultsOf({ LEDGER_CONFIRMATIONS: '13' })).to.deep.equal([
        'LEDGER_FINALITY must not be smaller than LEDGER_CONFIRMATIONS, 13: what is answered would be final before',
      ]);
    });

    it('has no default account if it is off, and warns about its unused key', () => {
      const { ledger, warnings } = loadConfig({ DEFAULT_ACCOUNT: 'off', DEFAULT_ACCOUNT_KEY: key });
      expect(ledger!.defaultAccount).to.equal(undefined);
      expect(warnings.map((line) => line.split(' ')[0])).to.deep.equal(['DEFAULT_ACCOUNT_KEY']);
    });

    it('warns if nodes share a database but not a chain', () => {
      const warnings = (more: Environment) => loadConfig({ MONGODB_URL: 'mongodb://a', ...more }).warnings;
      expect(warnings({})).to.have.length(1);
      expect(warnings({})[0]).to.match(/^CHAIN_RPC_URL is not set: each node/);
      expect(warnings(chain)).to.deep.equal([]);
    });
  });

  describe('the context broker', () => {
    const BROKER_URL = 'http://orion:1026';

    it('needs its address only: Orion since version 4.0, the type host, the path /', () => {
      expect(loadConfig({ BROKER_URL }).broker).to.deep.equal({
        url: BROKER_URL,
        api: 'ngsiv2',
        entityType: 'host',
        tenant: undefined,
        servicePath: '/',
        context: undefined,
      });
    });

    for (const [name, wrong] of [
      ['BROKER_TENANT', ['{tenat}', 'a b', '{tenant', 'a/b', 'ü']],
      [
        'BROKER_SERVICE_PATH',
        ['a', '/a/', '/a-b', '//', '/a b', '/#/a', '/#', '/a/#', `/${'a'.repeat(51)}`, '/a'.repeat(11)],
      ],
      ['BROKER_ENTITY_TYPE', ['two words', 'a'.repeat(257)]],
      ['BROKER_CONTEXT', ['ftp://a/b', 'a.jsonld']],
    ] as const) {
      for (const text of wrong) {
        it(`refuses ${name}=${text}`, () => {
          const faults = faultsOf({ BROKER_URL, [name]: text });
          expect(faults).to.have.length(1);
          expect(faults[0]).to.match(new RegExp(`^${name}: .*is not allowed; allowed: `));
        });
      }
    }

    it('warns about a setting that its API does not use', () => {
      const warned = (more: Environment) =>
        loadConfig({ BROKER_URL, ...more }).warnings.map((line) => line.split(' ')[0]);
      const unused = { BROKER_CONTEXT: 'http://a/b', BROKER_SERVICE_PATH: '/a' };
      expect(warned(unused)).to.deep.equal(['BROKER_CONTEXT']);
      expect(warned({ ...unused, BROKER_API: 'ngsi-ld' })).to.deep.equal(['BROKER_SERVICE_PATH']);
    });
  });

  describe('the identity service', () => {
    const url = 'http://keystone:5000/v2.0';

    it('is Keystone v2 if only an address is set', () => {
      expect(loadConfig({ IDENTITY_URL: url }).identity).to.include({ kind: 'keystone-v2', url });
    });

    it('is embedded if set explicitly, despite an address', () => {
      expect(loadConfig({ IDENTITY: 'embedded', IDENTITY_URL: url }).identity.kind).to.equal('embedded');
    });

    const jwt = { IDENTITY_AUDIENCE: 'mirzam', IDENTITY_ISSUER: 'https://id.example' };

    for (const IDENTITY of ['keystone-v2', 'keystone-v3', 'oauth2', 'jwt']) {
      it(`needs an address if it is ${IDENTITY}`, () => {
        expect(faultsOf({ IDENTITY, ...(IDENTITY === 'jwt' && jwt) })).to.deep.equal([
          `IDENTITY_URL is missing: IDENTITY=${IDENTITY} needs the address of the identity service`,
        ]);
      });
    }

    it('does not report a faulty address as missing', () => {
      const faults = faultsOf({ IDENTITY: 'jwt', IDENTITY_URL: 'keystone', ...jwt });
      expect(faults).to.have.length(1);
      expect(faults[0]).to.match(/^IDENTITY_URL: "keystone" is not allowed/);
    });

    it('lists the choices for an unknown kind', () => {
      expect(faultsOf({ IDENTITY: 'ldap' })).to.deep.equal([
        'IDENTITY: "ldap" is not allowed; allowed: one of keystone-v2, keystone-v3, oauth2, jwt, embedded',
      ]);
    });

    it('accepts an address with a query or a trailing slash', () => {
      const address = 'https://id.example/oauth2/introspect/?p=1';
      expect(loadConfig({ IDENTITY: 'jwt', IDENTITY_URL: address, ...jwt }).identity).to.include({
        url: address,
      });
    });

    it('warns about missing credentials of its account', () => {
      const warnings = (IDENTITY: string, more: Environment = {}) =>
        loadConfig({ IDENTITY, IDENTITY_URL: url, ...more }).warnings.map((line) => line.split(':')[0]);
      expect(warnings('keystone-v2', { IDENTITY_ADMIN_TENANT: 'service' })).to.deep.equal([
        'IDENTITY_ADMIN_USER and IDENTITY_ADMIN_PASSWORD not set',
      ]);
      expect(warnings('keystone-v3')).to.have.length(1);
      expect(warnings('oauth2', { IDENTITY_ADMIN_USER: 'id' })).to.deep.equal([
        'IDENTITY_ADMIN_PASSWORD not set',
      ]);
      expect(warnings('jwt', jwt)).to.deep.equal([]);
    });
  });

  describe('the embedded users', () => {
    const users = (IDENTITY_USERS: string) => loadConfig({ IDENTITY_USERS }).identity;

    it('may be several, with colons in a password', () => {
      expect(users('acme:ann:a:b, acme:bob:c')).to.deep.include({
        users: [
          { tenant: 'acme', user: 'ann', password: 'a:b' },
          { tenant: 'acme', user: 'bob', password: 'c' },
        ],
      });
    });

    it('are refused with their position in the list', () => {
      for (const second of ['acme:ann', 'acme:ann:', ':ann:x', 'a cme:ann:x', 'a/c:ann:x', '']) {
        const faults = faultsOf({ IDENTITY_USERS: `acme:bob:c,${second}` });
        expect(faults, second).to.have.length(1);
        expect(faults[0], second).to.match(
          /^IDENTITY_USERS: number 2 of the list is wrong; allowed: tenant:/,
        );
      }
    });

    it('are refused if one is named twice', () => {
      expect(faultsOf({ IDENTITY_USERS: 'acme:ann:1,acme:ann:2' })[0]).to.match(/named twice/);
      expect(faultsOf({ IDENTITY_USERS: 'acme:ann:1,other:ann:2' })).to.deep.equal([]);
    });
  });

  describe('in production', () => {
    it('refuses the demo user, by default and if named', () => {
      for (const environment of [{}, { IDENTITY_USERS: 'acme:ann:x,demo:demo:demo' }]) {
        const faults = faultsOf({ NODE_ENV: 'production', OPERATOR_TOKEN, ...environment });
        expect(faults).to.have.length(1);
        expect(faults[0]).to.match(/^IDENTITY_USERS: production refuses the demo user/);
      }
    });

    it('accepts other users, and an identity service', () => {
      expect(loadConfig(production).production).to.equal(true);
      expect(
        faultsOf({ NODE_ENV: 'production', OPERATOR_TOKEN, IDENTITY_URL: 'http://keystone/v2.0' }),
      ).to.deep.equal([]);
    });

    it('warns about the embedded identity, mails without a server, and open facts', () => {
      const { warnings } = loadConfig(production);
      expect(warnings.map((line) => line.split(' ')[0])).to.deep.equal([
        'IDENTITY',
        'SMTP_URL',
        'FACTS_AUTH',
        'CHAIN_RPC_URL',
      ]);
    });

    it('warns about a password for MQTT that crosses the network in clear text', () => {
      const warnings = (MQTT_URL: string) =>
        loadConfig({ ...production, MQTT_URL }).warnings.filter((line) => line.startsWith('MQTT_URL'));
      expect(warnings('mqtt://u:p@mqtt')).to.have.length(1);
      for (const url of ['mqtts://u:p@mqtt', 'mqtt://u:p@127.0.0.1', 'mqtt://mqtt'])
        expect(warnings(url), url).to.deep.equal([]);
    });

    it('needs no chain, and warns if no wallet could sign on one', () => {
      const warnings = (more: Environment) =>
        loadConfig({ ...production, ...more })
          .warnings.filter((line) => /^(?:CHAIN|WALLET|DEFAULT)/.test(line))
          .map((line) => line.split(' ')[0]);
      expect(warnings({})).to.deep.equal(['CHAIN_RPC_URL']);
      expect(warnings(chain)).to.deep.equal(['WALLET_ADDRESSES']);
      expect(warnings({ ...chain, WALLET_ADDRESSES: 'http://vault' })).to.deep.equal([]);
      expect(warnings({ WALLET_DEV_TOKEN: 'x' })).to.deep.equal(['CHAIN_RPC_URL', 'WALLET_DEV_TOKEN']);
    });

    it('serves no ledger without a chain, or if it is off', () => {
      expect(loadConfig(production).ledger).to.equal(undefined);
      expect(loadConfig({ ...production, ...chain }).ledger).to.deep.include({ waitS: 30 });
      expect(loadConfig({}).ledger).to.deep.include({ chain: undefined });
      expect(loadConfig({ LEDGER: 'off' }).ledger).to.equal(undefined);
      expect(loadConfig({ ...production, LEDGER: 'off' }).warnings.join()).not.to.include('CHAIN_RPC_URL');
    });

    it('needs the key of a default account, and warns if everybody may use it', () => {
      expect(loadConfig({ ...production, ...chain }).ledger!.defaultAccount).to.equal(undefined);
      expect(faultsOf({ ...production, DEFAULT_ACCOUNT: 'on' })).to.deep.equal([
        'DEFAULT_ACCOUNT_KEY is missing: production needs the private key of the account that DEFAULT_ACCOUNT=on lets sign',
      ]);
      const on = { ...production, ...chain, DEFAULT_ACCOUNT: 'on', DEFAULT_ACCOUNT_KEY: key };
      expect(loadConfig(on).ledger!.defaultAccount).to.deep.equal({ key });
      const doubted = (environment: Environment) =>
        loadConfig(environment).warnings.filter((line) => line.startsWith('DEFAULT_ACCOUNT is on'));
      expect(doubted(on)).to.have.length(1);
      expect(doubted({ ...on, LEDGER_AUTH: 'token' })).to.deep.equal([]);
    });

    it('refuses a misspelling', () => {
      expect(faultsOf({ NODE_ENV: 'prod' })[0]).to.match(/^NODE_ENV: "prod" is not allowed/);
    });
  });
});
