import { expect } from 'chai';
import type { Rule } from '../../../src/policy/rules/rule.js';
import { localTimeIn } from '../../../src/policy/alerts/local-times.js';
import { driveServer, NOON, ruleOf, subscriptionOf, tenantView } from '../server/driven-server.js';

const MAIL = { actionName: 'notify-email', email: 'ops@example.org', body: 'Add a machine' } as const;
const MINUTE = 60_000;

/** A server with one subscription, whose mails have no minimum interval unless given. */
function mailing(rule: Partial<Rule>, settings: Parameters<typeof driveServer>[0] = {}) {
  const server = driveServer({ mailIntervalMs: 0, ...settings });
  server.addRule(ruleOf({ action: MAIL, ...rule }));
  server.subscribe(subscriptionOf());
  const mails = () =>
    server.messages().flatMap(({ id, message }) => (message.channel === 'email' ? [{ id, ...message }] : []));
  return {
    server,
    mails,
    cpu: (value: number, minute: number) =>
      void server.measure({ cpu: value }, { now: NOON + minute * MINUTE }),
    silence: (minute: number) =>
      void server.ask({ type: 'noDataTimeout', now: NOON + minute * MINUTE, tenant: tenantView() }),
    /** The state of each mail, with the number of the mail that it names as the first of its thread. */
    threads: () => {
      const ids = mails().map(({ id }) => id);
      return mails().map(({ state, first }) =>
        first === undefined ? state : `${state} ${ids.indexOf(first)}`,
      );
    },
  };
}

describe('the thread of mails', () => {
  it('is one period of a subscription: the next period begins another', () => {
    const { cpu, threads } = mailing({ repeat: 60, resolve: true });
    for (const [minute, value] of [90, 91, 10, 92, 93, 20].entries()) cpu(value, minute);
    expect(threads()).to.deep.equal(['firing', 'firing 0', 'resolved 0', 'firing', 'firing 3', 'resolved 3']);
  });

  it('is one period of a rule without states, too', () => {
    const { cpu, threads } = mailing({});
    for (const [minute, value] of [90, 91, 10, 92].entries()) cpu(value, minute);
    expect(threads()).to.deep.equal(['firing', 'firing 0', 'firing']);
  });

  it('is its own for each lack of measurements, and the period goes on behind it', () => {
    const { cpu, silence, threads } = mailing({ noData: 300, repeat: 60, resolve: true });
    cpu(90, 0);
    silence(6);
    cpu(91, 7);
    silence(13);
    cpu(10, 14);
    expect(threads()).to.deep.equal(['firing', 'noData', 'firing 0', 'noData', 'resolved 0']);
  });

  it('begins with the first mail that was sent, not with a firing within MAIL_INTERVAL_S', () => {
    const { cpu, threads } = mailing({ resolve: true }, { mailIntervalMs: 10 * MINUTE });
    for (const [minute, value] of [90, 10, 92, 20].entries()) cpu(value, minute);
    expect(threads()).to.deep.equal(['firing', 'resolved 0', 'resolved']);
  });

  it('has the mail of each firing without MAIL_INTERVAL_S, also if the clock of the last sender is a little ahead', () => {
    const { cpu, threads } = mailing({});
    cpu(90, 1);
    cpu(91, 1 - 900 / MINUTE);
    expect(threads()).to.deep.equal(['firing', 'firing 0']);
  });

  it('is of one subscription', () => {
    const { server, cpu, threads } = mailing({});
    server.subscribe(subscriptionOf({ id: 's2', url: 'https://example.org/2' }));
    cpu(90, 0);
    cpu(91, 1);
    expect(threads()).to.deep.equal(['firing', 'firing', 'firing 0', 'firing 1']);
  });
});

describe('the times of a mail', () => {
  const localTime = localTimeIn('Europe/Berlin');

  it('stand in UTC, and beside it in the time zone of the readers', () => {
    const { cpu, mails } = mailing({ resolve: true }, { localTime });
    cpu(90, 0);
    const [{ reason, facts }] = mails() as [ReturnType<typeof mails>[number]];
    expect(reason).to.equal(
      'Holds since 2026-01-15T12:00:00Z (Thu, 15 Jan 2026, 13:00:00 Europe/Berlin): ' +
        'the mean of cpu is 90, greater than 80.',
    );
    expect(facts).to.deep.include.members([
      ['Since', '2026-01-15T12:00:00Z (Thu, 15 Jan 2026, 13:00:00 Europe/Berlin)'],
      ['When', '2026-01-15T12:00:00.000Z (Thu, 15 Jan 2026, 13:00:00 Europe/Berlin)'],
    ]);
  });

  it('are those of summer in summer', () => {
    expect(localTime(Date.parse('2026-03-29T00:59:59Z'))).to.equal(
      'Sun, 29 Mar 2026, 01:59:59 Europe/Berlin',
    );
    expect(localTime(Date.parse('2026-03-29T01:00:00Z'))).to.equal(
      'Sun, 29 Mar 2026, 03:00:00 Europe/Berlin',
    );
  });
});
