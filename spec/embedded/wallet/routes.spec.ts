import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { embeddedWallet } from '../../../src/embedded/wallet/wallet.js';
import { jsonBody } from '../../../src/http/body/body.js';
import { vaultGroup, vaultRoutes } from '../../../src/embedded/wallet/routes.js';
import { openWallets } from '../../../src/wallets/select.js';
import type { Wallets } from '../../../src/wallets/named-wallet.js';
import { accountsInMemory } from './accounts.js';
import { CHAIN_ID, transactionOf } from '../../wallets/transactions.js';
import { walletFeatures } from '../../wallets/wallet.features.js';
import { type Edge, edges } from '../../http/edge.js';

const TOKEN = 'dev-s3ntinel';
const REQUEST = { to: `0x${'ab'.repeat(20)}`, nonce: '0', data: '01', encoding: 'hex' };

interface VaultBody {
  readonly data: Readonly<Record<string, unknown>>;
  readonly errors: readonly string[];
}

describe('routes of the embedded wallet', () => {
  const start = edges();
  let edge: Edge;
  let wallets: Wallets;

  beforeEach(async () => {
    const wallet = embeddedWallet({
      accounts: accountsInMemory(),
      secret: new Uint8Array(32).fill(7),
      chainId: () => CHAIN_ID,
    });
    edge = await start([vaultRoutes(wallet, TOKEN, jsonBody({ limit: 10_000 }))], { groups: [vaultGroup] });
    wallets = openWallets({ addresses: undefined, production: false, defaultKey: undefined, now: Date.now });
  });
  afterEach(() => wallets.close());

  /** Sends a request as `curl -d` does, with a form's Content-Type. */
  async function ask(
    method: string,
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = { 'x-vault-token': TOKEN },
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly body: VaultBody }> {
    const response = await fetch(`${edge.url}/vault/v1/ethereum/accounts${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    expect(text).not.to.contain(TOKEN);
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? {} : JSON.parse(text)) as VaultBody,
    };
  }

  const accountUrl = (name: string): string => `${edge.url}/vault/v1/ethereum/accounts/${name}`;

  describe('through the adapter for Vault', () => {
    walletFeatures(async () => {
      const name = `spec-${randomUUID()}`;
      const { body } = await ask('POST', `/${name}`, '{}');
      const wallet = await wallets.open({ type: 'vault', address: accountUrl(name), token: TOKEN });
      return { wallet, address: String(body.data['address']).toLowerCase() };
    });

    for (const [what, named, code] of [
      ['a wrong token', { name: 'a', token: 'wrong' }, 'forbidden'],
      ['an unknown account', { name: 'none', token: TOKEN }, 'not-found'],
    ] as const) {
      it(`is refused for ${what}`, async () => {
        await ask('POST', '/a', '{}');
        const wallet = await wallets.open({
          type: 'vault',
          address: accountUrl(named.name),
          token: named.token,
        });
        const how = await wallet.account().catch((error: unknown) => error);
        expect(how).to.include({ code });
        const signing = await wallet
          .sign(transactionOf(`0x${'ab'.repeat(20)}`))
          .catch((error: unknown) => error);
        expect(signing).to.include({ code });
      });
    }
  });

  it('answers as Vault does', async () => {
    const { status, headers, body } = await ask('POST', '/a', '{}', {
      'x-vault-token': TOKEN,
      'x-request-id': 'r-1',
    });
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.match(/^application\/json/);
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(body).to.deep.equal({
      request_id: 'r-1',
      lease_id: '',
      renewable: false,
      lease_duration: 0,
      data: { address: body.data['address'], exclusions: null, inclusions: null },
      wrap_info: null,
      warnings: null,
      auth: null,
      mount_type: 'vault-ethereum',
    });
  });

  for (const method of ['POST', 'PUT']) {
    it(`creates accounts and signs with ${method}`, async () => {
      expect((await ask(method, '/a', '{}')).status).to.equal(200);
      const { status, body } = await ask(method, '/a/sign-tx', JSON.stringify(REQUEST));
      expect(status).to.equal(200);
      expect(body.data['signed_transaction']).to.match(/^0xf8/);
    });

    it(`creates an account with ${method} without a body`, async () => {
      expect((await ask(method, '/a')).status).to.equal(200);
    });
  }

  it('accepts every account name that Vault accepts', async () => {
    for (const name of ['a', 'a.json', 'A-b_c.d', 'a'.repeat(255)]) {
      const { body } = await ask('POST', `/${name}`, '{}');
      expect((await ask('GET', `/${name}`)).body.data, name).to.deep.equal(body.data);
    }
    expect((await ask('GET', '?list=true')).body.data).to.deep.equal({
      keys: ['A-b_c.d', 'a', 'a.json', 'a'.repeat(255)],
    });
  });

  it('answers an empty list as Vault does', async () => {
    for (const path of ['?list=true', '/?list=true']) {
      const { status, body } = await ask('GET', path);
      expect([status, body]).to.deep.equal([404, { errors: [] }]);
    }
  });

  it('lists by the query parameter only', async () => {
    const { status, headers } = await ask('LIST', '');
    expect([status, headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
    expect((await ask('GET', '')).status).to.equal(400);
  });

  for (const [what, headers] of [
    ['no token', {}],
    ['an empty token', { 'x-vault-token': '' }],
    ['a wrong token', { 'x-vault-token': 'dev' }],
    ['a longer token', { 'x-vault-token': `${TOKEN}x` }],
  ] as const) {
    it(`refuses ${what} on each path`, async () => {
      for (const [method, path] of [
        ['GET', '?list=true'],
        ['GET', '/a'],
        ['POST', '/a'],
        ['PUT', '/a'],
        ['POST', '/a/sign-tx'],
        ['PUT', '/a/sign-tx'],
      ] as const) {
        const { status, body } = await ask(method, path, undefined, headers);
        expect(status, `${method} ${path}`).to.equal(403);
        expect(body.errors[0]).to.match(/^permission denied/);
      }
      expect((await ask('GET', '?list=true')).status).to.equal(404);
    });
  }

  for (const [method, path, body, status] of [
    ['GET', '/none', undefined, 404],
    ['POST', '/none/sign-tx', JSON.stringify(REQUEST), 404],
    ['POST', '/-a', '{}', 404],
    ['POST', '/a%20b', '{}', 404],
    ['POST', `/${'a'.repeat(256)}`, '{}', 404],
    ['GET', '/a/balance', undefined, 404],
    ['POST', '/a', '{', 400],
    ['POST', '/a', '[]', 400],
    ['POST', '/a', `{"x":"${'x'.repeat(10_000)}"}`, 413],
    ['GET', '/a/sign-tx', undefined, 405],
    ['DELETE', '/a', undefined, 405],
  ] as const) {
    it(`answers ${method} ${path.slice(0, 20)} ${body?.slice(0, 20) ?? ''} with ${status} in Vault’s error format`, async () => {
      const answered = await ask(method, path, body);
      expect(answered.status).to.equal(status);
      expect(answered.body).to.have.all.keys('errors');
      expect(answered.body.errors).to.have.length(1);
      expect(answered.headers.get('content-type')).to.equal('application/json');
    });
  }

  it('never logs the token', async () => {
    await ask('POST', '/a', '{}');
    await ask('GET', '/none');
    expect(edge.logged).not.to.deep.equal([]);
    expect(JSON.stringify(edge.logged)).not.to.contain(TOKEN);
  });
});
