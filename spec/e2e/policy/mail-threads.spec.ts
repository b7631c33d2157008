import { expect } from 'chai';
import { type Arrived, startMailServer } from '../../delivery/senders/mail-server.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { scenes } from '../scene.js';
import { addSubscribedRule, cpu, okBody, windowSize } from './actions.js';

const RULE = {
  name: 'busy',
  condition: {
    any: [{ cpu: { value: 85, operand: 'greater' } }, { not: { cpu: { value: 2, operand: 'greater' } } }],
  },
  repeat: 1,
  resolve: true,
  action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Add a machine, please.' },
} as const;

describe('the mails of one period at a mail server', () => {
  const open = scenes();

  it('are one thread: firing, repeat and resolved, over a restart; the next period is another', async () => {
    let now = Date.parse('2026-11-21T10:00:00Z');
    const server = open.keep(await startMailServer(), ({ stop }) => stop());
    const settings = {
      SMTP_URL: server.url,
      MAIL_INTERVAL_S: '0',
      MAIL_TIMEZONE: 'America/New_York',
      DATA_DIR: await open.folder(),
    };
    const start = () => open.service(settings, () => now);
    const arrived = (count: number): Promise<readonly Arrived[]> =>
      eventually(
        () => (server.arrived.length >= count ? server.arrived : undefined),
        SOON_MS,
        () => `${server.arrived.length} of ${count} mails came`,
      );

    const before = await start();
    await windowSize(before.api, 1);
    const { ruleId } = await addSubscribedRule(before.api, 'web-1', 'http://127.0.0.1:9/', RULE);
    await cpu(before.api, 'web-1', 90.123456);
    await arrived(1);
    const explained = okBody(
      await before.api.call('GET', `/v1.0/demo/servers/web-1/rules/${ruleId}/explain`),
    );
    const [{ sentence }] = explained['subscriptions'] as unknown as [{ sentence: string }];
    await before.close();

    const { api } = await start();
    for (const [value, count] of [
      [91, 2],
      [10, 3],
      [1, 4],
    ] as const) {
      now += 2_000;
      await cpu(api, 'web-1', value);
      await arrived(count);
    }
    const [firing, repeat, resolved, next] = server.arrived.map(({ mail }) => mail);
    expect([firing, repeat, resolved, next].map((mail) => mail!.subject)).to.deep.equal([
      'Firing: busy on web-1',
      'Firing: busy on web-1',
      'Resolved: busy on web-1',
      'Firing: busy on web-1',
    ]);
    expect(firing!.references).to.equal(undefined);
    for (const mail of [repeat, resolved]) {
      expect(mail!.references).to.equal(firing!.messageId);
      expect(mail!.inReplyTo).to.equal(firing!.messageId);
    }
    expect(next!.references).to.equal(undefined);
    expect(new Set(server.arrived.map(({ mail }) => mail.messageId)).size).to.equal(4);

    const local = 'Sat, 21 Nov 2026, 05:00:00 America/New_York';
    expect(sentence).to.equal(
      'Holds since 2026-11-21T10:00:00Z: the mean of cpu is 90.1235, greater than 85.',
    );
    expect(firing!.text).to.include(sentence.replace('10:00:00Z', `10:00:00Z (${local})`));
    expect(firing!.text).to.match(/^Mean of cpu: 90\.12 %$/m);
    expect(firing!.text!.split('\n')[0]).to.equal('busy fires on web-1.');
    expect(resolved!.text).to.include(
      'Does not hold: the mean of cpu is 10, not greater than 85, or not (the mean of cpu is 10, greater than 2).',
    );
  });
});
