import { expect } from 'chai';
import fc from 'fast-check';
import { emailScene, HEADERS, type EmailScene } from './email-scene.js';
import type { Arrived } from './mail-server.js';

describe('email: hostile parts', () => {
  let scene: EmailScene;
  const mailServer: EmailScene['mailServer'] = (options) => scene.mailServer(options);
  const sender: EmailScene['sender'] = (options) => scene.sender(options);

  beforeEach(() => {
    scene = emailScene();
  });

  afterEach(() => scene.end());

  const PARTS = [
    '\r\n|\n|\r|\u0000|\u2028|\u202E|\t| |\ud800|Ⅷ|,|;|:|<|>|"|.|--|a',
    'Bcc: evil@example.com|Content-Type: text/html|=?utf-8?q?=0d=0aBcc:_a@b.cd?=',
  ];
  const nasty = fc
    .array(fc.constantFrom(...PARTS.flatMap((parts) => parts.split('|'))), { maxLength: 30 })
    .map((parts) => parts.join(''));

  it('in the subject, the body, a fact or the id add no header and no recipient', async () => {
    const server = await mailServer();
    const { mail } = sender({ smtpUrl: server.url });
    await fc.assert(
      fc.asyncProperty(nasty, nasty, nasty, nasty, async (subject, body, fact, id) => {
        expect(await mail({ subject, body, facts: [[fact, fact]] }, id)).to.have.property(
          'result',
          'delivered',
        );
        const { to, mail: got } = server.arrived.at(-1) as Arrived;
        expect(to).to.deep.equal(['operator@example.org']);
        const keys = got.headerLines.map(({ key }) => key);
        expect(HEADERS).to.include.members(keys);
        expect(new Set(keys).size).to.equal(keys.length);
        expect(got.subject ?? '').not.to.match(/[\p{Cc}\u202E\u2028]/u);
        expect(got.messageId).to.match(/^<[\w.-]*@mirzam\.example>$/);
        expect(got.headers.get('content-type')).to.have.property('value', 'multipart/alternative');
        expect(got.attachments).to.deep.equal([]);
      }),
      { numRuns: 60 },
    );
  });

  it('in the subject are not decoded by the reader’s program', async () => {
    const server = await mailServer();
    await sender({ smtpUrl: server.url }).mail({ subject: '=?utf-8?q?=0d=0aBcc:_a@b.cd?= “x”' });
    expect(server.arrived[0]?.mail.subject).to.equal('= ?utf-8?q?=0d=0aBcc:_a@b.cd?= “x”');
  });

  it('in the recipient are refused without a connection', async () => {
    const server = await mailServer();
    const { mail } = sender({ smtpUrl: server.url });
    const recipients = [
      '|operator|@example.org|a@|a@b@c.de|.@b.cd|.a@b.cd|a..b@c.de|a@b..cd|a@.b.cd|a(b)@c.de|a%b.cd@"x"',
      'a@b.cd,e@f.gh|a@b.cd;e@f.gh|a@b.cd e@f.gh|Eve <a@b.cd>|<a@b.cd>|"a@b.cd e"@f.gh|group:a@b.cd;',
      '@x.yz:a@b.cd|a@[127.0.0.1]|a@b.cd\r\nRCPT TO:<e@f.gh>|a@b.cd\nBcc: e@f.gh|a\u0000@b.cd|a@b.cd>\r\nDATA',
      `a@b_c.de|a@b!c.de|a@b'c.de|a\u200b@b.cd|a\u202e@b.cd|a@b\u00adc.de|a\ud800@b.cd|a@\ud800.cd`,
      `${'a'.repeat(65)}@b.cd|a@${'b'.repeat(64)}.cd|a@${`${'b'.repeat(63)}.`.repeat(3)}${'b'.repeat(60)}`,
    ].flatMap((line) => line.split('|'));
    for (const to of recipients) {
      expect(await mail({ to }), to).to.deep.equal({
        result: 'refused',
        detail: 'to must be one e-mail address, such as operator@example.org',
      });
    }
    expect(server.connections()).to.equal(0);
  });

  it('in any other recipient reach that recipient or none', async () => {
    const server = await mailServer();
    const { mail } = sender({ smtpUrl: server.url });
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 20 }), async (text) => {
        const before = server.arrived.length;
        const answer = await mail({ to: `${text}@example.org` });
        const reached = server.arrived.slice(before).flatMap(({ to }) => to);
        expect(reached).to.deep.equal(answer.result === 'delivered' ? [`${text}@example.org`] : []);
      }),
      { numRuns: 60 },
    );
    expect(await mail({ to: 'plain@example.org' })).to.have.property('result', 'delivered');
  });

  it('do not include unusual addresses, which are reached as written', async () => {
    const server = await mailServer();
    const { mail } = sender({ smtpUrl: server.url });
    const recipients = [
      "a!#$%&'*+/=?^_`{|}~-@b.cd",
      'bücher@b.cd',
      'a@bücher.example',
      'a@host',
      'a.b.c@1.2.cd',
      `${'a'.repeat(64)}@b.cd`,
      `a@${`${'b'.repeat(63)}.`.repeat(3)}${'b'.repeat(59)}`,
    ];
    for (const to of recipients) {
      expect(await mail({ to }), to).to.have.property('result', 'delivered');
      expect(server.arrived.at(-1)?.to).to.deep.equal([to]);
    }
  });
});
