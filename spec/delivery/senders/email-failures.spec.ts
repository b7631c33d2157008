import { EventEmitter, once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { SMTPServerOptions } from 'smtp-server';
import { emailScene, type EmailScene } from './email-scene.js';
import { reply, startMailServer, type MailServer } from './mail-server.js';

describe('email: a server that refuses a message', () => {
  let scene: EmailScene;
  const mailServer: EmailScene['mailServer'] = (options) => scene.mailServer(options);
  const sender: EmailScene['sender'] = (options) => scene.sender(options);

  beforeEach(() => {
    scene = emailScene();
  });

  afterEach(() => scene.end());

  const stages = ['onConnect', 'onMailFrom', 'onRcptTo', 'onData'] as const;
  const refusing = (stage: (typeof stages)[number], error: Error): SMTPServerOptions => {
    const callback = (...args: unknown[]): void => (args.at(-1) as (error: Error) => void)(error);
    if (stage !== 'onData') return { [stage]: callback };
    return { onData: (stream, _session, done) => void stream.resume().on('end', () => done(error)) };
  };

  for (const stage of stages) {
    it(`for now (${stage}) gets another attempt`, async () => {
      const server = await mailServer(refusing(stage, reply(451, 'greylisted')));
      const answer = await sender({ smtpUrl: server.url }).mail();
      expect(answer).to.have.property('result', 'retry');
      expect(answer.detail).to.contain('451').and.contain('greylisted');
    });

    it(`for good (${stage}) gets no other attempt`, async () => {
      const server = await mailServer(refusing(stage, reply(550, 'no such user')));
      const answer = await sender({ smtpUrl: server.url }).mail();
      expect(answer).to.have.property('result', 'refused');
      expect(answer.detail).to.contain('550').and.contain('no such user');
    });
  }

  it('for its announced size gets no other attempt', async () => {
    const server = await mailServer({ size: 100, rejectOversized: true });
    expect(await sender({ smtpUrl: server.url }).mail()).to.have.property('result', 'refused');
  });

  it('gets another attempt when it is down', async () => {
    const server = await startMailServer();
    await server.stop();
    const answer = await sender({ smtpUrl: server.url }).mail();
    expect(answer).to.have.property('result', 'retry');
    expect(answer.detail).to.contain('ECONNREFUSED');
  });

  it('gets another attempt when it closes the connection before, during or after the dialogue', async () => {
    const closing: SMTPServerOptions[] = [
      { onConnect: (_session, done) => done(reply(421, 'too busy')) },
      { onMailFrom: (_address, session) => drop(session.id) },
      { onData: (stream, session) => void stream.resume().on('end', () => drop(session.id)) },
    ];
    let drop: (id: string) => void = () => undefined;
    for (const options of closing) {
      const server = await mailServer(options);
      drop = (id) => {
        for (const connection of server.server.connections) if (connection.id === id) connection.close();
      };
      expect(await sender({ smtpUrl: server.url }).mail()).to.have.property('result', 'retry');
    }
  });

  const raw: readonly (readonly [string, (socket: net.Socket) => void])[] = [
    ['is silent', () => undefined],
    [
      'trickles its greeting',
      (socket) => {
        const timer = setInterval(() => socket.write('220-slowly\r\n'), 10);
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ];
  for (const [name, greet] of raw) {
    it(`gets another attempt when it ${name}, and its connection is closed`, async () => {
      const connections = new EventEmitter();
      const server = net.createServer((socket) => {
        socket.on('error', () => undefined);
        socket.resume().on('close', () => connections.emit('closed'));
        greet(socket);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      scene.alsoEnd(() => new Promise((resolve) => server.close(() => resolve())));
      const closed = once(connections, 'closed');
      const smtpUrl = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
      expect(await sender({ smtpUrl, timeoutMs: 2_000 }).mail()).to.deep.equal({
        result: 'retry',
        detail: 'the mail server took over nothing within 2000 ms',
      });
      await closed;
    });
  }
});

describe('email: credentials', () => {
  let scene: EmailScene;
  const mailServer: EmailScene['mailServer'] = (options) => scene.mailServer(options);
  const sender: EmailScene['sender'] = (options) => scene.sender(options);

  beforeEach(() => {
    scene = emailScene();
  });

  afterEach(() => scene.end());

  const authenticating = (onAuth: SMTPServerOptions['onAuth']): SMTPServerOptions => ({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    ...(onAuth && { onAuth }),
  });
  const withCredentials = (server: MailServer): string =>
    `smtp://k%40tie:p%2Fss%3Aword@127.0.0.1:${server.port}`;

  it('of the url are sent to the server', async () => {
    const server = await mailServer(
      authenticating(({ username, password }, _session, done) =>
        username === 'k@tie' && password === 'p/ss:word' ? done(null, { user: 1 }) : done(reply(535, 'no')),
      ),
    );
    expect(await sender({ smtpUrl: withCredentials(server) }).mail()).to.have.property('result', 'delivered');
  });

  it('that the server rejects do not make the message a dead letter, and are not shown', async () => {
    const server = await mailServer(
      authenticating(({ username, password }, _session, done) =>
        done(reply(535, `${username}/${password} is wrong (p%2Fss%3Aword)`)),
      ),
    );
    const answer = await sender({ smtpUrl: withCredentials(server) }).mail();
    expect(answer.result).to.equal('retry');
    expect(answer.detail).to.contain('535').and.contain('is wrong');
    expect(answer.detail).not.to.match(/k@tie|p\/ss|p%2Fss|word/);
  });

  it('that are missing do not make the message a dead letter', async () => {
    const server = await mailServer(authenticating(undefined));
    const answer = await sender({ smtpUrl: server.url }).mail();
    expect(answer).to.have.property('result', 'retry');
    expect(answer.detail).to.contain('530');
  });
});

describe('email: STARTTLS', () => {
  let scene: EmailScene;
  const mailServer: EmailScene['mailServer'] = (options) => scene.mailServer(options);
  const sender: EmailScene['sender'] = (options) => scene.sender(options);

  beforeEach(() => {
    scene = emailScene();
  });

  afterEach(() => scene.end());

  it('is used if the server offers it', async () => {
    const server = await mailServer({ disabledCommands: ['AUTH'] });
    const answer = await sender({ smtpUrl: `${server.url}/?tls.rejectUnauthorized=false` }).mail();
    expect(answer).to.have.property('result', 'delivered');
    expect(server.arrived[0]).to.have.property('secure', true);
  });

  it('with an untrusted certificate does not fall back to plain text', async () => {
    const server = await mailServer({ disabledCommands: ['AUTH'] });
    const answer = await sender({ smtpUrl: server.url }).mail();
    expect(answer).to.have.property('result', 'retry');
    expect(answer.detail).to.match(/certificate/i);
    expect(server.arrived).to.deep.equal([]);
  });
});
