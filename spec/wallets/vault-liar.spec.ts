import type { ServerResponse } from 'node:http';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { expect } from 'chai';
import { reservedPort } from '../servers/ports.js';
import { type Handler, answerJson } from '../identity/stand-in.js';

import { web3Signed } from './transactions.js';
import { KEY, OTHER_KEY, TOKEN, WANTED, rawOf, refusedBy, signed, vaultScene } from './vault-scene.js';

describe('a wallet with wrong answers', () => {
  const { vault, walletAt, signingWith, closeWallets } = vaultScene();

  it('is accepted if it signs the transaction that it was sent', async () => {
    const raw = await rawOf({});
    const server = await vault(signed(raw));
    const wallet = await walletAt(server.url);
    expect(await wallet.sign(WANTED)).to.include({ raw });
  });

  for (const [field, changes] of [
    ['nonce', { nonce: 8 }],
    ['gas price', { gasPrice: 1n }],
    ['gas limit', { gasLimit: 1n }],
    ['receiver', { to: `0x${'cd'.repeat(20)}` }],
    ['data', { data: '0x' }],
    ['chain id', { chainId: 1 }],
  ] as const) {
    it(`is not believed with another ${field}`, async () => {
      const refused = await signingWith(signed(await rawOf(changes)));
      expect(refused).to.include({ code: 'bad-gateway' });
      expect(refused.message).to.match(new RegExp(`signed with another ${field} than.*nothing was sent`));
    });
  }

  it('is refused if it signs a value', async () => {
    const refused = await signingWith(signed(web3Signed(WANTED, KEY, 1n)));
    expect(refused).to.include({ code: 'bad-gateway' });
    expect(refused.message).to.contain('another value');
  });

  it('is refused if it signs for another sender', async () => {
    const refused = await signingWith(signed(web3Signed(WANTED, OTHER_KEY)));
    expect(refused).to.include({ code: 'bad-gateway' });
    expect(refused.message).to.contain('another sender');
  });

  for (const [what, raw] of [
    ['no text', 7],
    ['an empty text', ''],
    ['no hexadecimal', `0x${TOKEN}`],
    ['a typed transaction', '0x02f86b'],
  ] as const) {
    it(`is not believed when its signed transaction is ${what}`, async () => {
      expect(await signingWith(signed(raw))).to.include({ code: 'bad-gateway' });
    });
  }

  it('is refused without decoding if its signed transaction is far too long', async () => {
    const refused = await signingWith(signed(`0xf9ffff${'c1'.repeat(60_000)}`));
    expect(refused).to.include({ code: 'bad-gateway' });
    expect(refused.message).to.contain('too long');
  });

  for (const text of [
    '',
    '<html>hello</html>',
    '[]',
    '{}',
    'null',
    '{"data":1}',
    '{"data":{}}',
    '{"data":',
    TOKEN,
  ]) {
    it(`is not believed with the answer ${JSON.stringify(text)}, signing and reading`, async () => {
      const server = await vault((_, response) => response.end(text));
      const wallet = await walletAt(server.url);
      expect(await refusedBy(wallet.sign(WANTED))).to.include({ code: 'bad-gateway' });
      expect(await refusedBy(wallet.account())).to.include({ code: 'bad-gateway' });
    });
  }

  for (const address of ['0xabc', `0x${'zz'.repeat(20)}`, 'ab'.repeat(20), 7, null]) {
    it(`has no account at ${JSON.stringify(address)}`, async () => {
      const server = await vault((_, response) => answerJson(response, 200, { data: { address } }));
      const wallet = await walletAt(server.url);
      expect(await refusedBy(wallet.account())).to.include({ code: 'bad-gateway' });
    });
  }

  for (const [status, code] of [
    [201, 'bad-gateway'],
    [204, 'bad-gateway'],
    [400, 'bad-gateway'],
    [401, 'bad-gateway'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [405, 'bad-gateway'],
    [429, 'unavailable'],
    [472, 'bad-gateway'],
    [500, 'bad-gateway'],
    [502, 'bad-gateway'],
    [503, 'unavailable'],
  ] as const) {
    it(`answers ${status}: ${code}, without what it says`, async () => {
      const refused = await signingWith((request, response) => {
        answerJson(response, status, { errors: [`said ${String(request.headers['x-vault-token'])}`] });
      });
      expect(refused).to.include({ code });
      expect(refused.message).not.to.contain('said');
    });
  }

  for (const fault of [
    'dial tcp 127.0.0.1:1: connect: connection refused',
    'read tcp 127.0.0.1:2->127.0.0.1:1: read: connection reset by peer',
    'EOF',
  ]) {
    it(`says that its engine does not reach its node: ${fault}`, async () => {
      const errors = [`1 error occurred:\n\t* Post "http://127.0.0.1:1": ${fault}\n\n`];
      const refused = await signingWith((_, response) => answerJson(response, 500, { errors }));
      expect(refused).to.include({ code: 'bad-gateway' });
      expect(refused.message).to.match(/does not reach its own node \(rpc_url\)$/);
    });
  }

  const at = Date.parse('2026-03-01T12:00:00Z');
  for (const [header, seconds] of [
    [undefined, 1],
    ['7', 7],
    ['0', 1],
    ['999999', 3_600],
    ['Sun, 01 Mar 2026 12:00:09 GMT', 9],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 1],
    ['soon', 1],
  ] as const) {
    it(`asks for ${seconds} s when Vault takes no more and says ${header ?? 'nothing'}`, async () => {
      const handler: Handler = (_, response) =>
        answerJson(response, 429, {}, header === undefined ? {} : { 'retry-after': header });
      const refused = await signingWith(handler, { now: () => at });
      expect(refused).to.include({ code: 'unavailable', retryAfterS: seconds });
    });
  }

  it('is refused if it redirects, which is not followed', async () => {
    const elsewhere = await vault(signed(await rawOf({})));
    for (const status of [301, 302, 303, 307, 308]) {
      const refused = await signingWith((request, response) =>
        response.writeHead(status, { location: `${elsewhere.url}${request.path}` }).end(),
      );
      expect(refused, String(status)).to.include({ code: 'bad-gateway' });
      expect(refused.message).to.contain('not followed');
    }
    expect(elsewhere.requests).to.deep.equal([]);
  });

  for (const [what, handler] of [
    ['nothing', () => undefined],
    ['half an answer', half],
  ] as const) {
    it(`is unavailable when it answers ${what} and waits, and its connection is ended`, async () => {
      let hungUp = (): void => undefined;
      const ended = new Promise<void>((resolve) => (hungUp = resolve));
      const refused = await signingWith(
        (_, response) => {
          response.once('close', hungUp);
          handler(response);
        },
        { timeoutMs: 2_000 },
      );
      expect(refused).to.include({ code: 'unavailable', retryAfterS: 1 });
      expect(refused.message).to.match(/did not answer in 2 s; nothing was done/);
      await ended;
    });
  }

  it('is unavailable if nothing listens at its address', async () => {
    const wallet = await walletAt(`http://127.0.0.1:${await reservedPort()}`);
    const refused = await refusedBy(wallet.sign(WANTED));
    expect(refused).to.include({ code: 'unavailable' });
    expect(refused.message).to.contain('ECONNREFUSED');
  });

  it('is unavailable if it cuts the connection, before its answer or in it', async () => {
    expect(await signingWith((_, response) => response.destroy())).to.include({ code: 'unavailable' });
    const inside = await signingWith((_, response) => {
      half(response);
      response.socket?.end();
    });
    expect(inside).to.include({ code: 'unavailable' });
  });

  it('is refused if it does not speak HTTP', async () => {
    const server = createServer((socket: Socket) => {
      socket
        .on('error', () => undefined)
        .once('data', (data) => socket.end(`${TOKEN} ${data.toString()}\r\n\r\n`));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const wallet = await walletAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const refused = await refusedBy(wallet.sign(WANTED));
    expect(refused).to.include({ code: 'bad-gateway' });
    server.close();
  });

  it('is refused if its answer does not end', async () => {
    let sent = 0;
    const refused = await signingWith((_, response) => {
      const more = (): void => {
        sent += 65_536;
        if (response.writable) response.write(' '.repeat(65_536), more);
      };
      more();
    });
    expect(refused).to.include({ code: 'bad-gateway' });
    expect(refused.message).to.contain('262144 bytes');
    expect(sent).to.be.below(64 * 1024 ** 2);
  });

  it('is not asked after the service has closed, and refuses open requests', async () => {
    let arrived = (): void => undefined;
    const asked = new Promise<void>((resolve) => (arrived = resolve));
    const server = await vault(() => arrived());
    const wallet = await walletAt(server.url);
    const inFlight = refusedBy(wallet.sign(WANTED));
    await asked;
    await closeWallets();
    expect(await inFlight).to.include({ code: 'unavailable' });
    expect(await refusedBy(wallet.sign(WANTED))).to.include({ code: 'unavailable' });
    expect(server.requests).to.have.length(1);
  });
});

function half(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
  response.write('{"data":');
}
