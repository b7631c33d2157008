import net from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { startInbox, type Inbox, type InboxMessage } from '../../src/embedded/inbox.js';

describe('inbox', () => {
  let inbox: Inbox;

  const start = async (options: Parameters<typeof startInbox>[0]): Promise<void> => {
    inbox = await startInbox(options);
  };
  const send = (mail: SendMailOptions): Promise<unknown> =>
    createTransport(inbox.url).sendMail({ from: 'a@example.org', to: 'b@example.org', ...mail });

  /** Sends SMTP commands and keeps the connection. Returns the greeting and each reply. */
  const talk = async (...lines: readonly string[]): Promise<{ replies: string[]; socket: net.Socket }> => {
    const socket = net.connect(Number(new URL(inbox.url).port), '127.0.0.1').setEncoding('utf8');
    const replies: string[] = [];
    for (const line of [undefined, ...lines]) {
      if (line !== undefined) socket.write(`${line}\r\n`);
      let reply = '';
      while (!/^\d{3} .*\r\n$/m.test(reply)) reply += String((await once(socket, 'data'))[0]);
      replies.push(reply);
    }
    return { replies, socket };
  };

  afterEach(() => inbox.close());

  it('listens on the loopback interface only', async () => {
    await start({ max: 10 });
    expect(inbox.url).to.match(/^smtp:\/\/127\.0\.0\.1:\d+$/);
    expect(inbox.messages()).to.deep.equal([]);
  });

  it('shows received mails, decoded', async () => {
    await start({ max: 10, now: () => Date.parse('2026-02-03T04:05:06.789Z') });
    await send({
      from: { name: 'Jürgen', address: 'j@example.org' },
      to: ['b@example.org', 'c@example.org'],
      subject:
        'Überlast auf „web-1“ — eine Betreffzeile, die so lang ist, dass sie gefaltet werden muss, ja wirklich',
      text: 'Grüße\n.\nEnde',
      html: '<p>Grüße</p>',
      messageId: '<m1@example.org>',
    });
    const [message] = inbox.messages() as [InboxMessage];
    const { id, headers, ...rest } = message;
    expect(rest).to.deep.equal({
      from: '"Jürgen" <j@example.org>',
      to: 'b@example.org, c@example.org',
      subject:
        'Überlast auf „web-1“ — eine Betreffzeile, die so lang ist, dass sie gefaltet werden muss, ja wirklich',
      text: 'Grüße\n.\nEnde',
      html: '<p>Grüße</p>',
      receivedAt: '2026-02-03T04:05:06.789Z',
    });
    expect(id).to.be.a('string').that.is.not.empty;
    expect(headers).to.include({ 'message-id': '<m1@example.org>', 'mime-version': '1.0' });
    expect(headers['subject']).to.match(/^=\?UTF-8\?[^\r\n]+\?=$/);
    expect(JSON.parse(JSON.stringify(message))).to.deep.equal(message);
  });

  it('shows a picture in a mail as part of its HTML', async () => {
    await start({ max: 10 });
    const content = Buffer.from('no real picture');
    await send({
      html: '<img src="cid:chart@series"><img src="cid:other@series"><img src="https://example.org/seen.png">',
      attachments: [{ cid: 'chart@series', filename: 'chart.png', contentType: 'image/png', content }],
    });
    const [{ html }] = inbox.messages() as [InboxMessage];
    expect(html).to.equal(
      `<img src="data:image/png;base64,${content.toString('base64')}">` +
        '<img src="cid:other@series"><img src="https://example.org/seen.png">',
    );
  });

  it('shows a mail without headers by its envelope', async () => {
    await start({ max: 10 });
    const envelope = { from: 'x@example.org', to: ['y@example.org', 'z@example.org'] };
    await createTransport(inbox.url).sendMail({
      envelope,
      raw: 'X-A: 1\r\nX-A: 2\r\n__proto__: 3\r\n\r\nplain',
    });
    const [message] = inbox.messages() as [InboxMessage];
    expect(message).to.include({
      from: 'x@example.org',
      to: 'y@example.org, z@example.org',
      subject: '',
      text: 'plain\n',
      html: '',
    });
    expect(message.headers['x-a']).to.equal('1\n2');
    expect(Object.keys(message.headers)).to.have.members(['x-a', '__proto__']);
  });

  it('lists the newest first, each with a unique id, and drops the oldest', async () => {
    await start({ max: 3 });
    for (const subject of ['1', '2', '3', '4', '5']) await send({ subject, text: subject });
    expect(inbox.messages().map(({ subject }) => subject)).to.deep.equal(['5', '4', '3']);
    expect(new Set(inbox.messages().map(({ id }) => id)).size).to.equal(3);
  });

  it('refuses a mail over 1 MiB, and accepts the next', async () => {
    await start({ max: 3 });
    const mail = `subject: large\r\n\r\n${`${'x'.repeat(998)}\r\n`.repeat(1_100)}.`;
    const { replies } = await talk('HELO me', 'MAIL FROM:<a@b.cd>', 'RCPT TO:<e@f.gh>', 'DATA', mail);
    expect(replies.map((reply) => reply.slice(0, 3))).to.deep.equal([
      '220',
      '250',
      '250',
      '250',
      '354',
      '552',
    ]);
    expect(inbox.messages()).to.deep.equal([]);
    await send({ subject: 'small', text: 'x' });
    expect(inbox.messages()).to.have.length(1);
  });

  it('offers and accepts neither login nor TLS', async () => {
    await start({ max: 3 });
    const { replies } = await talk('EHLO me', 'AUTH PLAIN AGEAYg==', 'STARTTLS');
    const [, offered, login, tls] = replies;
    expect(offered)
      .to.match(/^250/)
      .and.not.match(/AUTH|STARTTLS/);
    expect([login, tls].map((reply) => reply?.slice(0, 1))).to.deep.equal(['5', '5']);
  });

  it('survives a connection reset, and closes with a connected client', async () => {
    await start({ max: 3 });
    const { socket: rude } = await talk('EHLO me', 'MAIL FROM:<a@b.cd>', 'RCPT TO:<e@f.gh>', 'DATA');
    rude.resetAndDestroy();
    const { socket: idle } = await talk();
    await send({ subject: 'still there', text: 'x' });
    expect(inbox.messages().map(({ subject }) => subject)).to.deep.equal(['still there']);
    const gone = once(idle.resume(), 'close');
    await inbox.close();
    await gone;
    const refused = net.connect(Number(new URL(inbox.url).port), '127.0.0.1');
    const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNREFUSED');
  });
});
