import type { ActorEvent, ActorKind } from '../../src/actors/kind.js';
import { DELIVERY } from '../../src/delivery/delivery.js';
import type { EndpointEvent } from '../../src/delivery/endpoint/endpoint-machine.js';
import type { DeliveryEvent } from '../../src/delivery/delivery.js';
import type { EmailMessage, WebhookMessage } from '../../src/delivery/port.js';
import { ENDPOINT } from '../../src/delivery/endpoint/endpoint-machine.js';
import type { ServerEvent } from '../../src/policy/server/server-context.js';
import { SERVER } from '../../src/policy/server/server-kind.js';
import { TENANT } from '../../src/policy/tenant/tenant-machine.js';
import type { TenantEvent } from '../../src/policy/tenant/tenant-machine.js';
import { TENANT_NAME } from '../../src/policy/tenant/tenant-name.js';
import type { TenantNameEvent } from '../../src/policy/tenant/tenant-name.js';
import type { Story } from '../actors/stage/snapshot-corpus.features.js';
import { drivenEndpointKind } from '../delivery/endpoint/driven-endpoint.js';
import { drivenDeliveryKind } from '../delivery/driven-delivery.js';
import { NOON, policyKind, ruleOf, subscriptionOf, tenantView } from './server/driven-server.js';

/** The kinds with a corpus of documents. */
export function storiedKinds(): ActorKind[] {
  const policy = [SERVER, TENANT, TENANT_NAME].map((name) => policyKind(name));
  return [...policy, drivenDeliveryKind(), drivenEndpointKind()];
}

type Untimed<E> = E extends ActorEvent ? Omit<E, 'now'> & { readonly now?: number } : never;

function told<E extends ActorEvent>(kind: string) {
  return (title: string, ...events: Untimed<E>[]): Story => {
    const timed = events.map((event) => ({ now: NOON, ...event }));
    return { kind, title, events: timed.slice(0, -1), next: timed.at(-1)! };
  };
}

const server = told<ServerEvent>(SERVER);
const tenant = told<TenantEvent>(TENANT);
const tenantName = told<TenantNameEvent>(TENANT_NAME);
const delivery = told<DeliveryEvent>(DELIVERY);
const endpoint = told<EndpointEvent>(ENDPOINT);

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
const addRules = { type: 'addRules', rules: [scale, mail] } as const;
const subscribe = (subscription = byScale) => ({ type: 'subscribe', subscription, tenant: view }) as const;

const webhook: WebhookMessage = { channel: 'webhook', url: 'https://example.org/hook', body: '{"x":"ü"}' };
const email: EmailMessage = {
  channel: 'email',
  to: 'ops@example.org',
  subject: 'busy on web-1',
  body: 'Look at it.\nSoon.',
  facts: [['Server', 'web-1']],
};
const about = { tenant: 'acme', server: 'web-1', subscriptionId: 's1' };
const send = { type: 'send', message: webhook, about } as const;
const answered = (answer: { result: 'delivered' | 'retry' | 'refused'; detail: string }) =>
  ({ type: 'answered', answer, random: 0.5 }) as const;
const retry = answered({ result: 'retry', detail: '503 in 3 ms' });
const refused = answered({ result: 'refused', detail: '404 in 3 ms' });
const taken = answered({ result: 'delivered', detail: '200 in 3 ms' });
const reported = { type: 'performed', entryId: `report:${NOON}` } as const;
const failed = (deliveryId: string, status: number | undefined) =>
  ({ type: 'failed', deliveryId, server: 'web-1', status }) as const;

/** The stories of the corpus. A story is permanent like its documents; only its last event may change. */
export const STORIES: readonly Story[] = [
  server('has only been measured', facts(10, 20, 30), facts(40)),
  server('has rules that nothing watches', addRules, {
    type: 'changeRule',
    ruleId: 'r2',
    change: { name: 'renamed' },
  }),
  server('fills its windows', addRules, subscribe(), facts(90), facts(95)),
  server('watches', addRules, subscribe(), facts(10, 20), facts(99, 99)),
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
    { type: 'suspend', subscriptionId: 's1', since: NOON },
    facts(90, 95),
    subscribe(subscriptionOf({ id: 's9' })),
  ),
  server('asks a broker', addRules, intend, { type: 'settle', mark: MARK }),
  server(
    'ends what a broker may have made',
    addRules,
    intend,
    { type: 'settle', mark: MARK },
    { type: 'retracted', mark: MARK, brokerIds: ['b1'] },
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
    { type: 'performed', entryId: 'endRule:r1' },
  ),
  tenant(
    'has replaced its webhook secret',
    { type: 'seen', name: 'Acme' },
    { type: 'rotateSecret' },
    { type: 'rotateSecret', now: NOON + HOUR },
  ),
  tenantName('is bound', { type: 'bind', tenantId: 'acme' }, { type: 'bind', tenantId: 'a thief' }),
  delivery('is under way', send, answered({ result: 'delivered', detail: '200 in 3 ms' })),
  delivery('is an e-mail under way', { ...send, message: email }, refused),
  delivery('waits for its next attempt', send, retry, { type: 'wake', now: NOON + 1_000 }),
  delivery(
    'was postponed',
    send,
    { type: 'postponed', until: NOON + 700 },
    { type: 'wake', now: NOON + 700 },
  ),
  delivery('was delivered', send, answered({ result: 'delivered', detail: '200 in 3 ms' }), {
    type: 'wake',
    now: NOON + HOUR,
  }),
  delivery('is a dead letter', send, retry, { type: 'wake', now: NOON + 1_000 }, refused, {
    type: 'redeliver',
  }),
  delivery('is a dead letter that was never tried', { ...send, overdue: true }, { type: 'redeliver' }),
  delivery('has reported that it is dead', send, refused, reported, { type: 'discard' }),
  delivery(
    'ends a row of refusals',
    send,
    { ...taken, endsRefusals: true },
    {
      type: 'performed',
      entryId: `delivered:${NOON}`,
    },
  ),
  delivery(
    'is a dead letter that goes',
    send,
    refused,
    reported,
    { type: 'wake', now: NOON + 721 * HOUR },
    {
      type: 'expired',
    },
  ),
  endpoint('has refused a message', failed('msg_1', 404), { type: 'delivered' }),
  endpoint('is suspended', failed('msg_1', undefined), failed('msg_2', 410), { type: 'resume', since: NOON }),
  endpoint(
    'is looked after',
    failed('msg_1', 404),
    { type: 'wake', now: NOON + 24 * HOUR },
    { type: 'checked', subscribed: false, alive: ['msg_1'] },
  ),
];
