import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { rejectionOf } from '../rejection.js';
import { type Handler, type Received, type StandIn, answerJson } from '../identity/stand-in.js';
import { CHAIN_ID, web3Signed } from './transactions.js';
import { FROM, OTHER_KEY, TOKEN, WANTED, rawOf, refusedBy, signed, vaultScene } from './vault-scene.js';

describe('a wallet in Vault, asked', () => {
  const { vault, walletAt } = vaultScene();
  let server: StandIn;
  let answer: Handler;
  beforeEach(async () => {
    answer = (_, response) => answerJson(response, 200, { data: { address: FROM } });
    server = await vault((...exchange) => answer(...exchange));
  });

  const seen = (): string[] => server.requests.map(({ method, path }) => `${method} ${path}`);

  it('gets the requests of vault-ethereum', async () => {
    answer = signed(await rawOf({}));
    const wallet = await walletAt(server.url);
    await wallet.sign(WANTED);
    const [request] = server.requests as [Received];
    expect(seen()).to.deep.equal(['POST /v1/ethereum/accounts/a/sign-tx']);
    expect(request.headers).to.include({
      'x-vault-token': TOKEN,
      'x-vault-request': 'true',
      'content-type': 'application/json',
    });
    expect(JSON.parse(request.body)).to.deep.equal({
      to: WANTED.to,
      data: WANTED.data.slice(2),
      encoding: 'hex',
      amount: '0',
      nonce: '7',
      gas_limit: '60000',
      gas_price: '2000000000',
    });
  });

  it('gets the requests of ethsign', async () => {
    answer = signed(await rawOf({}));
    const wallet = await walletAt(server.url, { path: `/v1/ethsign/accounts/${FROM}` });
    await wallet.sign(WANTED);
    expect(seen()).to.deep.equal([`POST /v1/ethsign/accounts/${FROM}/sign`]);
    expect(JSON.parse(server.requests[0]!.body)).to.deep.equal({
      to: WANTED.to,
      data: WANTED.data,
      value: '0',
      nonce: '7',
      gas: '60000',
      gasPrice: '2000000000',
      chainId: String(CHAIN_ID),
    });
  });

  it('is asked over one reused connection', async () => {
    const raw = await rawOf({});
    const ports: (number | undefined)[] = [];
    answer = (request, response) => {
      ports.push(response.socket?.remotePort);
      signed(raw)(request, response);
    };
    const wallet = await walletAt(server.url);
    for (let round = 0; round < 3; round += 1) await wallet.sign(WANTED);
    expect(new Set(ports)).to.have.length(1);
  });

  it('is asked for its address once a minute', async () => {
    let now = 0;
    const wallet = await walletAt(server.url, { now: () => now });
    await Promise.all([wallet.account(), wallet.account()]);
    now = 59_999;
    await wallet.account();
    expect(seen()).to.deep.equal(['GET /v1/ethereum/accounts/a']);
    now = 60_000;
    expect(await wallet.account()).to.equal(FROM);
    expect(server.requests).to.have.length(2);
  });

  it('is asked for its address again after a signature with another address', async () => {
    const wallet = await walletAt(server.url);
    await wallet.account();
    answer = signed(web3Signed(WANTED, OTHER_KEY));
    await refusedBy(wallet.sign(WANTED));
    answer = (_, response) => answerJson(response, 200, { data: { address: `0x${'AB'.repeat(20)}` } });
    expect(await wallet.account()).to.equal(`0x${'ab'.repeat(20)}`);
  });

  it('is asked for its address again after a failure', async () => {
    const good = answer;
    answer = (_, response) => answerJson(response, 503, {});
    const wallet = await walletAt(server.url);
    await refusedBy(wallet.account());
    answer = good;
    expect(await wallet.account()).to.equal(FROM);
  });

  for (const changes of [
    { to: '0x' },
    { to: '0x00' },
    { from: '0x' },
    { data: '0xf' },
    { nonce: -1 },
    { nonce: 1.5 },
    { nonce: 2 ** 53 },
    { gasPrice: -1n },
    { gasPrice: 1n << 256n },
    { gasLimit: 1n << 64n },
    { chainId: 0 },
  ] as const) {
    it(`is not asked to sign ${inspect(changes, { breakLength: Infinity })}`, async () => {
      const wallet = await walletAt(server.url);
      expect(await rejectionOf(wallet.sign({ ...WANTED, ...changes }))).to.be.instanceOf(TypeError);
      expect(server.requests).to.deep.equal([]);
    });
  }

  describe('whose engine ends', () => {
    const crash = (response: ServerResponse): void =>
      answerJson(response, 500, {
        errors: [
          '1 error occurred:\n\t* rpc error: code = Unavailable desc = error reading from server: EOF\n\n',
        ],
      });
    const listing = (keys: readonly string[]) => (response: ServerResponse) =>
      answerJson(response, 200, { data: { keys } });

    it('is asked again when it lists the account', async () => {
      const raw = await rawOf({});
      let signings = 0;
      answer = (request, response) => {
        if (request.method === 'GET') return listing(['a', 'b'])(response);
        signings += 1;
        return signings < 3 ? crash(response) : signed(raw)(request, response);
      };
      const wallet = await walletAt(server.url);
      expect(await wallet.sign(WANTED)).to.include({ raw });
      expect(seen()).to.deep.equal([
        'POST /v1/ethereum/accounts/a/sign-tx',
        'GET /v1/ethereum/accounts?list=true',
        'POST /v1/ethereum/accounts/a/sign-tx',
        'GET /v1/ethereum/accounts?list=true',
        'POST /v1/ethereum/accounts/a/sign-tx',
      ]);
    });

    it('is not asked again when it does not list the account, so that it ends once', async () => {
      answer = (request, response) => (request.method === 'GET' ? listing(['b'])(response) : crash(response));
      const wallet = await walletAt(server.url);
      expect(await refusedBy(wallet.sign(WANTED))).to.include({ code: 'not-found' });
      expect(seen().filter((line) => line.startsWith('POST'))).to.have.length(1);
    });

    it('is asked five times when it keeps ending although it lists the account', async () => {
      answer = (request, response) => (request.method === 'GET' ? listing(['a'])(response) : crash(response));
      const wallet = await walletAt(server.url);
      expect(await refusedBy(wallet.sign(WANTED))).to.include({ code: 'unavailable' });
      expect(seen().filter((line) => line.startsWith('POST'))).to.have.length(5);
    });

    it('is asked for its list until it is back, and for nothing else meanwhile', async () => {
      let listings = 0;
      answer = (request, response) => {
        if (request.method !== 'GET') return crash(response);
        listings += 1;
        return listings < 3 ? crash(response) : listing(['b'])(response);
      };
      const wallet = await walletAt(server.url);
      expect(await refusedBy(wallet.sign(WANTED))).to.include({ code: 'not-found' });
      expect(seen().filter((line) => line.startsWith('POST'))).to.have.length(1);
    });

    it('is unavailable when it does not come back', async () => {
      answer = (_, response) => crash(response);
      const wallet = await walletAt(server.url);
      expect(await refusedBy(wallet.sign(WANTED))).to.include({ code: 'unavailable' });
    });

    it('gets three requests if the token may not list', async () => {
      answer = (request, response) =>
        request.method === 'GET' ? answerJson(response, 403, {}) : crash(response);
      const wallet = await walletAt(server.url);
      expect(await refusedBy(wallet.sign(WANTED))).to.include({ code: 'bad-gateway' });
      expect(seen().filter((line) => line.startsWith('POST'))).to.have.length(3);
    });

    it('has the time of one answer for all attempts', async () => {
      answer = (request, response) => (request.method === 'GET' ? listing(['a'])(response) : crash(response));
      const wallet = await walletAt(server.url, { timeoutMs: 120 });
      const refused = await refusedBy(wallet.sign(WANTED));
      expect(refused.message).to.contain('did not answer in 0.12 s');
    });
  });
});
