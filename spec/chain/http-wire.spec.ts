import { expect } from 'chai';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ChainUnavailable } from '../../src/chain/port.js';
import { httpWire } from '../../src/chain/http-wire.js';
import type { NodeError, Wire } from '../../src/chain/exchange.js';
import { rejectionOf } from '../rejection.js';

const ERROR = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"insufficient funds"}}';

describe('the HTTP wire', () => {
  let server: Server;
  let wire: Wire;
  let connections: Socket[];
  /** Of each request: how many came on its connection before. */
  let earlier: number[];
  /** Tears the connection of a request in place of an answer. */
  let tears: (earlier: number) => boolean;
  /** undefined: none. */
  let answer: { status: number; body: string } | undefined;

  beforeEach(async () => {
    connections = [];
    earlier = [];
    tears = () => false;
    answer = { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":"0x1"}' };
    const served = new WeakMap<Socket, number>();
    server = createServer((request, response) => {
      const before = served.get(request.socket) ?? 0;
      served.set(request.socket, before + 1);
      earlier.push(before);
      if (tears(before)) request.socket.resetAndDestroy();
      else if (answer !== undefined) response.writeHead(answer.status).end(answer.body);
    }).on('connection', (socket: Socket) => connections.push(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    wire = httpWire(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });
  afterEach(() => {
    wire.close();
    server.close();
    server.closeAllConnections();
  });

  const ask = (): Promise<readonly unknown[]> =>
    wire.exchange([{ id: 1, method: 'eth_chainId', params: [] }], new AbortController().signal);

  it('reuses one connection for calls one after the other', async () => {
    for (let i = 0; i < 3; i += 1) expect(await ask()).to.deep.equal(['0x1']);
    expect(earlier).to.deep.equal([0, 1, 2]);
  });

  it('sends a request once more if the node has closed the idle connection', async () => {
    await ask();
    tears = (before) => before === 1;
    expect(await ask()).to.deep.equal(['0x1']);
    expect(earlier).to.deep.equal([0, 1, 0]);
  });

  it('does not send a request a third time if the new connection is closed as well', async () => {
    await ask();
    tears = () => true;
    expect(await rejectionOf(ask())).to.be.instanceOf(ChainUnavailable);
    expect(earlier).to.deep.equal([0, 1, 0]);
  });

  it('does not send a request once more if the connection is closed in the middle of the answer', async () => {
    await ask();
    const given = answer;
    answer = undefined;
    const begun = answerBegun();
    const broken = rejectionOf(ask());
    const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    response.writeHead(200, { 'content-length': '99' }).write('{');
    await begun;
    request.socket.resetAndDestroy();
    expect(await broken).to.be.instanceOf(ChainUnavailable);
    answer = given;
    await ask();
    expect(earlier).to.deep.equal([0, 1, 0]);
  });

  it('is certain of an error to a request that was sent once, with a status of JSON-RPC', async () => {
    for (const status of [200, 400]) {
      answer = { status, body: ERROR };
      expect((await ask())[0], String(status)).to.deep.include({ code: -32_000, isCertain: true });
    }
  });

  it('is not certain of an error with the status of a gateway, nor of one to a request that was sent twice', async () => {
    for (const status of [429, 500, 502, 503]) {
      answer = { status, body: ERROR };
      expect((await ask())[0], String(status)).to.deep.include({ code: -32_000, isCertain: false });
    }
    answer = { status: 200, body: ERROR };
    tears = (before) => before === 4;
    expect((await ask())[0]).to.deep.include({ message: 'insufficient funds', isCertain: false });
    expect(earlier).to.deep.equal([0, 1, 2, 3, 4, 0]);
  });

  it('is not certain of errors to requests that a refused batch held before', async () => {
    answer = { status: 200, body: ERROR };
    const requests = [1, 1].map((id) => ({ id, method: 'eth_chainId', params: [] }));
    const outcomes = await wire.exchange(requests, new AbortController().signal);
    expect(outcomes.map((it) => (it as NodeError).isCertain)).to.deep.equal([false, false]);
    const [known] = await wire.exchange(requests, new AbortController().signal);
    expect(known, 'the size is remembered').to.include({ isCertain: true });
  });

  it('leaves no connection open once it is closed', async () => {
    await ask();
    const [socket] = connections;
    const ended = once(socket!, 'close');
    wire.close();
    await ended;
    expect(connections).to.have.length(1);
  });

  it('ends requests to a hung node when it is closed, and sends no more', async () => {
    await ask();
    answer = undefined;
    const [hung] = [rejectionOf(ask()), await once(server, 'request')];
    wire.close();
    for (const rejected of [hung, rejectionOf(ask())])
      expect(await rejected).to.be.instanceOf(ChainUnavailable);
    expect([earlier, connections.length]).to.deep.equal([[0, 1], 1]);
  });
});

/** Resolves when this process has the head of the next answer to a request. */
function answerBegun(): Promise<void> {
  const channel = 'http.client.response.finish';
  return new Promise((resolve) => {
    const begun = (): void => {
      unsubscribe(channel, begun);
      resolve();
    };
    subscribe(channel, begun);
  });
}
