import { expect } from 'chai';
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { jwt } from '../../src/identity/jwt.js';
import { type Identity, IdentityUnavailable } from '../../src/identity/port.js';
import { rejectionOf } from '../rejection.js';
import { impossibleTokens, remoteFailures } from './remote.features.js';
import { type StandIn, answerJson, standIn } from './stand-in.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const EXP = NOW / 1000 + 600;
const OURS = { aud: 'mirzam', iss: 'https://id.example.org/' };
const CLAIMS = { ...OURS, tenant: 'acme', exp: EXP };

/** Well-formed, so that the adapter looks up its key. */
const SAMPLE = [{ alg: 'ES256', kid: 'one' }, CLAIMS, 'signature']
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.');

interface Key {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

async function key(kid: string, alg = 'ES256'): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid } };
}

function signed(claims: JWTPayload, { alg, privateKey }: Key, kid?: string): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, ...(kid && { kid }) }).sign(privateKey);
}

/** Settings of the adapter. */
const TAKEN = { audience: OURS.aud, issuer: OURS.iss, tenantClaim: 'tenant' };

describe('jwt', () => {
  let known: Key;
  let published: JWK[];
  let server: StandIn;
  let identity: Identity;

  beforeEach(async () => {
    known = await key('one');
    published = [known.jwk];
    server = await standIn((_, response) => answerJson(response, 200, { keys: published }));
    identity = open(`${server.url}/jwks.json`);
  });
  afterEach(async () => {
    await identity.close();
    await server.close();
  });

  function open(url: string, timeoutMs = 5_000): Identity {
    return jwt({ url, ...TAKEN, timeoutMs, now: () => NOW });
  }

  it('accepts a token for its tenant until it expires', async () => {
    expect(await identity.verify(await signed(CLAIMS, known, 'one'))).to.deep.equal({
      tenant: { id: 'acme', name: 'acme' },
      user: undefined,
      expiresAt: EXP * 1000,
    });
  });

  for (const [claims, user] of [
    [{ sub: '42', email: 'ann@example.org', name: 'Ann', preferred_username: 'ann' }, 'ann'],
    [{ sub: '42', name: '', email: 'ann@example.org' }, 'ann@example.org'],
    [{ sub: '42' }, '42'],
  ] as const) {
    it(`names the user ${user} of ${JSON.stringify(claims)}`, async () => {
      const token = await signed({ ...CLAIMS, ...claims }, known, 'one');
      expect((await identity.verify(token))?.user).to.equal(user);
    });
  }

  for (const alg of ['RS256', 'PS256', 'ES384', 'EdDSA']) {
    it(`accepts a token signed with ${alg}`, async () => {
      const other = await key('two', alg);
      published.push(other.jwk);
      expect(await identity.verify(await signed(CLAIMS, other, 'two'))).not.to.equal(undefined);
    });
  }

  it('accepts a token that does not name its key', async () => {
    const other = await key('two');
    published.push(other.jwk);
    expect(await identity.verify(await signed(CLAIMS, known))).not.to.equal(undefined);
    expect(await identity.verify(await signed(CLAIMS, other))).not.to.equal(undefined);
    expect(await identity.verify(await signed(CLAIMS, await key('three')))).to.equal(undefined);
    expect(await identity.verify(await signed({ ...CLAIMS, exp: NOW / 1000 }, other))).to.equal(undefined);
  });

  it('fetches the keys once for all tokens', async () => {
    const token = await signed(CLAIMS, known, 'one');
    await Promise.all([identity.verify(token), identity.verify(token)]);
    await identity.verify(await signed({ ...CLAIMS, jti: 'another' }, known, 'one'));
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(['GET /jwks.json']);
  });

  it('does not fetch the keys for each unknown key id', async () => {
    for (const kid of ['x', 'y', 'z']) {
      expect(await identity.verify(await signed(CLAIMS, await key(kid), kid))).to.equal(undefined);
    }
    expect(server.requests).to.have.length(1);
  });

  it('uses the cached keys while the issuer is unreachable', async () => {
    await identity.verify(await signed(CLAIMS, known, 'one'));
    await server.close();
    expect(await identity.verify(await signed({ ...CLAIMS, jti: '2' }, known, 'one'))).not.to.equal(
      undefined,
    );
  });

  it('fetches the keys again after the issuer was unreachable', async () => {
    const keys = published;
    published = 'not a set' as unknown as JWK[];
    const token = await signed(CLAIMS, known, 'one');
    expect(await rejectionOf(identity.verify(token))).to.be.instanceOf(IdentityUnavailable);
    published = keys;
    expect(await identity.verify(token)).not.to.equal(undefined);
  });

  it('accepts a token with several audiences', async () => {
    const aud = ['another-application', 'mirzam'];
    expect(await identity.verify(await signed({ ...CLAIMS, aud }, known, 'one'))).not.to.equal(undefined);
  });

  it('reads the tenant from the configured claim only', async () => {
    const claims = { ...CLAIMS, tenant: 'acme', org_id: 'umbrella', 'https://example.org/t': 'hooli' };
    for (const [tenantClaim, id] of [
      ['org_id', 'umbrella'],
      ['https://example.org/t', 'hooli'],
      ['organization_id', undefined],
      ['constructor', undefined],
      ['toString', undefined],
    ] as const) {
      const other = jwt({
        url: `${server.url}/jwks.json`,
        ...TAKEN,
        tenantClaim,
        timeoutMs: 5_000,
        now: () => NOW,
      });
      const principal = await other.verify(await signed(claims, known, 'one'));
      expect(principal?.tenant, tenantClaim).to.deep.equal(id && { id, name: id });
      await other.close();
    }
  });

  describe('refuses', () => {
    const cases: Record<string, () => string | Promise<string>> = {
      'what is no JWT': () => 'abc',
      'what only looks like one': () => 'a.b.c',
      'a signature by another key of that name': async () => signed(CLAIMS, await key('one'), 'one'),
      'changed claims': async () => {
        const [header, , signature] = (await signed(CLAIMS, known, 'one')).split('.');
        const claims = Buffer.from(JSON.stringify({ ...CLAIMS, tenant: 'other' })).toString('base64url');
        return [header, claims, signature].join('.');
      },
      'a token that is over': () => signed({ ...CLAIMS, exp: NOW / 1000 }, known, 'one'),
      'a token without an end': () => signed({ ...OURS, tenant: 'acme' }, known, 'one'),
      'a token that is not valid yet': () => signed({ ...CLAIMS, nbf: NOW / 1000 + 60 }, known, 'one'),
      'a token that names no tenant': () => signed({ ...OURS, sub: 'bob', exp: EXP }, known, 'one'),
      'a token whose tenant is not a string': () => signed({ ...CLAIMS, tenant: ['acme'] }, known, 'one'),
      'a token whose tenant is a number': () => signed({ ...CLAIMS, tenant: 42 }, known, 'one'),
      'a token whose tenant is empty': () => signed({ ...CLAIMS, tenant: '' }, known, 'one'),
      'a token with a tenant elsewhere': () => signed({ ...OURS, tenant_id: 'acme', exp: EXP }, known, 'one'),
      'a token for another application of the issuer': () =>
        signed({ ...CLAIMS, aud: 'another-application' }, known, 'one'),
      'a token for several others': () => signed({ ...CLAIMS, aud: ['a', 'mirzam2'] }, known, 'one'),
      'a token for nobody': () => signed({ ...CLAIMS, aud: [] }, known, 'one'),
      'a token that does not say for whom it is': () => signed({ ...CLAIMS, aud: undefined }, known, 'one'),
      'a token of another issuer': () => signed({ ...CLAIMS, iss: 'https://id.example.org' }, known, 'one'),
      'a token that does not say who issued it': () => signed({ ...CLAIMS, iss: undefined }, known, 'one'),
      'a token over 16 KiB': () => signed({ ...CLAIMS, pad: 'x'.repeat(16_384) }, known, 'one'),
      'a token without a signature': () => new UnsecuredJWT(CLAIMS).encode(),
      'the public key used as a shared secret': async () => {
        const secret = new TextEncoder().encode(await exportSPKI(known.publicKey));
        return new SignJWT(CLAIMS).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret);
      },
    };
    for (const [name, token] of Object.entries(cases)) {
      it(name, async () => {
        expect(await identity.verify(await token())).to.equal(undefined);
      });
    }
  });

  impossibleTokens((url) => open(url));
  remoteFailures('when the issuer’s keys cannot be had', { open, token: SAMPLE, secrets: [SAMPLE] });
});
