import https from 'node:https';
import type http from 'node:http';
import { expect } from 'chai';
import tlsOptions from 'smtp-server/lib/tls-options.js';
import type { Answer } from '../../../src/delivery/port.js';
import { targetRules } from '../../../src/delivery/senders/targets.js';
import type { Lookup } from '../../../src/untrusted/name-lookup.js';
import { startReceiver, type Got } from './receiver.js';
import { status, webhookScene, type WebhookScene } from './webhook-scene.js';

describe('webhook connections', () => {
  let scene: WebhookScene;
  const receiver: WebhookScene['receiver'] = (...args) => scene.receiver(...args);
  const sender: WebhookScene['sender'] = (options) => scene.sender(options);

  beforeEach(() => {
    scene = webhookScene();
  });

  afterEach(() => scene.end());

  it('are reused', async () => {
    const target = await receiver(status(200, {}, 'thanks'));
    const { post } = sender();
    for (let turn = 0; turn < 5; turn += 1) await post(target.origin);
    expect(target.got).to.have.length(5);
    expect(target.connections()).to.equal(1);
  });

  it('are limited for one origin', async () => {
    const target = await receiver(status(200));
    const { post } = sender({ maxSocketsPerOrigin: 3 });
    const answers = await Promise.all(Array.from({ length: 30 }, () => post(target.origin)));
    expect(new Set(answers.map(({ result }) => result))).to.deep.equal(new Set(['delivered']));
    expect(target.connections()).to.equal(3);
  });

  it('are replaced at once if the receiver has closed a pooled one', async () => {
    const target = await receiver((response, { socket }) => {
      if (target.got.length === 2) socket.resetAndDestroy();
      else status(200)(response);
    });
    const { post } = sender();
    await post(target.origin);
    expect(await post(target.origin)).to.have.property('result', 'delivered');
    expect(target.got).to.have.length(3);
    expect(target.connections()).to.equal(2);
  });

  it('lead to the checked address, even if the next lookup returns another', async () => {
    const target = await receiver(status(200), { host: '0.0.0.0' });
    let asked = 0;
    const lookup: Lookup = async () => [
      { address: (asked += 1) === 1 ? '127.0.0.2' : '127.0.0.3', family: 4 },
    ];
    expect(await sender({ lookup }).post(`http://hook.test:${target.port}/`)).to.have.property(
      'result',
      'delivered',
    );
    expect(asked).to.equal(1);
    const [got] = target.got as [Got];
    expect(got.socket.localAddress).to.equal('127.0.0.2');
    expect(got.headers.host).to.equal(`hook.test:${target.port}`);
  });

  it('are not reused if the name has another address, and not made to a refused address', async () => {
    const target = await receiver(status(200), { host: '0.0.0.0' });
    const answers = ['127.0.0.2', '127.0.0.2', '127.0.0.3', '169.254.169.254', '127.0.0.2'];
    const lookup: Lookup = async () => [{ address: answers.shift() ?? '', family: 4 }];
    const { post } = sender({ lookup });
    const results: Answer[] = [];
    for (let turn = 0; turn < 5; turn += 1) results.push(await post(`http://hook.test:${target.port}/`));
    expect(results.map(({ result }) => result)).to.deep.equal(
      'delivered delivered delivered refused delivered'.split(' '),
    );
    expect(results[3]?.detail).to.contain('link-local').and.contain('WEBHOOK_TARGETS');
    const local = target.got.map(({ socket }) => socket);
    expect(target.connections()).to.equal(2);
    expect([local[0] === local[1], local[1] === local[2], local[0] === local[3]]).to.deep.equal([
      true,
      false,
      true,
    ]);
  });

  it('try the addresses of a name one after the other', async () => {
    const target = await startReceiver(status(200));
    const lookup: Lookup = async () => [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ];
    const { post } = sender({ lookup });
    expect(await post(`http://hook.test:${target.port}/`)).to.have.property('result', 'delivered');
    await target.stop();
    const answer = await post(`http://hook.test:${target.port}/`);
    expect(answer).to.have.property('result', 'retry');
    expect(answer.detail).to.contain('127.0.0.1').and.contain('::1');
  });

  it('are not made to a refused literal address', async () => {
    const target = await receiver(status(200));
    const targets = targetRules({ production: true, allowed: [] });
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433']) {
      const answer = await sender({ targets }).post(`http://${host}:${target.port}/`);
      expect(answer, host).to.have.property('result', 'refused');
      expect(answer.detail, host).to.contain('WEBHOOK_TARGETS');
    }
    expect(target.connections()).to.equal(0);
    const listed = targetRules({ production: true, allowed: [target.origin] });
    expect(await sender({ targets: listed }).post(target.origin)).to.have.property('result', 'delivered');
  });
});

describe('webhook over https', () => {
  let scene: WebhookScene;
  const receiver: WebhookScene['receiver'] = (...args) => scene.receiver(...args);
  const sender: WebhookScene['sender'] = (options) => scene.sender(options);

  beforeEach(() => {
    scene = webhookScene();
  });

  afterEach(() => scene.end());

  const lookup: Lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  const secure = () =>
    receiver(status(200), { server: https.createServer(tlsOptions()) as unknown as http.Server });

  it('sends nothing to a receiver with an untrusted certificate', async () => {
    const target = await secure();
    const answer = await sender({ lookup }).post(`https://hook.test:${target.port}/?key=1`);
    expect(answer.result).to.equal('retry');
    expect(answer.detail).to.match(/certificate/i);
    expect(target.got).to.deep.equal([]);
  });

  it('names the host of the url in the handshake', async () => {
    const target = await secure();
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const answer = await sender({ lookup }).post(`https://hook.test:${target.port}/`);
      expect(answer).to.have.property('result', 'delivered');
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
    expect(target.got[0]?.socket).to.have.property('servername', 'hook.test');
  });
});
