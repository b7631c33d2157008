import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { EmailMessage } from '../../../src/delivery/port.js';
import type { Rule } from '../../../src/policy/rules/rule.js';
import {
  ADDRESS,
  type DrivenServer,
  driveServer,
  NOON,
  ruleOf,
  subscriptionOf,
  tenantView,
} from '../server/driven-server.js';
import { alertId } from '../../../src/policy/alerts/alert-messages.js';

const MAIL = { actionName: 'notify-email', email: 'ops@example.org', body: 'Look at it' } as const;
const INTERVAL = 300_000;

function subscribedServer(rule: Rule, settings: Parameters<typeof driveServer>[0] = {}): DrivenServer {
  const server = driveServer(settings);
  server.addRule(rule);
  server.subscribe(subscriptionOf());
  return server;
}

const textsOf = (server: DrivenServer): string[] =>
  server.messages().flatMap(({ message }) => (message.channel === 'webhook' ? [message.body] : []));
const mailsOf = (server: DrivenServer): EmailMessage[] =>
  server.messages().flatMap(({ message }) => (message.channel === 'email' ? [message] : []));
const factsOf = (mail: EmailMessage) => Object.fromEntries(mail.facts);

describe('the webhook of a firing', () => {
  it('of a scaling action starts with the members of the original', () => {
    const server = subscribedServer(
      ruleOf({
        name: 'über "busy"',
        condition: { net: { value: 5, operand: 'less' }, cpu: { value: 80, operand: 'greater' } },
      }),
    );
    server.measure({ cpu: 85.3, net: 1 / 3, mem: 7 }, { now: NOON + 7 });
    const id = server.messages()[0]!.id;
    expect(textsOf(server)).to.deep.equal([
      `{"action":"scaleUp","serverId":"web-1","id":"${id}","factId":1,"tenantId":"acme","ruleId":"r1",` +
        '"ruleName":"über \\"busy\\"","actionName":"notify-scale","subscriptionId":"s1",' +
        '"measures":{"cpu":85.3,"net":0.3333333333333333},' +
        '"condition":{"net":{"value":5,"operand":"less"},"cpu":{"value":80,"operand":"greater"}},' +
        '"firedAt":"2026-01-15T12:00:00.007Z"}',
    ]);
  });

  it('of notify-email starts with the members of the original', () => {
    const server = subscribedServer(ruleOf({ action: MAIL }));
    server.measure({ cpu: 90 });
    const id = server.messages()[0]!.id;
    expect(textsOf(server)).to.deep.equal([
      '{"action":"notifyEmail","serverId":"web-1","email":"ops@example.org","description":"Look at it",' +
        `"id":"${id}","factId":1,"tenantId":"acme","ruleId":"r1","ruleName":"busy","actionName":"notify-email",` +
        '"subscriptionId":"s1","measures":{"cpu":90},"condition":{"cpu":{"value":80,"operand":"greater"}},' +
        '"firedAt":"2026-01-15T12:00:00.000Z"}',
    ]);
  });

  it('of any other action is that of a scaling action with the other name', () => {
    const server = subscribedServer(
      ruleOf({ action: { actionName: 'page-someone', operation: 'scaleDown' } }),
    );
    server.measure({ cpu: 90 });
    expect(server.bodies()[0]).to.include({ action: 'scaleDown', actionName: 'page-someone' });
    expect(server.messages()).to.have.length(1);
  });

  it('goes to the url of the subscription and has the time of the firing', () => {
    const server = subscribedServer(ruleOf());
    server.measure({ cpu: 90 }, { now: NOON + 7 });
    const [{ message, subscriptionId, firedAt }] = server.messages() as [
      ReturnType<typeof server.messages>[0],
    ];
    expect(message).to.include({ channel: 'webhook', url: 'https://example.org/hook' });
    expect({ subscriptionId, firedAt }).to.deep.equal({ subscriptionId: 's1', firedAt: NOON + 7 });
  });

  it('does not change with the rule', () => {
    const server = subscribedServer(ruleOf());
    server.measure({ cpu: 90 });
    const before = textsOf(server);
    const change = { name: 'other', action: { actionName: 'x', operation: 'scaleDown' } } as const;
    server.ask({ type: 'changeRule', now: NOON, ruleId: 'r1', change, tenant: tenantView() });
    expect(textsOf(server)).to.deep.equal(before);
    server.ask({ type: 'removeRule', now: NOON, ruleId: 'r1' });
    expect(textsOf(server)).to.deep.equal(before);
  });
});

describe('the id of a firing', () => {
  it('is the same each time a measurement is decided, on every node', () => {
    const first = subscribedServer(ruleOf());
    const second = subscribedServer(ruleOf());
    first.measure({ cpu: 90 });
    second.measure({ cpu: 90 });
    expect(second.messages()[0]!.id).to.equal(first.messages()[0]!.id);
    const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
    const time = NOON.toString(16).padStart(12, '0');
    const [line, alert] = [digest('acme/web-1/s1').slice(0, 4), digest('acme/web-1/s1/1').slice(0, 10)];
    expect(first.messages()[0]!.id).to.equal(`msg_${time}000001${line}${alert}`);
  });

  it('sorts behind those of earlier firings', () => {
    const times = [0, 255, 256, NOON, NOON + 1, 9_999_999_999_999];
    const ids = times.map((now) => {
      const server = subscribedServer(ruleOf());
      server.measure({ cpu: 90 }, { now });
      return server.messages()[0]!.id;
    });
    expect(ids.toSorted()).to.deep.equal(ids);
  });

  it('differs between facts, subscriptions, servers and tenants', () => {
    const addresses = [ADDRESS, { ...ADDRESS, name: 'web-2' }, { ...ADDRESS, tenant: 'other' }];
    const ids = addresses.flatMap((address) => {
      const server = driveServer({}, address);
      server.addRule(ruleOf({ action: MAIL }));
      server.subscribe(subscriptionOf());
      server.subscribe(subscriptionOf({ id: 's2', url: 'https://example.org/2' }));
      server.measure([{ cpu: 90 }, { cpu: 90 }]);
      return server.messages().map(({ id }) => id);
    });
    expect(ids).to.have.length(3 * (2 + 2 + 2));
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('differs between two noData of one time, which follow different measurements', () => {
    const key = { tenantId: 'acme', serverId: 'web-1', subscriptionId: 's1', factId: null, firedAt: NOON };
    const ids = [undefined, NOON - 20_000, NOON - 10_000].map((since) => alertId({ ...key, since }));
    expect(new Set(ids).size).to.equal(3);
  });
});

describe('the e-mail of a firing', () => {
  const rule = ruleOf({
    name: 'busy',
    condition: { cpu: { value: 80, operand: 'greater' }, mem: { value: 50, operand: 'less equal' } },
    action: MAIL,
  });

  it('names the rule, the server, the measures, the time and the address of the server', () => {
    const server = subscribedServer(rule);
    server.measure({ cpu: 85.333333, mem: 50 });
    expect(mailsOf(server)).to.deep.equal([
      {
        channel: 'email',
        to: 'ops@example.org',
        state: 'firing',
        subject: 'busy on web-1',
        headline: 'busy fires on web-1.',
        reason:
          'Holds since 2026-01-15T12:00:00Z: the mean of cpu is 85.3333, greater than 80, ' +
          'and the mean of mem is 50, at most 50.',
        body: 'Look at it',
        facts: [
          ['Server', 'web-1'],
          ['Tenant', 'Acme Inc'],
          ['Rule', 'busy'],
          ['Condition', 'cpu > 80 and mem <= 50'],
          ['Mean of cpu', '85.33 %'],
          ['Mean of mem', '50 %'],
          ['When', '2026-01-15T12:00:00.000Z'],
          ['Fact', '1'],
          ['Where to look', 'https://rules.example.org/console/servers/acme/web-1'],
        ],
        muteUrl: `https://rules.example.org/mute/acme-web-1-s1-${NOON}`,
      },
    ]);
  });

  it('is sent in addition to the webhook, under its own id', () => {
    const server = subscribedServer(rule);
    server.measure({ cpu: 90, mem: 0 });
    const [webhook, mail] = server.messages();
    expect(webhook!.message.channel).to.equal('webhook');
    expect(mail!.message.channel).to.equal('email');
    expect(mail!.id).to.equal(`${webhook!.id}_mail`);
    expect(mail!.subscriptionId).to.equal('s1');
  });

  it('is sent at most once per subscription and interval; each firing sends a webhook', () => {
    const server = subscribedServer(ruleOf({ action: MAIL }), { mailIntervalMs: INTERVAL });
    for (const after of [0, 1, INTERVAL - 1, INTERVAL, INTERVAL + 1, 2 * INTERVAL]) {
      server.measure({ cpu: 90 }, { now: NOON + after });
    }
    expect(mailsOf(server).map((mail) => factsOf(mail)['When'])).to.deep.equal(
      [0, INTERVAL, 2 * INTERVAL].map((after) => new Date(NOON + after).toISOString()),
    );
    expect(textsOf(server)).to.have.length(6);
  });

  it('names the number of firings since the last e-mail', () => {
    const server = subscribedServer(ruleOf({ action: MAIL }), { mailIntervalMs: INTERVAL });
    for (const after of [0, 1, 2, INTERVAL, INTERVAL + 1, 2 * INTERVAL, 3 * INTERVAL]) {
      server.measure({ cpu: 90 }, { now: NOON + after });
    }
    expect(mailsOf(server).map((mail) => factsOf(mail)['Firings'])).to.deep.equal([
      undefined,
      '3 since the last e-mail, this one included',
      '2 since the last e-mail, this one included',
      undefined,
    ]);
  });

  it('is held back for each subscription separately', () => {
    const server = subscribedServer(ruleOf({ action: MAIL }));
    server.measure({ cpu: 90 });
    server.subscribe(subscriptionOf({ id: 's2', url: 'https://example.org/2' }));
    server.measure({ cpu: 90 }, { now: NOON + 1 });
    expect(server.messages().filter(({ message }) => message.channel === 'email')).to.have.length(2);
    expect(server.messages().at(-1)!.subscriptionId).to.equal('s2');
  });

  it('is sent for every firing if the interval is 0', () => {
    const server = subscribedServer(ruleOf({ action: MAIL }), { mailIntervalMs: 0 });
    server.measure([{ cpu: 90 }, { cpu: 90 }, { cpu: 90 }]);
    expect(mailsOf(server)).to.have.length(3);
  });

  it('is forgotten once its subscription has ended', () => {
    const server = subscribedServer(ruleOf({ action: MAIL }));
    server.measure({ cpu: 90 });
    expect(server.context.mail).to.have.keys('s1');
    server.ask({ type: 'unsubscribe', now: NOON, subscriptionId: 's1' });
    expect(server.context.mail).to.be.empty;
  });
});
