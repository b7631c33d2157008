import { expect } from 'chai';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { answerJson, standIn } from '../identity/stand-in.js';
import { request } from './api-client.js';
import { expectRefusal } from './refusal.js';
import { runService } from './running-service.js';
import { scenes } from './scene.js';

const [IDENTITY_AUDIENCE, IDENTITY_ISSUER] = ['mirzam', 'https://id.example.org'];
const FACT = {
  contextResponses: [
    { statusCode: { code: '200' }, contextElement: { attributes: [{ name: 'cpuLoadPct', value: '1' }] } },
  ],
};

/** An issuer that publishes its keys and signs any claims. */
async function issuer() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = [await exportJWK(publicKey)];
  const server = await standIn((_, response) => answerJson(response, 200, { keys }));
  const sign = (claims: JWTPayload) =>
    new SignJWT({ aud: IDENTITY_AUDIENCE, iss: IDENTITY_ISSUER, tenant: 'acme', ...claims })
      .setProtectedHeader({ alg: 'ES256' })
      .setExpirationTime('10m')
      .sign(privateKey);
  return { url: server.url, sign, close: () => server.close() };
}

describe('tokens of an issuer of JWTs', () => {
  const open = scenes();

  it('are accepted as Authorization: Bearer or X-Auth-Token, unless they are for another application', async () => {
    const { url: IDENTITY_URL, sign } = open.keep(await issuer(), (it) => it.close());
    const settings = {
      IDENTITY: 'jwt',
      IDENTITY_URL,
      IDENTITY_AUDIENCE,
      IDENTITY_ISSUER,
      FACTS_AUTH: 'token',
    };
    const { url } = open.keep(await runService(settings), (it) => it.close());
    const ask = (token: string, header: 'authorization' | 'x-auth-token' = 'authorization') => {
      const value = header === 'authorization' ? `Bearer ${token}` : token;
      return Promise.all([
        request(`${url}/v1.0/acme`, 'GET', undefined, { [header]: value }),
        request(`${url}/acme/servers/web-1`, 'POST', FACT, { [header]: value }),
      ]);
    };
    for (const header of ['authorization', 'x-auth-token'] as const) {
      const answers = await ask(await sign({}), header);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    }
    for (const claims of [
      { aud: 'another-application' },
      { iss: 'https://elsewhere.example' },
      { tenant: ['acme'] },
      { tenant: undefined, tenant_id: 'acme' },
    ]) {
      for (const answer of await ask(await sign(claims))) {
        expectRefusal(answer, 401);
        expect(answer.headers.get('www-authenticate')).to.equal(`Keystone uri="${IDENTITY_URL}/"`);
      }
    }
    for (const answer of await ask(await sign({ tenant: 'umbrella' }))) expectRefusal(answer, 403);
  });

  it('see no ledger in the console if their tenant has the name of the entity index of all tenants', async () => {
    const { url: IDENTITY_URL, sign } = open.keep(await issuer(), (it) => it.close());
    const ledger = { LEDGER: 'on', LEDGER_AUTH: 'token', WALLET_DEV_TOKEN: 'dev' };
    const settings = { IDENTITY: 'jwt', IDENTITY_URL, IDENTITY_AUDIENCE, IDENTITY_ISSUER, ...ledger };
    const { url } = open.keep(await runService(settings), (it) => it.close());
    const ask = async (tenant: string, path: string) => {
      const authorization = `Bearer ${await sign({ tenant })}`;
      return request(`${url}/console/api/ledger${path}`, 'GET', undefined, { authorization });
    };
    for (const path of ['', '/entities', '/entities/urn:x']) {
      expectRefusal(await ask('*', path), 403, 'must match');
    }
    expect((await ask('acme', '/entities')).body).to.deep.equal({ entities: [], next: null });
  });
});

describe('tokens of the embedded identity', () => {
  const open = scenes();

  it('are accepted as Authorization: Bearer, but not beside another token', async () => {
    const { url, api } = await open.service({ FACTS_AUTH: 'token' });
    const authorization = `Bearer ${api.token}`;
    for (const [method, path, body] of [
      ['GET', '/v1.0/demo', undefined],
      ['POST', '/v1.0/demo/servers/web-1', FACT],
    ] as const) {
      const ask = (headers: Record<string, string>) => request(url + path, method, body, headers);
      expect((await ask({ authorization })).status).to.equal(200);
      expect((await ask({ authorization, 'x-auth-token': api.token })).status).to.equal(200);
      expectRefusal(await ask({ authorization, 'x-auth-token': `${api.token}x` }), 400, 'two tokens');
    }
  });
});
