import { expect } from 'chai';
import type { Attachment } from 'mailparser';
import { emailScene, HEADERS, MESSAGE, type EmailScene } from '../senders/email-scene.js';
import type { Arrived } from '../senders/mail-server.js';
import { decodedPng } from './decoded-png.js';
import { CPU, WITH_SERIES } from './mail-with-series.js';

describe('an e-mail with series and links', () => {
  let scene: EmailScene;
  beforeEach(() => {
    scene = emailScene();
  });
  afterEach(() => scene.end());

  /** Sends a mail over SMTP. Returns it as it arrived. */
  const sent = async (changes: Parameters<ReturnType<EmailScene['sender']>['mail']>[0]): Promise<Arrived> => {
    const server = await scene.mailServer();
    const answer = await scene.sender({ smtpUrl: server.url }).mail(changes);
    expect(answer.result, answer.detail).to.equal('delivered');
    return server.arrived[0]!;
  };

  it('has each series as a picture in the mail, and loads nothing', async () => {
    const { mail, raw } = await sent(WITH_SERIES);
    expect(mail.attachments).to.have.length(2);
    for (const { contentType, contentDisposition, related, content } of mail.attachments) {
      expect({ contentType, contentDisposition, related }).to.deep.equal({
        contentType: 'image/png',
        contentDisposition: 'inline',
        related: true,
      });
      expect(decodedPng(content)).to.include({ width: 560, height: 192 });
    }
    const cids = mail.attachments.map(({ cid }: Attachment) => cid);
    expect(new Set(cids).size).to.equal(2);
    const written = Buffer.from(raw, 'latin1').toString().replaceAll('=\r\n', '');
    for (const cid of cids) expect(written).to.contain(`src=3D"cid:${cid}"`);
    expect(written).not.to.match(/src=3D"(?!cid:)|@import|url\(|<link|<script|<style/i);
    expect(raw.length).to.be.below(25_000);
  });

  it('is one of text and HTML for programs without pictures', async () => {
    const { mail } = await sent(WITH_SERIES);
    expect(mail.headers.get('content-type')).to.have.property('value', 'multipart/alternative');
    const text = mail.text!.split('\n');
    expect(text.slice(0, 8)).to.deep.equal([
      MESSAGE.headline,
      '',
      'The server is busy.',
      'Look at it — soon.',
      '',
      MESSAGE.reason,
      '',
      'The 5 values of the window of cpu, the newest last: 88, 91, 93, 95, 97; ' +
        'the threshold is 85 %, it clears at 70 %.',
    ]);
    expect(text[9]).to.match(
      /^The window of temperature, 300 values shown as 60, the newest last: 20, 20\.08, .*; the threshold is 30\.$/,
    );
    expect(text.at(-2)).to.equal('Mute: https://mirzam.example/mute/eyJzIjoiczEifQ');
  });

  it('says in the alternative text what a picture shows', async () => {
    const { mail } = await sent({ series: [CPU] });
    expect(mail.html).to.contain(
      'alt="Chart of cpu: 5 values from 88 % to 97 %, the newest 97 %; the threshold is 85 %, it clears at 70 %."',
    );
  });

  it('leads to the page of the server and to mute', async () => {
    const { mail } = await sent(WITH_SERIES);
    expect(linksOf(mail.html)).to.deep.equal([
      'https://mirzam.example/console?server=web-1&amp;rule=2',
      'https://mirzam.example/mute/eyJzIjoiczEifQ',
    ]);
  });

  it('can be unsubscribed with one click of the program', async () => {
    const { mail, raw } = await sent(WITH_SERIES);
    expect(raw).to.match(/^List-Unsubscribe: <https:\/\/mirzam\.example\/mute\/eyJzIjoiczEifQ>\r$/m);
    expect(raw).to.match(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    expect(mail.headerLines.map(({ key }) => key)).to.have.members([
      ...HEADERS,
      'list-unsubscribe',
      'list-unsubscribe-post',
    ]);
  });

  it('writes a long address to mute in one piece', async () => {
    const muteUrl = `https://mirzam.example/mute/${'a'.repeat(700)}`;
    const { mail } = await sent({ muteUrl });
    const value = mail.headerLines.find(({ key }) => key === 'list-unsubscribe')!.line;
    expect(value.replace(/^[^:]*:\s*/, '')).to.equal(`<${muteUrl}>`);
  });

  it('has neither link nor header of an address that is not a web address', async () => {
    for (const address of ['javascript:alert(1)', 'x\r\nBcc: a@b.cd', '', 'https://', 'file:///etc/passwd']) {
      const { mail, to } = await sent({ muteUrl: address, facts: [['Where to look', address]] });
      expect(linksOf(mail.html), address).to.deep.equal([]);
      expect(mail.headerLines.map(({ key }) => key)).to.have.members(HEADERS);
      expect(to).to.deep.equal(['operator@example.org']);
    }
    const { raw } = await sent({ muteUrl: 'https://mirzam.example/mute/a> \r\nBcc: <a@b.cd' });
    expect(raw).not.to.match(/^Bcc/im);
  });

  it('says the action of the rule last, where the rule does not fire', async () => {
    const headline = 'Resolved: “busy” holds no longer on web-1.';
    const reason = 'Does not hold: the mean of cpu is 10, not greater than 85.';
    const { mail } = await sent({ state: 'resolved', headline, reason });
    expect(mail.text!.split('\n').slice(0, 7)).to.deep.equal([
      headline,
      '',
      reason,
      '',
      'When it fires, the rule says:',
      'The server is busy.',
      'Look at it — soon.',
    ]);
    const places = [headline, reason, 'The server is busy.'].map((text) =>
      String(mail.html).lastIndexOf(text),
    );
    expect(places).to.deep.equal(places.toSorted((a, b) => a - b));
  });

  it('has a reason of 32 comparisons whole', async () => {
    const reason = `Holds: ${'the mean of a_metric_with_a_name is 91.4567, greater than 85, or '.repeat(32)}it.`;
    const { mail } = await sent({ reason });
    expect(mail.text!.split('\n')).to.include(reason);
    expect(mail.html).to.include(reason);
  });

  it('has measured numbers with two decimals at most, and small ones with two digits', async () => {
    const { mail } = await sent({
      series: [{ ...CPU, values: [88.123456, 0.012345, 91.5, 0], thresholds: [85.125], size: 4 }],
    });
    expect(mail.text).to.include('the newest last: 88.12, 0.012, 91.5, 0; the threshold is 85.125 %');
    expect(mail.html).to.include('values from 0 % to 91.5 %, the newest 0 %');
  });

  it('shows markup, marks of direction and 10,000 characters as text', async () => {
    const hostile = `<img src="https://evil.example/x.png">"'&\u202Egpj.exe${'x'.repeat(10_000)}`;
    const { mail } = await sent({
      subject: hostile,
      headline: hostile,
      reason: hostile,
      body: hostile,
      facts: [[hostile, hostile]],
      series: [{ ...CPU, metric: hostile }],
    });
    const html = String(mail.html);
    expect(html.match(/<img [^>]*>/g)).to.have.length(1);
    expect(html).to.match(
      /<img src="data:image\/png;base64,[^"]*" width="280" height="96" alt="Chart of &lt;img/,
    );
    expect(html).not.to.match(/src="https/);
    expect(mail.subject).to.have.length(400);
    expect(mail.subject).not.to.contain('\u202E');
    expect(html.length).to.be.below(40_000);
  });

  it('shows at most four series', async () => {
    const { mail } = await sent({ series: Array.from({ length: 9 }, () => CPU) });
    expect(mail.attachments).to.have.length(4);
  });

  it('is the plain one without a window', async () => {
    const { mail } = await sent({});
    expect(mail.attachments).to.deep.equal([]);
    expect(mail.text).to.equal(
      [
        MESSAGE.headline,
        '',
        MESSAGE.body,
        '',
        MESSAGE.reason,
        '',
        ...MESSAGE.facts.map(([label, value]) => `${label}: ${value}`),
        '',
      ].join('\n'),
    );
  });
});

function linksOf(html: string | false | undefined): string[] {
  return [...String(html).matchAll(/<a href="([^"]*)"/g)].map(([, address]) => address!);
}
