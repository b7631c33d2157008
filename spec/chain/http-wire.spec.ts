import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ChainUnavailable } from '../../src/chain/port.js';
import { httpWire } from '../../src/chain/http-wire.js';
import type { Wire } from '../../src/chain/exchange.js';
import { rejectionOf } from '../identity/rejection.js';

describe('a way to a node over HTTP', () => {
  let server: Server;
  let wire: Wire;
  let connections: Socket[];
  /** Of each request: how many came on its connection before. */
  let earlier: number[];
  /** Tears the connection of a request in place of an answer. */
  let tears: (earlier: number) => boolean;

  beforeEach(async () => {
    connections = [];
    earlier = [];
    tears = () => false;
    const served = new WeakMap<Socket, number>();
    server = createServer((request, response) => {
      const before = served.get(request.socket) ?? 0;
      served.set(request.socket, before + 1);
      earlier.push(before);
      if (tears(before)) request.socket.resetAndDestroy();
      else response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
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

  it('asks on one connection, one call after the other', async () => {
    for (let i = 0; i < 3; i += 1) expect(await ask()).to.deep.equal(['0x1']);
    expect(earlier).to.deep.equal([0, 1, 2]);
  });

  it('asks once more where the node has closed the connection that it was kept on', async () => {
    await ask();
    tears = (before) => before === 1;
    expect(await ask()).to.deep.equal(['0x1']);
    expect(earlier).to.deep.equal([0, 1, 0]);
  });

  it('does not ask again and again where new connections are closed as well', async () => {
    await ask();
    tears = () => true;
    expect(await rejectionOf(ask())).to.be.instanceOf(ChainUnavailable);
    expect(earlier).to.deep.equal([0, 1, 0]);
  });

  it('leaves no connection open once it is closed', async () => {
    await ask();
    const [socket] = connections;
    const ended = once(socket!, 'close');
    wire.close();
    await ended;
    expect(connections).to.have.length(1);
  });
});
