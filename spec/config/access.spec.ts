import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import type { Environment } from '../../src/config/read-values.js';
import { faultsOf } from './faults-of.js';

const OPERATOR_TOKEN = '0123456789abcdef'.repeat(2);
const production = { NODE_ENV: 'production', IDENTITY_USERS: 'acme:ann:s3cret', OPERATOR_TOKEN };

describe('access settings', () => {
  describe('the operators’ token', () => {
    const fault = (environment: Environment): string | undefined =>
      faultsOf(environment).find((line) => line.startsWith('OPERATOR_TOKEN'));
    const IDENTITY_USERS = 'acme:ann:s3cret';
    const others = ['0.0.0.0', '::', '10.1.2.3', 'fd00::7', 'node-1.internal', 'localhost.example.org'];

    it('is required in production, with at least 32 characters, on any address', () => {
      for (const HOST of ['127.0.0.1', ...others]) {
        const { OPERATOR_TOKEN: _, ...without } = { ...production, HOST };
        expect(fault(without), HOST)
          .to.match(
            /^OPERATOR_TOKEN is missing: production needs one of at least 32 characters; make one with: /,
          )
          .and.include('randomBytes');
        expect(fault({ ...without, OPERATOR_TOKEN: 's'.repeat(31) }), HOST)
          .to.match(/^OPERATOR_TOKEN is too short: production/)
          .and.not.include('sss');
        expect(fault({ ...without, OPERATOR_TOKEN: 's'.repeat(32) }), HOST).to.equal(undefined);
      }
    });

    it('is required on an address that others reach', () => {
      for (const HOST of others) {
        expect(fault({ HOST, IDENTITY_USERS }), HOST).to.match(
          /^OPERATOR_TOKEN is missing: HOST=\S+, which others reach, needs/,
        );
        expect(fault({ HOST, IDENTITY_USERS, OPERATOR_TOKEN: 's'.repeat(31) }), HOST).to.match(/too short/);
        expect(faultsOf({ HOST, IDENTITY_USERS, OPERATOR_TOKEN }), HOST).to.deep.equal([]);
      }
    });

    it('is optional on a loopback address', () => {
      for (const HOST of [
        '127.0.0.1',
        '127.9.9.9',
        '::1',
        '0:0:0:0:0:0:0:1',
        '::ffff:127.0.0.1',
        'localhost',
      ]) {
        expect(faultsOf({ HOST }), HOST).to.deep.equal([]);
        expect(faultsOf({ HOST, OPERATOR_TOKEN: 'short' }), HOST).to.deep.equal([]);
      }
    });
  });

  describe('the demo user', () => {
    const demo = (environment: Environment): string | undefined =>
      faultsOf({ OPERATOR_TOKEN, ...environment }).find((line) => line.startsWith('IDENTITY_USERS'));

    it('prevents the start on an address that others reach, unless it is set explicitly', () => {
      for (const HOST of ['0.0.0.0', '::', '10.1.2.3', 'node-1.internal']) {
        expect(demo({ HOST }), HOST).to.match(
          /^IDENTITY_USERS is missing: others reach HOST=\S+, and the demo user.* demo:demo:demo if that is meant$/,
        );
        expect(demo({ HOST, IDENTITY_USERS: '' }), HOST).to.match(/^IDENTITY_USERS is missing/);
        expect(demo({ HOST, IDENTITY_USERS: 'demo:demo:demo' }), HOST).to.equal(undefined);
        expect(demo({ HOST, IDENTITY_URL: 'http://keystone/v2.0' }), HOST).to.equal(undefined);
        const named = { NODE_ENV: 'production', HOST, IDENTITY_USERS: 'demo:demo:demo' };
        expect(demo(named), HOST).to.match(/^IDENTITY_USERS: production refuses the demo user/);
      }
    });
  });

  describe('the tokens of IDENTITY=jwt', () => {
    const jwt = { IDENTITY: 'jwt', IDENTITY_URL: 'https://id.example/keys' };
    const [IDENTITY_AUDIENCE, IDENTITY_ISSUER] = ['mirzam', 'https://id.example'];

    it('need an expected audience and issuer', () => {
      expect(faultsOf(jwt).map((line) => line.split(':')[0])).to.deep.equal([
        'IDENTITY_AUDIENCE is missing',
        'IDENTITY_ISSUER is missing',
      ]);
      expect(faultsOf({ ...jwt, IDENTITY_ISSUER })[0]).to.match(
        /^IDENTITY_AUDIENCE is missing: IDENTITY=jwt needs/,
      );
      expect(faultsOf({ ...jwt, IDENTITY_AUDIENCE })[0]).to.match(
        /^IDENTITY_ISSUER is missing: IDENTITY=jwt needs/,
      );
    });

    it('carry the tenant in one claim', () => {
      const { identity } = loadConfig({ ...jwt, IDENTITY_AUDIENCE, IDENTITY_ISSUER });
      expect(identity).to.deep.equal({
        kind: 'jwt',
        url: 'https://id.example/keys',
        audience: 'mirzam',
        issuer: 'https://id.example',
        tenantClaim: 'tenant',
        tokenCacheS: 60,
      });
      const other = loadConfig({
        ...jwt,
        IDENTITY_AUDIENCE,
        IDENTITY_ISSUER,
        IDENTITY_TENANT_CLAIM: 'org_id',
      });
      expect(other.identity).to.include({ tenantClaim: 'org_id' });
    });
  });
});
