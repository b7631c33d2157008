import { inspect } from 'node:util';
import { expect } from 'chai';
import { Refusal } from '../../src/errors.js';
import { reservedPort } from '../servers/ports.js';
import type { Wallets } from '../../src/wallets/named-wallet.js';
import type { UnsignedTransaction, Wallet } from '../../src/wallets/port.js';
import { openWallets } from '../../src/wallets/select.js';
import { rejectionOf } from '../rejection.js';
import { dynamicOf, transactionOf, web3Decoded, web3Signed } from './transactions.js';
import { walletFeatures } from './wallet.features.js';
import {
  ORDER,
  type Parts,
  type SignerHabit,
  type SignerKey,
  startWeb3Signer,
  type Web3SignerStandIn,
} from './web3signer-stand-in.js';

/** Must not be in any error. */
const TOKEN = 's3ntinel-T0ken';
/** The key of Web3Signer's acceptance tests. Development chains of Besu give its account funds. */
const KNOWN = {
  privateKey: Buffer.from('8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63', 'hex'),
  publicKey:
    '0x09b02f8a5fddd222ade4ea4528faefc399623af3f736be3c44f03e2df22fb792f3931a4d9573d333ca74343305762a753388c3422a86d98b713fc91c1ea04842',
  address: '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73',
};

describe('a wallet in Web3Signer', () => {
  let signer: Web3SignerStandIn;
  let wallets: Wallets[];
  beforeEach(async () => {
    wallets = [];
    signer = await startWeb3Signer();
  });
  afterEach(async () => {
    await Promise.all(wallets.map((one) => one.close()));
    await signer.close();
  });

  interface Naming {
    readonly token?: string;
    readonly timeoutMs?: number;
    readonly addresses?: readonly string[];
  }

  function allOpened({ addresses, timeoutMs = 5_000 }: Naming = {}): Wallets {
    const production = addresses !== undefined;
    const made = openWallets({ addresses, production, defaultKey: undefined, timeoutMs, now: Date.now });
    wallets.push(made);
    return made;
  }

  const opened = (address: string, naming: Naming = {}): Promise<Wallet> =>
    allOpened(naming).open({ type: 'web3signer', address, token: naming.token ?? '' });

  /** How a wallet refuses, without a word of the token. */
  async function refusedBy(work: Promise<unknown>): Promise<Refusal> {
    const error = await rejectionOf(work);
    expect(inspect(error, { depth: 9 })).not.to.contain(TOKEN);
    expect(error).to.be.instanceOf(Refusal);
    return error as Refusal;
  }

  /** How the wallet of a new key refuses to sign while the signer has a habit. */
  async function refusal(habit: SignerHabit, naming: Naming = {}): Promise<Refusal> {
    const key = signer.key();
    signer.become(habit);
    const wallet = await opened(key.url, naming);
    return refusedBy(wallet.sign(dynamicOf(key.address)));
  }

  walletFeatures(
    async () => {
      const key = signer.key();
      return { wallet: await opened(key.url), address: key.address };
    },
    { dynamicFees: true },
  );

  describe('is asked', () => {
    const bytes: Readonly<Record<string, UnsignedTransaction>> = {
      'a transaction of EIP-1559': dynamicOf(`0x${'ab'.repeat(20)}`),
      'a legacy transaction': transactionOf(`0x${'ab'.repeat(20)}`),
    };
    for (const [what, unsigned] of Object.entries(bytes)) {
      it(`to sign the bytes of ${what}, whose keccak-256 the chain checks`, async () => {
        const key = signer.key(KNOWN.privateKey);
        const transaction = { ...unsigned, from: key.address };
        const { raw } = await (await opened(key.url)).sign(transaction);
        // web3 signs with the same nonce of RFC 6979, so the signatures are equal too.
        expect(raw).to.equal(web3Signed(transaction, `0x${KNOWN.privateKey.toString('hex')}`));
        const [request] = signer.requests;
        expect(signer.requests).to.have.length(1);
        expect([request!.method, request!.path]).to.deep.equal([
          'POST',
          `/api/v1/eth1/sign/${KNOWN.publicKey}`,
        ]);
        const { data, ...rest } = JSON.parse(request!.body) as { data: string };
        expect(rest).to.deep.equal({});
        expect(data).to.match('gasPrice' in transaction ? /^0xf8/ : /^0x02f8/);
        expect(request!.headers).to.include({ 'content-type': 'application/json' });
      });
    }

    it('with its token as a bearer token, and without one if none is named', async () => {
      const key = signer.key();
      await (await opened(key.url, { token: TOKEN })).sign(dynamicOf(key.address));
      await (await opened(key.url)).sign(dynamicOf(key.address));
      const sent = signer.requests.map(({ headers }) => headers.authorization);
      expect(sent).to.deep.equal([`Bearer ${TOKEN}`, undefined]);
      expect(signer.requests.every(({ headers }) => headers['x-vault-token'] === undefined)).to.equal(true);
    });

    it('nothing for its address, which the public key has', async () => {
      const key = signer.key(KNOWN.privateKey);
      expect([key.publicKey, key.address]).to.deep.equal([KNOWN.publicKey, KNOWN.address]);
      expect(await (await opened(key.url)).account()).to.equal(KNOWN.address);
      expect(signer.requests).to.deep.equal([]);
    });

    it('nothing for another account', async () => {
      const key = signer.key();
      const error = await rejectionOf((await opened(key.url)).sign(dynamicOf(`0x${'ab'.repeat(20)}`)));
      expect(error).to.match(/another account’s/);
      expect(signer.requests).to.deep.equal([]);
    });

    it('below the path of a proxy', async () => {
      const proxied = await startWeb3Signer({ path: '/team-a' });
      const key = proxied.key();
      const wallet = await opened(key.url, { addresses: [`${proxied.url}/team-a`] });
      const { raw } = await wallet.sign(dynamicOf(key.address));
      expect(web3Decoded(raw)).to.include({ from: key.address });
      const other = { addresses: [`${proxied.url}/team`] };
      expect(await refusedBy(opened(key.url, other))).to.include({ code: 'forbidden' });
      await proxied.close();
    });
  });

  describe('is named', () => {
    const written: readonly (readonly [string, (key: SignerKey) => string])[] = [
      ['by its public key', ({ url }) => url],
      [
        'in capitals',
        ({ url, publicKey }) => url.replace(publicKey, `0x${publicKey.slice(2).toUpperCase()}`),
      ],
      ['with a slash at its end', ({ url }) => `${url}/`],
      ['with dot segments', ({ url }) => url.replace('/eth1/', '/eth2/../eth1/')],
    ];
    for (const [how, address] of written) {
      it(how, async () => {
        const key = signer.key();
        const wallet = await opened(address(key));
        await wallet.sign(dynamicOf(key.address));
        expect(signer.requests[0]!.path).to.equal(`/api/v1/eth1/sign/${key.publicKey}`);
      });
    }

    it('by its address at a signer that knows it so', async () => {
      const key = signer.key(undefined, { byAddress: true });
      const wallet = await opened(key.url);
      expect(await wallet.account()).to.equal(key.address);
      expect(web3Decoded((await wallet.sign(dynamicOf(key.address))).raw)).to.include({ from: key.address });
    });

    for (const [what, path] of [
      ['an account of Vault', '/v1/ethereum/accounts/a'],
      ['no key', '/api/v1/eth1/sign/'],
      ['a name that is not a key', '/api/v1/eth1/sign/key-1'],
      ['a key without 0x', `/api/v1/eth1/sign/${KNOWN.publicKey.slice(2)}`],
      ['a key that is too short', `/api/v1/eth1/sign/${KNOWN.publicKey.slice(0, -2)}`],
      ['a key that is not on the curve', `/api/v1/eth1/sign/0x${'12'.repeat(64)}`],
      ['a key of the consensus layer', `/api/v1/eth2/sign/${KNOWN.publicKey}`],
      ['more than a key', `/api/v1/eth1/sign/${KNOWN.publicKey}/more`],
      ['a query', `/api/v1/eth1/sign/${KNOWN.publicKey}?a=b`],
    ] as const) {
      it(`not by ${what}`, async () => {
        const refused = await refusedBy(opened(signer.url + path));
        expect(refused).to.include({ code: 'bad-request' });
        expect(refused.message).to.match(/^Wallet-Address .*it must be the key’s .* URL in Web3Signer/);
      });
    }

    for (const token of [' ', 'a b', 'ä', 'a'.repeat(8_193)]) {
      it(`not with the token ${JSON.stringify(token.slice(0, 30))}`, async () => {
        const refused = await refusedBy(opened(signer.key().url, { token }));
        expect(refused).to.include({ code: 'bad-request' });
        expect(refused.message).to.match(/^Wallet-Token must be .* as the proxy before Web3Signer takes it/);
      });
    }
  });

  describe('is believed', () => {
    for (const [what, change] of [
      ['with v as Web3Signer writes it, 27 or 28', (parts: Parts) => parts],
      ['with v as a parity, 0 or 1', (parts: Parts) => ({ ...parts, v: parts.v - 27 })],
    ] as const) {
      it(what, async () => {
        signer.become({ is: 'changing', change });
        const vs = new Set<unknown>();
        for (let nonce = 0; nonce < 16; nonce += 1) {
          const key = signer.key(Buffer.alloc(32, nonce + 1));
          const transaction = dynamicOf(key.address, { nonce });
          const { raw } = await (await opened(key.url)).sign(transaction);
          expect(web3Decoded(raw)).to.include({ from: key.address, nonce, verifies: true });
          vs.add(raw.slice(-134, -132));
        }
        // Both parities were among them.
        expect(vs.size).to.be.greaterThan(1);
      });
    }
  });

  describe('is not believed', () => {
    const LIES: readonly (readonly [string, SignerHabit, RegExp])[] = [
      ['with another key', { is: 'changing', otherKey: true }, /another key than that in Wallet-Address/],
      [
        'with the other v',
        { is: 'changing', change: (parts) => ({ ...parts, v: 55 - parts.v }) },
        /another key than that in Wallet-Address/,
      ],
      [
        'with the higher s, which EIP-2 forbids',
        { is: 'changing', change: ({ r, s, v }) => ({ r, s: ORDER - s, v: 55 - v }) },
        /higher one of its two signatures/,
      ],
      ['with r 0', { is: 'changing', change: (parts) => ({ ...parts, r: 0n }) }, /nothing was sent/],
      ['with s 0', { is: 'changing', change: (parts) => ({ ...parts, s: 0n }) }, /nothing was sent/],
      [
        'with r beyond the curve',
        { is: 'changing', change: (parts) => ({ ...parts, r: ORDER }) },
        /signature that no key can have made/,
      ],
      ...[2, 26, 29, 37, 255].map(
        (v) =>
          [
            `with v ${v}`,
            { is: 'changing', change: (parts: Parts) => ({ ...parts, v }) } as const,
            /no signature/,
          ] as const,
      ),
      ...[
        '',
        '0x',
        'OK',
        'ab'.repeat(65),
        `0x${'ab'.repeat(64)}`,
        `0x${'ab'.repeat(66)}`,
        // More than a signature.
        `0x${'11'.repeat(64)}1b00`,
        `0x${'zz'.repeat(65)}`,
        `"0x${'1b'.repeat(65)}"`,
        `{"signature":"0x${'1b'.repeat(65)}"}`,
        TOKEN,
      ].map(
        (text) =>
          [
            `with the answer ${text.slice(0, 20)}`,
            { is: 'answering', status: 200, text } as const,
            /no signature/,
          ] as const,
      ),
    ];
    for (const [what, habit, words] of LIES) {
      it(what, async () => {
        const refused = await refusal(habit, { token: TOKEN });
        expect(refused).to.include({ code: 'bad-gateway' });
        expect(refused.message)
          .to.match(words)
          .and.match(/nothing was sent to the chain/);
      });
    }
  });

  describe('refuses', () => {
    for (const [status, code, words] of [
      [201, 'bad-gateway', /201/],
      [204, 'bad-gateway', /204/],
      [302, 'bad-gateway', /redirects.*not followed/],
      [400, 'bad-gateway', /400.*its log tells why/],
      [401, 'forbidden', /proxy before Web3Signer refuses Wallet-Token/],
      [403, 'forbidden', /proxy before Web3Signer refuses Wallet-Token/],
      [404, 'not-found', /no key of the name in Wallet-Address/],
      [429, 'unavailable', /nothing was done/],
      [500, 'bad-gateway', /500.*its log tells why/],
      [502, 'unavailable', /nothing was done/],
      [503, 'unavailable', /nothing was done/],
      [504, 'unavailable', /nothing was done/],
    ] as const) {
      it(`with ${status}: ${code}, without what it says`, async () => {
        const headers = { 'retry-after': '7', location: `${signer.url}/elsewhere` };
        const refused = await refusal(
          { is: 'answering', status, text: `said ${TOKEN}`, headers },
          { token: TOKEN },
        );
        expect(refused).to.include({ code });
        expect(refused.message).to.match(words).and.not.contain('said');
        if (code === 'unavailable') expect(refused.retryAfterS).to.equal(7);
        expect(signer.requests).to.have.length(1);
      });
    }

    it('a caller without a token whom its proxy asks for one, and says so', async () => {
      const refused = await refusal({ is: 'answering', status: 401, text: '' });
      expect(refused).to.include({ code: 'forbidden' });
      expect(refused.message).to.contain('needs a Wallet-Token');
    });

    it('a host that it does not take, and names its option', async () => {
      const text = '{"message":"Host not authorized."}';
      const refused = await refusal({ is: 'answering', status: 403, text });
      expect(refused).to.include({ code: 'forbidden' });
      expect(refused.message).to.contain('--http-host-allowlist');
    });

    it('a key that it does not have', async () => {
      const known = signer.key(KNOWN.privateKey);
      const elsewhere = await startWeb3Signer();
      const wallet = await opened(known.url.replace(signer.url, elsewhere.url));
      const refused = await refusedBy(wallet.sign(dynamicOf(known.address)));
      expect(refused).to.include({ code: 'not-found' });
      await elsewhere.close();
    });
  });

  describe('is unavailable', () => {
    it('if it does not answer in time, and its connection is ended', async () => {
      const refused = await refusal({ is: 'holding' }, { timeoutMs: 2_000 });
      expect(refused).to.include({ code: 'unavailable' });
      expect(refused.message).to.contain('did not answer in 2 s; nothing was done');
      expect(signer.held()).to.equal(1);
    });

    it('if its caller needs the signature no more', async () => {
      const key = signer.key();
      signer.become({ is: 'holding' });
      const cancellation = new AbortController();
      const wallet = await opened(key.url);
      const signing = rejectionOf(wallet.sign(dynamicOf(key.address), cancellation));
      cancellation.abort(new Error('of no use'));
      expect(await signing).to.match(/of no use/);
    });

    it('if it cuts the connection, or nothing listens', async () => {
      expect(await refusal({ is: 'closing' })).to.include({ code: 'unavailable' });
      const key = signer.key();
      const nobody = key.url.replace(new URL(signer.url).port, String(await reservedPort()));
      const refused = await refusedBy((await opened(nobody)).sign(dynamicOf(key.address)));
      expect(refused).to.include({ code: 'unavailable' });
      expect(refused.message).to.contain('ECONNREFUSED');
    });

    it('after the service has closed', async () => {
      const key = signer.key();
      const wallet = await opened(key.url);
      await wallets[0]!.close();
      expect(await refusedBy(wallet.sign(dynamicOf(key.address)))).to.include({ code: 'unavailable' });
      expect(signer.requests).to.deep.equal([]);
    });
  });

  it('is refused if its answer does not end', async () => {
    const text = ' '.repeat(300_000);
    const refused = await refusal({ is: 'answering', status: 200, text });
    expect(refused).to.include({ code: 'bad-gateway' });
    expect(refused.message).to.contain('262144 bytes');
  });

  it('signs a slow answer that comes in time, while another account is answered at once', async () => {
    const [slow, quick] = [signer.key(), signer.key()];
    signer.become({ is: 'holding' });
    const all = allOpened();
    const [first, second] = await Promise.all(
      [slow, quick].map(({ url }) => all.open({ type: 'web3signer', address: url, token: '' })),
    );
    const held = first!.sign(dynamicOf(slow.address));
    while (signer.held() === 0) await new Promise(setImmediate);
    signer.become({ is: 'honest' });
    await second!.sign(dynamicOf(quick.address));
    signer.release();
    expect(web3Decoded((await held).raw)).to.include({ from: slow.address });
  });
});
