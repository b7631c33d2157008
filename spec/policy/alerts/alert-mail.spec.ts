import { expect } from 'chai';
import type { EmailMessage } from '../../../src/delivery/port.js';
import type { Rule } from '../../../src/policy/rules/rule.js';
import {
  type DrivenServer,
  driveServer,
  NOON,
  ruleOf,
  subscriptionOf,
  tenantView,
} from '../server/driven-server.js';

const MAIL = { actionName: 'notify-email', email: 'ops@example.org', body: 'Add a machine' } as const;
const MINUTE = 60_000;

function subscribedServer(rule: Partial<Rule>): DrivenServer {
  const server = driveServer();
  server.addRule(ruleOf({ action: MAIL, ...rule }));
  server.subscribe(subscriptionOf());
  return server;
}

const mailsOf = (server: DrivenServer): EmailMessage[] =>
  server.messages().flatMap(({ message }) => (message.channel === 'email' ? [message] : []));

describe('the e-mail of a rule with a state', () => {
  it('says in the subject that it fires, and that it is over', () => {
    const server = subscribedServer({ resolve: true });
    server.measure({ cpu: 90 });
    server.measure({ cpu: 10 }, { now: NOON + MINUTE });
    expect(mailsOf(server).map(({ subject }) => subject)).to.deep.equal([
      'Firing: busy on web-1',
      'Resolved: busy on web-1',
    ]);
  });

  it('has what happened on which server, and the sentence of explain', () => {
    const server = subscribedServer({ resolve: true });
    server.measure({ cpu: 90 });
    server.measure({ cpu: 10 }, { now: NOON + MINUTE });
    const [firing, resolved] = mailsOf(server) as [EmailMessage, EmailMessage];
    expect(firing).to.include({
      state: 'firing',
      headline: 'busy fires on web-1.',
      reason: 'Holds since 2026-01-15T12:00:00Z: the mean of cpu is 90, greater than 80.',
      body: 'Add a machine',
    });
    expect(resolved).to.include({
      state: 'resolved',
      headline: 'Resolved: busy holds no longer on web-1.',
      reason: 'Does not hold: the mean of cpu is 10, not greater than 80.',
      body: 'Add a machine',
    });
    expect(firing.facts).to.deep.include.members([
      ['State', 'firing'],
      ['Since', '2026-01-15T12:00:00Z'],
      ['Mean of cpu', '90 %'],
      ['Fact', '1'],
    ]);
    expect(resolved.facts).to.deep.include.members([
      ['State', 'resolved'],
      ['Since', '2026-01-15T12:00:00Z'],
      ['Mean of cpu', '10 %'],
      ['Fact', '2'],
    ]);
  });

  it('is sent at once when it is over, and takes no firings from the next one', () => {
    const server = subscribedServer({ resolve: true });
    for (const [minute, cpu] of [90, 90, 10, 90].entries())
      server.measure({ cpu }, { now: NOON + minute * MINUTE });
    expect(mailsOf(server).map(({ subject }) => subject)).to.deep.equal([
      'Firing: busy on web-1',
      'Resolved: busy on web-1',
    ]);
    server.measure({ cpu: 90 }, { now: NOON + 5 * MINUTE });
    expect(mailsOf(server).at(-1)!.facts).to.deep.include([
      'Firings',
      '3 since the last e-mail, this one included',
    ]);
  });

  it('says that no data come, and since when', () => {
    const server = subscribedServer({ noData: 300 });
    server.measure({ cpu: 10 });
    server.ask({ type: 'noDataTimeout', now: NOON + 301_000, tenant: tenantView() });
    const [mail] = mailsOf(server) as [EmailMessage];
    expect(mail).to.include({
      subject: 'No data: busy on web-1',
      headline: 'No data: busy gets no measurements of web-1.',
      reason: 'No data: the last measurement came at 2026-01-15T12:00:00Z, 301 s ago.',
    });
    expect(mail.facts.map(([label]) => label)).to.deep.equal([
      'Server',
      'Tenant',
      'Rule',
      'Condition',
      'State',
      'Last measurement',
      'When',
      'Where to look',
    ]);
    expect(mail).not.to.have.property('series');
  });

  it('has each number that was compared, with its aggregate', () => {
    const server = subscribedServer({
      condition: {
        any: [
          { cpu: { value: 80, operand: 'greater', aggregate: 'max' } },
          { cpu: { value: 80, operand: 'greater', aggregate: 'sum' } },
          { cpu: { value: 70, operand: 'greater', aggregate: 'max' } },
        ],
      },
    });
    const tenant = tenantView(2);
    server.measure([{ cpu: 60.12346 }, { cpu: 90 }], { tenant });
    const [mail] = mailsOf(server) as [EmailMessage];
    expect(mail.facts.filter(([label]) => label.endsWith(' of cpu'))).to.deep.equal([
      ['Max of cpu', '90 %'],
      ['Sum of cpu', '150.12'],
    ]);
    expect(mail.series).to.have.length(1);
    expect(mail.series![0]).to.deep.include({ values: [60.1235, 90], thresholds: [80, 70] });
  });

  it('of the document has the window, and no state', () => {
    const server = subscribedServer({});
    server.measure([{ cpu: 85 }, { cpu: 95 }], { tenant: tenantView(2) });
    const [mail] = mailsOf(server) as [EmailMessage];
    expect(mail.subject).to.equal('busy on web-1');
    expect(mail.facts.map(([label]) => label)).not.to.include.members(['State', 'Since']);
    expect(mail.series![0]).to.deep.include({ values: [85, 95] });
  });

  it('has the any and the not of the rule in its reason', () => {
    const server = subscribedServer({
      condition: {
        any: [
          { cpu: { value: 80, operand: 'greater' } },
          {
            all: [
              { mem: { value: 50, operand: 'greater' } },
              { not: { net: { value: 5, operand: 'less' } } },
            ],
          },
        ],
      },
    });
    server.measure({ cpu: 90, mem: 60, net: 7 });
    expect(mailsOf(server)[0]!.reason).to.equal(
      'Holds since 2026-01-15T12:00:00Z: the mean of cpu is 90, greater than 80, or ' +
        '(the mean of mem is 60, greater than 50, and not (the mean of net is 7, less than 5)).',
    );
  });

  it('counts with its window for the limits of messages', () => {
    const tenant = tenantView(60);
    const measures = Array.from({ length: 60 }, (_, i) => ({ cpu: 90 + i / 7 / 2 }));
    const event = { type: 'facts', now: NOON, measures, source: undefined, tenant } as const;
    const server = subscribedServer({});
    expect(() => server.ask({ ...event, room: 1_000 })).to.throw('too many messages wait');
    server.ask({ ...event, room: 3_000 });
    const [webhook, mail] = server.messages().map(({ message }) => JSON.stringify(message).length);
    expect(webhook! + MAIL.body.length).to.be.below(1_000);
    expect(mail).to.be.within(900, 2_000);
  });

  it('has a link of its own that mutes the subscription', () => {
    const server = subscribedServer({});
    server.measure({ cpu: 90 });
    expect(mailsOf(server)[0]!.muteUrl).to.equal(`https://rules.example.org/mute/acme-web-1-s1-${NOON}`);
  });
});
