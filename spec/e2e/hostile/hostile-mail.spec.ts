import { expect } from 'chai';
import type { Got } from '../../delivery/senders/receiver.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import type { ApiClient } from '../api-client.js';
import { arrived, cpu, okBody, addSubscribedRule, windowSize } from '../policy/actions.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';

interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers of every mail. */
const HEADERS = [
  'auto-submitted',
  'content-type',
  'date',
  'from',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'message-id',
  'mime-version',
  'received',
  'subject',
  'to',
];

const ALWAYS = { cpu: { value: 0, operand: 'greater equal' } };
const mailRule = (name: string, body: string, email = 'ops@example.org') => ({
  name,
  condition: ALWAYS,
  action: { actionName: 'notify-email', email, body },
});

async function inbox(api: ApiClient): Promise<readonly Mail[]> {
  return okBody(await api.call('GET', '/operator/inbox')) as unknown as Mail[];
}

describe('a rule with hostile content', () => {
  const open = scenes();

  for (const [what, name, body] of [
    ['a body that looks like headers', 'n', 'x\r\nBcc: victim@example.org\r\n\r\n.\r\nMAIL FROM:<a@b.c>\r\n'],
    ['a body that looks like the end of the mail', 'n', 'x\r\n.\r\nQUIT\r\n.\n.\n..\n'],
    ['a body of MIME boundaries', 'n', '------=_Part\r\nContent-Type: text/html\r\n\r\n<script>1</script>'],
    ['an encoded word in its name', '=?utf-8?q?a=0d=0aBcc:_victim@example.org?=', 'x'],
    ['markup in both', '<script>alert(1)</script>', '<img src=x onerror=alert(1)>&amp;"\''],
    [
      'text of both directions and no width',
      '\u202eevil\u202c\u200b',
      '\u202e\u2028Bcc: victim@example.org\u2029',
    ],
    ['line ends in its body of every kind', 'n', 'a\rb\nc\r\nd\u0085e\u2028f\u000bg\u0000h'],
    ['long lines', 'n'.repeat(256), 'y'.repeat(60_000)],
  ] as const) {
    it(`sends one mail to one address, with no further headers, from ${what}`, async () => {
      const { api } = await open.service();
      const receiver = await open.receiver();
      await windowSize(api, 1);
      await addSubscribedRule(api, 'web-1', receiver.origin, mailRule(name, body));
      await cpu(api, 'web-1', 1);
      await arrived(receiver, 1);
      const mails = await eventually(
        async () => {
          const found = await inbox(api);
          return found.length > 0 ? found : undefined;
        },
        SOON_MS,
        () => 'no mail came',
      );
      expect(mails).to.have.length(1);
      const [mail] = mails as [Mail];
      expect(mail.to).to.equal('ops@example.org');
      const names = Object.keys(mail.headers).toSorted();
      expect(HEADERS).to.include.members(names);
      expect(names).to.include.members(['from', 'message-id', 'subject', 'to']);
      expect(mail.subject).not.to.match(/[\r\n]/);
      expect(mail.subject).to.match(/ on web-1$/);
      expect(mail.text).to.match(/^Server: web-1$/m);
      expect(mail.html).not.to.match(/<script|<img/i);
      const { description } = JSON.parse(receiver.got[0]!.body) as { description: string };
      expect(description).to.equal(body);
    });
  }

  it('is refused with several addresses in one', async () => {
    const { api } = await open.service();
    for (const email of [
      'a@example.org,b@example.org',
      'a@example.org\r\nBcc: b@example.org',
      'A <a@example.org>',
      'a@example.org b@example.org',
      '"a b"@example.org',
      'a@localhost',
      'a@@example.org',
      '@example.org',
      'a@example.org\u0000',
      '',
      `${'a'.repeat(300)}@example.org`,
    ]) {
      const answer = await api.call('POST', '/v1.0/demo/rules', mailRule('n', 'x', email));
      expectRefusal(answer, 400, 'action.email');
    }
    for (const name of ['a\r\nb', '\u0000', ' ', '', 'x'.repeat(257), '\u0085']) {
      expectRefusal(await api.call('POST', '/v1.0/demo/rules', mailRule(name, 'x')), 400, 'name');
    }
  });

  it('does not break the webhook: names and bodies arrive unchanged', async () => {
    const { api } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const name = '"},{"action":"scaleDown" ünï ☃ 😀 \u202e';
    const actionName = 'weird "name" \\ 😀';
    await addSubscribedRule(api, 'web-1', receiver.origin, {
      name,
      condition: ALWAYS,
      action: { actionName, operation: 'scaleUp' },
    });
    await cpu(api, 'web-1', 1);
    const [{ body, headers }] = (await arrived(receiver, 1)) as [Got];
    expect(JSON.parse(body)).to.deep.include({ action: 'scaleUp', ruleName: name, actionName });
    expect(Number(headers['content-length'])).to.equal(Buffer.byteLength(body));
  });
});
