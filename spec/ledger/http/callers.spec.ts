import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';
import { authenticate } from '../../../src/http/authentication.js';
import { IdentityUnavailable } from '../../../src/identity/port.js';
import { problemIn, type Scene, scenes, silent, WALLET } from './scene.js';

const store = { id: 'urn:ngsi-ld:Store:1', type: 'Store' };

/** One request for each operation. */
const requests: readonly (readonly [request: string, body: unknown, records: boolean])[] = [
  ['POST /ngsi-ld/v1/entities', store, true],
  ['GET /ngsi-ld/v1/entities', undefined, true],
  ['POST /ngsi-ld/v1/entities/urn:a:1/attrs', { a: 1 }, true],
  ['GET /ngsi-ld/v1/entities/urn:a:1', undefined, true],
  ['POST /ngsi-ld/v1/entityOperations/upsert', [store], true],
  ['GET /entity', undefined, false],
  ['GET /entity/urn:a:1', undefined, false],
];
const recording = requests.filter(([, , records]) => records);

async function create(scene: Scene, headers: Record<string, string>): Promise<Response> {
  return scene.ask('POST /ngsi-ld/v1/entities', { body: store, headers });
}

describe('the callers of the ledger', () => {
  const set = scenes();

  describe('with a wallet', () => {
    it('have it opened for every operation that records, in any letter case of its type', async () => {
      for (const [request, body] of recording) {
        const own = { ...silent };
        const scene = await set({ wallets: { defaultWallet: undefined, open: () => Promise.resolve(own) } });
        const response = await scene.ask(request, { body, headers: { ...WALLET, 'wallet-type': 'Vault' } });
        expect(response.status, request).to.equal(200);
        expect(scene.recorded[0]!.by.wallet, request).to.equal(own);
      }
    });

    it('have its address and token passed on unchanged', async () => {
      const scene = await set();
      await create(scene, WALLET);
      expect(scene.opened).to.deep.equal([
        { type: 'vault', address: WALLET['wallet-address'], token: WALLET['wallet-token'] },
      ]);
      expect(JSON.stringify(scene.logged)).not.to.contain('sentinel');
    });

    for (const [missing, named] of [
      ['wallet-type', 'Wallet-Type missing'],
      ['wallet-token', 'Wallet-Token missing'],
      ['wallet-address', 'Wallet-Address missing'],
    ] as const) {
      it(`get the name of a missing or empty header: ${missing}`, async () => {
        const scene = await set();
        const { [missing]: _, ...rest } = WALLET as Record<string, string>;
        for (const headers of [rest, { ...rest, [missing]: '' }]) {
          const response = await create(scene, headers);
          expect(response.status).to.equal(400);
          const { detail } = await problemIn(response);
          expect(detail).to.contain(named).and.not.contain('sentinel');
        }
        expect([...scene.opened, ...scene.recorded]).to.deep.equal([]);
      });
    }

    it('get the names of all missing headers', async () => {
      const response = await create(await set(), { 'wallet-token': 's.sentinel' });
      expect((await problemIn(response)).detail).to.contain('Wallet-Type and Wallet-Address missing');
    });

    it('cannot use another type, which is not quoted: it might be the token', async () => {
      const scene = await set();
      const response = await create(scene, { ...WALLET, 'wallet-type': 's.sentinel' });
      expect([response.status, scene.opened]).to.deep.equal([400, []]);
      expect((await problemIn(response)).detail).to.equal('Wallet-Type must be vault or web3signer');
    });

    it('get the types as well if the type is another one and a header is missing', async () => {
      const { 'wallet-token': _, ...rest } = { ...WALLET, 'wallet-type': 'web3-signer' };
      const response = await create(await set(), rest);
      expect([response.status, (await problemIn(response)).detail]).to.deep.equal([
        400,
        'Wallet-Token missing: a wallet is named by Wallet-Type, Wallet-Token, Wallet-Address together; ' +
          'Wallet-Type must be vault or web3signer',
      ]);
    });

    it('may leave the token away for a type that needs none, and nothing else', async () => {
      const { 'wallet-token': _, ...rest } = { ...WALLET, 'wallet-type': 'WEB3signer' };
      const scene = await set();
      for (const headers of [rest, { ...rest, 'wallet-token': '' }]) await create(scene, headers);
      const address = WALLET['wallet-address'];
      const named = { type: 'web3signer', address, token: '' };
      expect(scene.opened).to.deep.equal([named, named]);
      const { 'wallet-address': __, ...half } = { ...rest, 'wallet-token': 's.sentinel' };
      const { detail } = await problemIn(await create(scene, half));
      expect(detail).to.equal(
        'Wallet-Address missing: a wallet of type web3signer is named by Wallet-Type and Wallet-Address together, ' +
          'and a Wallet-Token if a proxy wants one',
      );
      expect(scene.opened).to.have.length(2);
    });

    it('get the wallet’s refusal as a problem of the ledger', async () => {
      const open = () => Promise.reject(new Refusal('forbidden', 'not under WALLET_ADDRESSES'));
      const scene = await set({ wallets: { open } });
      const response = await create(scene, WALLET);
      expect([response.status, scene.recorded]).to.deep.equal([403, []]);
      expect(await problemIn(response)).to.deep.equal({
        type: 'about:blank',
        title: 'Forbidden',
        status: 403,
        detail: 'not under WALLET_ADDRESSES',
      });
    });

    it('are refused before their body is read', async () => {
      const open = () => Promise.reject(new Refusal('forbidden', 'no'));
      const { ask } = await set({ wallets: { open } });
      const bad = { body: '{', headers: WALLET };
      expect((await ask('POST /ngsi-ld/v1/entities', bad)).status).to.equal(403);
    });
  });

  describe('without a wallet', () => {
    it('use the default account', async () => {
      for (const [request, body] of recording) {
        const { ask, recorded, opened } = await set();
        expect((await ask(request, { body })).status, request).to.equal(200);
        expect([recorded[0]!.by.wallet, opened], request).to.deep.equal([silent, []]);
      }
    });

    it('get the names of the headers to send if there is no default account', async () => {
      for (const [request, body] of recording) {
        const { ask, recorded } = await set({ wallets: { defaultWallet: undefined } });
        const response = await ask(request, { body });
        expect(response.status, request).to.equal(401);
        expect(response.headers.get('www-authenticate')).to.equal(
          'Wallet headers="Wallet-Type, Wallet-Token, Wallet-Address"',
        );
        const { type, title, detail } = await problemIn(response);
        expect([type, title]).to.deep.equal(['about:blank', 'Unauthorized']);
        expect(detail).to.contain('send Wallet-Type: vault');
        expect(recorded).to.deep.equal([]);
      }
    });

    it('can read the ledger', async () => {
      const { ask } = await set({ wallets: { defaultWallet: undefined } });
      for (const path of ['/entity', '/entity/urn:a:1'])
        expect((await ask(`GET ${path}`)).status).to.equal(200);
    });
  });

  describe('with LEDGER_AUTH=token', () => {
    const tenant = { id: '0af1', name: 'acme' };
    const verify = async (token: string) => {
      if (token === 'down') throw new IdentityUnavailable('no answer');
      return token === 'good' ? { tenant, expiresAt: 0 } : undefined;
    };
    const authenticated = authenticate({ verify, close: () => Promise.resolve() });

    for (const [token, status] of [
      ['good', 200],
      ['bad', 401],
      ['', 401],
      ['down', 503],
    ] as const) {
      it(`get ${status} with ${token === '' ? 'none' : `a token that is ${token}`}`, async () => {
        for (const [request, body] of requests) {
          const { ask, recorded, listed, traced } = await set({ authenticated });
          const response = await ask(request, {
            body,
            headers: token === '' ? {} : { 'x-auth-token': token },
          });
          expect(response.status, request).to.equal(status);
          const done = [...recorded, ...listed, ...traced].length;
          expect(done, request).to.equal(status === 200 ? 1 : 0);
          if (status === 401) {
            expect(response.headers.get('www-authenticate')).to.equal(
              'Keystone uri="http://identity.example"',
            );
          }
          if (status === 503) expect(response.headers.get('retry-after')).to.equal('1');
        }
      });
    }

    for (const [asked, status] of [
      ['acme', 200],
      ['0af1', 200],
      ['other', 403],
      ['a b', 400],
    ] as const) {
      it(`get ${status} for the tenant ${asked}`, async () => {
        for (const [request, body] of requests) {
          const { ask, recorded, listed, traced } = await set({ authenticated });
          const headers = { 'x-auth-token': 'good', 'ngsild-tenant': asked };
          expect((await ask(request, { body, headers })).status, request).to.equal(status);
          const done = [...recorded.map(({ operation }) => operation), ...listed, ...traced];
          expect(
            done.map(({ tenant }) => tenant),
            request,
          ).to.deep.equal(status === 200 ? [tenant.id] : []);
          expect(recorded.map(({ operation }) => operation.tenantName)).to.deep.equal(
            recorded.map(() => (asked === tenant.id ? undefined : asked)),
          );
        }
      });
    }

    it('are checked in order: Accept, path id, token, tenant, headers, body', async () => {
      const scene = await set({ authenticated, wallets: { defaultWallet: undefined } });
      let headers: Record<string, string> = {
        accept: 'text/html',
        'ngsild-tenant': '?',
        'content-type': 'text/plain',
      };
      let path = '/ngsi-ld/v1/entities/none/attrs';
      const status = async () => (await scene.ask(`POST ${path}`, { headers, body: '{' })).status;
      expect(await status(), 'Accept').to.equal(406);
      headers = { ...headers, accept: 'application/json' };
      expect(await status(), 'path id').to.equal(400);
      path = '/ngsi-ld/v1/entities/urn:a:1/attrs';
      expect(await status(), 'token').to.equal(401);
      headers = { ...headers, 'x-auth-token': 'good' };
      expect(await status(), 'tenant').to.equal(400);
      headers = { ...headers, 'ngsild-tenant': 'other' };
      expect(await status(), 'tenant').to.equal(403);
      headers = { ...headers, 'ngsild-tenant': 'acme' };
      expect(await status(), 'wallet').to.equal(401);
      headers = { ...headers, ...WALLET };
      expect(await status(), 'body').to.equal(415);
      headers = { ...headers, 'content-type': 'application/json' };
      expect(await status(), 'body').to.equal(400);
      expect(scene.recorded).to.deep.equal([]);
    });
  });
});
