import { EventEmitter, once } from 'node:events';
import type http from 'node:http';
import { expect } from 'chai';
import { ended, startReceiver, type Got } from './receiver.js';
import { status, webhookScene, type WebhookScene } from './webhook-scene.js';

describe('webhook receiver that fails', () => {
  let scene: WebhookScene;
  const receiver: WebhookScene['receiver'] = (...args) => scene.receiver(...args);
  const sender: WebhookScene['sender'] = (options) => scene.sender(options);

  beforeEach(() => {
    scene = webhookScene();
  });

  afterEach(() => scene.end());

  it('is tried again when it is down', async () => {
    const target = await startReceiver(status(200));
    await target.stop();
    expect(await sender().post(target.origin)).to.deep.equal({
      result: 'retry',
      detail: `connection refused (connect ECONNREFUSED 127.0.0.1:${target.port})`,
    });
  });

  it('is tried again when its name is unknown', async () => {
    const lookup = () => Promise.reject(new Error('getaddrinfo ENOTFOUND gone.example'));
    expect(await sender({ lookup }).post('http://gone.example/?key=1')).to.deep.equal({
      result: 'retry',
      detail: 'unknown host (getaddrinfo ENOTFOUND gone.example)',
    });
  });

  it('is tried again when it resets the connection before its answer', async () => {
    const target = await receiver((_response, { socket }) => void socket.resetAndDestroy());
    const answer = await sender().post(target.origin);
    expect(answer).to.have.property('result', 'retry');
    expect(answer.detail).to.match(/ECONNRESET|socket hang up/);
    expect(target.got).to.have.length(1);
  });

  it('is tried again when it does not speak HTTP', async () => {
    const target = await receiver((_response, { socket }) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    const answer = await sender().post(target.origin);
    expect(answer).to.have.property('result', 'retry');
    expect(answer.detail).to.match(/^Parse Error/);
  });

  it('is tried again when it switches protocols', async () => {
    const switching = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n';
    const target = await receiver((_response, { socket }) => void socket.end(switching));
    expect(await sender({ timeoutMs: 150 }).post(target.origin)).to.have.property('result', 'retry');
  });

  const late: readonly (readonly [string, (response: http.ServerResponse) => void])[] = [
    ['never answers', () => undefined],
    [
      'trickles its headers',
      (response) => {
        response.socket?.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => response.socket?.write('x-a: b\r\n'), 10);
        response.socket?.on('close', () => clearInterval(timer));
      },
    ],
  ];
  for (const [name, answer] of late) {
    it(`is tried again when it ${name}, and its connection is closed`, async () => {
      const target = await receiver(answer);
      expect(await sender({ timeoutMs: 2_000 }).post(target.origin)).to.deep.equal({
        result: 'retry',
        detail: 'no answer within 2000 ms',
      });
      await ended((target.got[0] as Got).socket);
    });
  }

  it('is tried again when the lookup of its name takes too long', async () => {
    const answer = await sender({ timeoutMs: 50, lookup: () => new Promise(() => undefined) }).post(
      'http://a.b/',
    );
    expect(answer).to.deep.equal({ result: 'retry', detail: 'no answer within 50 ms' });
  });

  it('does not delay other receivers', async () => {
    const silent = await receiver(() => undefined);
    const quick = await receiver(status(200));
    const { post } = sender({ maxSocketsPerOrigin: 2, timeoutMs: 15_000 });
    let ended = 0;
    for (let turn = 0; turn < 10; turn += 1) void post(silent.origin).then(() => (ended += 1));
    expect(await post(quick.origin)).to.have.property('result', 'delivered');
    expect(ended).to.equal(0);
  });
});

describe('webhook sender when it is closed', () => {
  let scene: WebhookScene;
  const receiver: WebhookScene['receiver'] = (...args) => scene.receiver(...args);
  const sender: WebhookScene['sender'] = (options) => scene.sender(options);

  beforeEach(() => {
    scene = webhookScene();
  });

  afterEach(() => scene.end());

  it('aborts attempts in flight and sends nothing more', async () => {
    const requests = new EventEmitter();
    const target = await receiver(() => requests.emit('request'));
    const made = sender();
    const reached = once(requests, 'request');
    const pending = made.post(target.origin);
    await reached;
    await made.close();
    expect(await pending).to.deep.equal({ result: 'retry', detail: 'broken off: the service stops' });
    expect(await made.post(target.origin)).to.have.property('result', 'retry');
    expect(target.got).to.have.length(1);
  });
});
