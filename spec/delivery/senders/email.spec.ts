import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { emailScene, HEADERS, MESSAGE, type EmailScene } from './email-scene.js';
import { reply, type Arrived } from './mail-server.js';

describe('email', () => {
  let scene: EmailScene;
  const mailServer: EmailScene['mailServer'] = (options) => scene.mailServer(options);
  const sender: EmailScene['sender'] = (options) => scene.sender(options);

  beforeEach(() => {
    scene = emailScene();
  });

  afterEach(() => scene.end());

  it('arrives as text and as HTML, under the id of its delivery', async () => {
    const server = await mailServer();
    const answer = await sender({ smtpUrl: server.url }).mail();
    expect(answer.result).to.equal('delivered');
    expect(answer.detail).to.match(/^250 .* in \d+ ms$/);
    const [{ from, to, mail }] = server.arrived as [Arrived];
    expect({ from, to }).to.deep.equal({ from: 'mirzam@example.org', to: ['operator@example.org'] });
    expect(mail.from?.value).to.deep.equal([{ address: 'mirzam@example.org', name: 'Mirzam' }]);
    expect(mail.to).to.have.deep.property('value', [{ address: 'operator@example.org', name: '' }]);
    expect(mail.subject).to.equal(MESSAGE.subject);
    expect(mail.messageId).to.equal('<msg_1@mirzam.example>');
    expect(mail.headers.get('content-type')).to.have.property('value', 'multipart/alternative');
    expect(mail.headers.get('auto-submitted')).to.equal('auto-generated');
    expect(mail.headerLines.map(({ key }) => key)).to.have.members(HEADERS);
    expect(mail.text).to.equal(
      '“busy” fires on web-1.\n\nThe server is busy.\nLook at it — soon.\n\n' +
        'Holds since 2026-01-15T12:00:00Z: the mean of cpu is 92.8, greater than 85.\n\n' +
        'cpu: 97.5 %\nServer: web-1\n' +
        'Where to look: https://mirzam.example/console?server=web-1&rule=2\n',
    );
    expect(mail.html).to.contain('The server is busy.<br>\nLook at it — soon.');
    expect(mail.html).to.match(/<th [^>]*>cpu<\/th><td [^>]*>97\.5 %<\/td>/);
    expect(mail.html).to.contain('server=web-1&amp;rule=2');
  });

  it('names the first mail of its thread', async () => {
    const server = await mailServer();
    const { mail } = sender({ smtpUrl: server.url });
    await mail({}, 'msg_1_mail');
    await mail({ first: 'msg_1_mail' }, 'msg_2_mail');
    const [one, other] = server.arrived.map((arrived) => arrived.mail);
    expect(one!.references).to.equal(undefined);
    expect(one!.inReplyTo).to.equal(undefined);
    expect(other!.references).to.equal(one!.messageId);
    expect(other!.inReplyTo).to.equal(one!.messageId);
    expect(other!.messageId).to.equal('<msg_2_mail@mirzam.example>');
  });

  it('leaves the colours to the reader, dark or light', async () => {
    const server = await mailServer();
    await sender({ smtpUrl: server.url }).mail();
    const html = String(server.arrived[0]?.mail.html);
    expect(html).to.contain('<meta name="color-scheme" content="light dark">');
    expect(html).not.to.match(/(?:color|background):|#[0-9a-f]{3,6}\b/i);
  });

  it('shows markup as text', async () => {
    const server = await mailServer();
    const markup = `<script>alert("1")</script> & '<img src=x onerror=y>'`;
    await sender({ smtpUrl: server.url }).mail({
      body: markup,
      subject: markup,
      facts: [[markup, markup]],
    });
    const html = String(server.arrived[0]?.mail.html);
    expect(html).not.to.match(/<script|<img/);
    expect(
      html.match(/&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt; &amp; &#39;&lt;img/g),
    ).to.have.length(4);
    expect(server.arrived[0]?.mail.text).to.contain(markup);
  });

  it('keeps lines with a meaning in SMTP', async () => {
    const server = await mailServer();
    const body = '.\n..\nQUIT\n.\r\nMAIL FROM:<a@b.cd>\r.\nFrom here';
    await sender({ smtpUrl: server.url }).mail({ body, facts: [] });
    expect(server.arrived).to.have.length(1);
    expect(server.arrived[0]?.mail.text).to.include('\n.\n..\nQUIT\n.\nMAIL FROM:<a@b.cd>\n.\nFrom here');
  });
});

describe('email: its connections', () => {
  let scene: EmailScene;
  const mailServer: EmailScene['mailServer'] = (options) => scene.mailServer(options);
  const sender: EmailScene['sender'] = (options) => scene.sender(options);

  beforeEach(() => {
    scene = emailScene();
  });

  afterEach(() => scene.end());

  it('are reused', async () => {
    const server = await mailServer();
    const { mail } = sender({ smtpUrl: server.url });
    for (let turn = 0; turn < 4; turn += 1) await mail();
    expect(server.arrived).to.have.length(4);
    expect(server.connections()).to.equal(1);
  });

  it('serve the next mail after one that was refused', async () => {
    const server = await mailServer({
      onRcptTo: ({ address }, _session, done) => done(address.startsWith('gone') ? reply(550, 'gone') : null),
    });
    const { mail } = sender({ smtpUrl: server.url });
    expect(await mail({ to: 'gone@example.org' })).to.have.property('result', 'refused');
    expect(await mail()).to.have.property('result', 'delivered');
  });

  it('are replaced if the server has closed a pooled one', async () => {
    const server = await mailServer();
    const { mail } = sender({ smtpUrl: server.url });
    await mail();
    for (const connection of server.server.connections) connection.close();
    expect(await mail()).to.have.property('result', 'delivered');
    expect(server.connections()).to.equal(2);
  });

  it('close with the sender, after the messages in progress', async () => {
    const stages = new EventEmitter();
    const server = await mailServer({
      onData: (stream, _session, done) =>
        void stream.resume().on('end', () => stages.emit('received', () => done(null))),
    });
    const made = sender({ smtpUrl: server.url });
    const received = once(stages, 'received');
    const pending = made.mail();
    const [take] = (await received) as [() => void];
    const order: string[] = [];
    const mailed = pending.then(({ result }) => order.push(result));
    const closed = made.close().then(() => order.push('closed'));
    setImmediate(take);
    await Promise.all([mailed, closed]);
    expect(order).to.deep.equal(['delivered', 'closed']);
    expect(await made.mail()).to.have.property('result', 'retry');
  });
});
