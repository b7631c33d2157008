import type { ActorKind } from '../../src/actors/kind.js';
import { AUDIT, type AuditEvent, auditKind } from '../../src/audit/audit-machine.js';
import type { ServerEvent } from '../../src/policy/server/server-context.js';
import { ALERT, type AlertEvent, type FiringAlert } from '../../src/policy/alertmanager/alert-machine.js';
import { HISTORY, type HistoryEvent } from '../../src/policy/explain/history-machine.js';
import type { QuietTime } from '../../src/policy/quiet/quiet-time.js';
import { SERVER } from '../../src/policy/server/server-kind.js';
import { TENANT, type TenantEvent } from '../../src/policy/tenant/tenant-machine.js';
import { TREND, type TrendEvent } from '../../src/policy/trend/trend-machine.js';
import { TENANT_NAME, type TenantNameEvent } from '../../src/policy/tenant/tenant-name.js';
import type { Transition } from '../../src/policy/state/subscription-state.js';
import { storiesOf, type Story } from '../actors/stage/snapshot-corpus.features.js';
import { NOON, policyKind, ruleOf, subscriptionOf, tenantView } from './server/driven-server.js';

/** The kinds with a corpus of documents. */
export function storiedKinds(): ActorKind[] {
  const kinds = [SERVER, HISTORY, TREND, ALERT, TENANT, TENANT_NAME].map((name) => policyKind(name));
  return [...kinds, auditKind(24 * HOUR)];
}

const server = storiesOf<ServerEvent>(SERVER, NOON);
const history = storiesOf<HistoryEvent>(HISTORY, NOON);
const trend = storiesOf<TrendEvent>(TREND, NOON);
const alert = storiesOf<AlertEvent>(ALERT, NOON);
const tenant = storiesOf<TenantEvent>(TENANT, NOON);
const audit = storiesOf<AuditEvent>(AUDIT, NOON);
const tenantName = storiesOf<TenantNameEvent>(TENANT_NAME, NOON);

const HOUR = 3_600_000;
const MARK = '0123456789abcdef01234567';
const view = tenantView(2);
const scale = ruleOf();
const mail = ruleOf({
  ruleId: 'r2',
  name: 'busy, told by e-mail',
  condition: { cpu: { value: 85.5, operand: 'greater equal' }, hdd: { value: 0, operand: 'greater' } },
  action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Look at it.\nSoon.' },
});
const extended = ruleOf({
  ruleId: 'r3',
  name: 'hot',
  condition: {
    any: [
      { temperature: { value: 30, operand: 'greater', clear: 20, aggregate: 'max' } },
      { not: { cpu: { value: 5, operand: 'greater' } } },
    ],
  },
  for: 10,
  repeat: 0,
  resolve: true,
  noData: 60,
});
const addExtended = { type: 'addRules', rules: [extended] } as const;
const byExtended = subscriptionOf({ ruleId: 'r3' });
const degrees = (temperature: number, now: number) =>
  ({
    ...facts(90),
    measures: [{ cpu: 90, temperature }],
    times: [{ temperature: now * 1000 }],
    now,
  }) as const;
/** Values of MQTT, each with its time, ms before noon. */
const late = (...before: number[]) =>
  ({
    ...facts(...before.map((ms) => 90 - ms)),
    times: before.map((ms) => ({ cpu: (NOON - ms) * 1000, hdd: (NOON - ms) * 1000 })),
    origin: 'mqtt',
  }) as const;
const byScale = subscriptionOf();
const byMail = subscriptionOf({ id: 's2', ruleId: 'r2' });
const leased = subscriptionOf({ broker: { id: 's1', expiresAt: NOON + 24 * HOUR } });
const facts = (...cpu: number[]) =>
  ({
    type: 'facts',
    measures: cpu.map((value) => ({ cpu: value, hdd: 20.25 })),
    source: undefined,
    tenant: view,
  }) as const;
const intend = {
  type: 'intend',
  mark: MARK,
  known: true,
  wanted: { ruleId: 'r1', url: 'https://example.org/hook' },
  tenant: view,
} as const;
/** `count` transitions of which the first has that number. */
const append = (first: number, count: number) =>
  ({
    type: 'append',
    first,
    transitions: Array.from({ length: count }, (_, i): Transition => ({
      at: NOON + i,
      ruleId: 'r1',
      subscriptionId: 's1',
      from: 'filling',
      to: 'calm',
      sentence: 'Does not hold: the mean of cpu is 20, not greater than 80.',
      factId: first + i,
    })),
  }) as const;
/** A minute with two values of cpu. */
const minute = (after: number, cpu: number) => ({
  metrics: ['cpu'],
  figures: [NOON / 60_000 + after, 2, cpu * 100, 0, cpu * 100],
});
const FORM = {
  format: 'template',
  headers: { Authorization: 'sealed' },
  template: { contentType: 'application/json', body: '{"text": "{{title}}"}' },
} as const;
const addRules = { type: 'addRules', rules: [scale, mail] } as const;
const subscribe = (subscription = byScale) => ({ type: 'subscribe', subscription, tenant: view }) as const;

const changed = { type: 'changed', server: 'web-1', at: NOON } as const;
const firing = (team: string): FiringAlert => ({
  alert: {
    labels: { alertname: 'busy', tenant: 'acme', server: 'web-1', rule_id: 'r1', team },
    annotations: { summary: 'Firing: busy on web-1', description: 'Holds.', subscription_id: 's1' },
    generatorUrl: 'https://rules.example.org/console/servers/acme/web-1',
    startsAt: NOON,
  },
  target: { url: 'https://alertmanager.example.org', headers: { 'X-Key': 'sealed' } },
  delivery: { id: 'msg_019bc0a1f4000000010123456789abcd', factId: 1 },
});
const seen = (team: string | undefined, suppressed = false) =>
  ({
    type: 'seen',
    sight: {
      firing: team === undefined ? undefined : firing(team),
      suppressed,
      isShared: false,
      annotations: firing('').alert.annotations,
    },
  }) as const;

const quiet = (name: string): QuietTime => ({
  name,
  servers: ['web-*'],
  start: '2026-11-21T22:00:00',
  duration: 28_800,
  timezone: 'UTC',
  rrule: 'FREQ=DAILY',
  by: 'ann',
  operator: false,
  at: NOON,
  plan: { spans: [[NOON - HOUR, NOON + HOUR]], to: NOON + HOUR, renewAt: NOON + HOUR / 2 },
});

/** The stories of the corpus. A story is permanent like its documents; only its last event may change. */
export const STORIES: readonly Story[] = [
  audit(
    'is a change of a rule',
    {
      type: 'record',
      entry: {
        at: NOON,
        who: 'ann',
        via: 'console',
        what: 'change',
        target: 'rules/r1',
        before: { name: 'busy' },
        after: { name: 'busy', for: 60 },
      },
    },
    { type: 'wake', now: NOON + HOUR },
  ),
  server('has only been measured', facts(10, 20, 30), facts(40)),
  server('has rules without a subscription', addRules, {
    type: 'changeRule',
    ruleId: 'r2',
    change: { name: 'renamed' },
    tenant: view,
  }),
  server('fills its windows', addRules, subscribe(), facts(90), facts(95)),
  server('has full windows and fires next', addRules, subscribe(), facts(10, 20), facts(99, 99)),
  server(
    'fires, with messages that wait',
    addRules,
    subscribe(),
    subscribe(byMail),
    facts(90, 95),
    facts(97),
  ),
  server('has a mail that stands for several firings', addRules, subscribe(byMail), facts(90, 95, 96), {
    ...facts(97),
    now: NOON + 300_000,
  }),
  server('fires and calms down', addRules, subscribe(), facts(90, 95), facts(10, 10)),
  server('was cut to a smaller window', facts(1, 2, 3), {
    ...facts(4),
    tenant: { ...view, window: { size: 1, version: 3, lows: [[3, 1]] } },
  }),
  server('is fed by a broker', addRules, subscribe(leased), { ...facts(90), source: 'a stranger' }),
  server(
    'renews its lease',
    addRules,
    subscribe(leased),
    { type: 'wake', now: NOON + 23 * HOUR },
    {
      type: 'renewed',
      entryId: 'renew:s1',
      subscriptionId: 's1',
      broker: { id: 'b2', expiresAt: NOON + 48 * HOUR },
    },
  ),
  server(
    'has ended its subscription at the broker',
    addRules,
    subscribe(leased),
    { type: 'unsubscribe', subscriptionId: 's1' },
    { ...facts(90), source: 's1' },
  ),
  server(
    'has a subscription with a form, and a message for it',
    addRules,
    subscribe({ ...byScale, ...FORM }),
    facts(90),
    facts(90),
    { type: 'unsubscribe', subscriptionId: 's1' },
  ),
  server(
    'has lost its rules',
    addRules,
    subscribe(),
    { type: 'removeRule', ruleId: 'r1' },
    subscribe(byMail),
  ),
  server(
    'has a suspended subscription',
    addRules,
    subscribe(),
    { type: 'suspend', subscriptionId: 's1', since: NOON, refused: { deliveryId: 'msg_x', factId: 0 } },
    facts(90, 95),
    subscribe(subscriptionOf({ id: 's9' })),
  ),
  server(
    'has a muted subscription',
    addRules,
    subscribe(),
    { type: 'mute', subscriptionId: 's1', until: NOON + HOUR },
    { type: 'unmute', subscriptionId: 's1' },
  ),
  server(
    'has acknowledged states',
    addRules,
    subscribe(),
    subscribe(byMail),
    facts(90, 95),
    { type: 'acknowledge', subscriptionId: 's1', by: 'ann', note: 'A disk is on its way' },
    { type: 'acknowledge', subscriptionId: 's2', by: 'operator' },
  ),
  server(
    'was emptied by a pause',
    addRules,
    subscribe(),
    facts(90, 95),
    { ...facts(97), now: NOON + 300_001 },
    { ...facts(98), now: NOON + 300_002 },
  ),
  server(
    'notifies when it has held long enough',
    addExtended,
    subscribe(byExtended),
    degrees(40, NOON),
    degrees(35, NOON + 1_000),
    degrees(25, NOON + 11_000),
    degrees(21, NOON + 12_000),
  ),
  server(
    'has no data',
    addExtended,
    subscribe(byExtended),
    degrees(40, NOON),
    { type: 'wake', now: NOON + 60_000 },
    { type: 'noDataTimeout', tenant: view, now: NOON + 60_100 },
    { type: 'noDataTimeout', tenant: view, now: NOON + 61_000 },
  ),
  server('asks a broker', addRules, intend, { type: 'settle', mark: MARK }),
  server(
    'ends what a broker may have made',
    addRules,
    intend,
    { type: 'settle', mark: MARK },
    { type: 'retracted', mark: MARK, brokerIds: ['b1'] },
  ),
  server(
    'hands its minutes over to its trend',
    addRules,
    subscribe(),
    ...Array.from({ length: 12 }, (_, i) => ({ ...facts(80 + i / 8), now: NOON + i * 60_000 })),
  ),
  server(
    'counts late values once',
    addRules,
    subscribe(),
    // More times than a server stores while they come in order.
    { ...late(...Array.from({ length: 17 }, (_, i) => 46 - i)), origin: 'remote-write' },
    late(20, 5),
    late(10),
    late(20, 7, 5, 35),
  ),
  trend(
    'has minutes and tens of minutes',
    { type: 'append', factId: 7, minutes: [minute(-90, 50.5), minute(-89, 70), minute(-3, 1e-3)] },
    { type: 'append', factId: 9, minutes: [minute(-2, 99.75)] },
  ),
  history('is short', append(1, 2), append(2, 2)),
  history('is full', append(1, 9), append(10, 7), append(257, 1)),
  alert(
    'fires',
    changed,
    seen('a'),
    { type: 'performed', entryId: 'deliver' },
    {
      type: 'wake',
      now: NOON + 60_000,
    },
  ),
  alert('is over', changed, seen('a'), changed, seen(undefined), { type: 'wake', now: NOON + 60_000 }),
  alert('has had other labels', changed, seen('a'), changed, seen('b'), changed, seen(undefined)),
  alert('is muted', changed, seen('a'), changed, seen('a', true)),
  server(
    'tells an alert that it has begun',
    addRules,
    subscribe(subscriptionOf({ format: 'alertmanager' })),
    facts(90, 95),
    { type: 'unsubscribe', subscriptionId: 's1' },
  ),
  tenant('is known', { type: 'seen', name: 'Acme' }, { type: 'addRule', rule: scale }),
  tenant(
    'has generic rules',
    { type: 'seen', name: 'Acme' },
    { type: 'seen', name: 'Acme Ltd' },
    { type: 'addRule', rule: scale },
    { type: 'addRule', rule: mail },
    { type: 'changeRule', ruleId: 'r1', change: { condition: { net: { value: 5, operand: 'less' } } } },
  ),
  tenant(
    'was resized several times',
    { type: 'seen', name: 'Acme' },
    { type: 'resize', size: 3 },
    { type: 'resize', size: 100 },
    { type: 'resize', size: 7 },
  ),
  tenant(
    'ends a rule everywhere',
    { type: 'seen', name: 'Acme' },
    { type: 'addRule', rule: scale },
    { type: 'removeRule', ruleId: 'r1' },
    { type: 'performed', entryId: 'ruleChanged:r1' },
  ),
  tenant(
    'has replaced its webhook secret',
    { type: 'seen', name: 'Acme' },
    { type: 'rotateSecret' },
    { type: 'rotateSecret', now: NOON + HOUR },
  ),
  tenant(
    'has a quiet time, and ends one that runs',
    { type: 'seen', name: 'Acme' },
    { type: 'setQuiet', quiet: quiet('nights') },
    { type: 'setQuiet', quiet: { ...quiet('move'), rules: ['r1'], comment: 'moved', operator: true } },
    { type: 'removeQuiet', name: 'nights', operator: false },
  ),
  tenantName('is bound', { type: 'bind', tenantId: 'acme' }, { type: 'bind', tenantId: 'a thief' }),
];
