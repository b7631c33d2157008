import type { ActorKind } from '../../src/actors/kind.js';
import { DELIVERY, type DeliveryEvent } from '../../src/delivery/delivery.js';
import { ENDPOINT, type EndpointEvent } from '../../src/delivery/endpoint/endpoint-machine.js';
import type { EmailMessage, WebhookMessage } from '../../src/delivery/port.js';
import { storiesOf, type Story } from '../actors/stage/snapshot-corpus.features.js';
import { drivenDeliveryKind, NOON } from './driven-delivery.js';
import { RECEIVER, type ReceiverEvent } from '../../src/delivery/receiver/receiver-machine.js';
import { drivenEndpointKind } from './endpoint/driven-endpoint.js';
import { drivenReceiverKind, FAILED, tried } from './receiver/driven-receiver.js';

/** The kinds of the deliveries, each with a corpus of documents. */
export function storiedKinds(): ActorKind[] {
  return [drivenDeliveryKind(), drivenEndpointKind(), drivenReceiverKind()];
}

const delivery = storiesOf<DeliveryEvent>(DELIVERY, NOON);
const endpoint = storiesOf<EndpointEvent>(ENDPOINT, NOON);
const receiver = storiesOf<ReceiverEvent>(RECEIVER, NOON);

const HOUR = 3_600_000;
const webhook: WebhookMessage = { channel: 'webhook', url: 'https://example.org/hook', body: '{"x":"ü"}' };
const email: EmailMessage = {
  channel: 'email',
  to: 'ops@example.org',
  state: 'firing',
  subject: 'busy on web-1',
  headline: 'busy fires on web-1.',
  reason: 'Holds since 2026-01-15T12:00:00Z: the mean of cpu is 91.4, greater than 85.',
  body: 'Look at it.\nSoon.',
  facts: [['Server', 'web-1']],
};
const about = { tenant: 'acme', server: 'web-1', subscriptionId: 's1', factId: 1 };
const dispatch = { type: 'dispatch', message: webhook, about } as const;
const answered = (answer: { result: 'delivered' | 'retry' | 'refused'; detail: string }) =>
  ({ type: 'answered', answer, random: 0.5 }) as const;
const retry = answered({ result: 'retry', detail: '503 in 3 ms' });
const refused = answered({ result: 'refused', detail: '404 in 3 ms' });
const taken = answered({ result: 'delivered', detail: '200 in 3 ms' });
const renew = {
  type: 'renew',
  message: { ...webhook, format: 'alertmanager', body: '[]', resendMs: 60_000 },
  about,
  urgent: true,
} as const;
const reported = { type: 'performed', entryId: `report:${NOON}` } as const;
const failed = (deliveryId: string, status: number | undefined) =>
  ({ type: 'failed', deliveryId, server: 'web-1', receiver: 'rcv_0', factId: 1, status }) as const;

/** Lives of deliveries and endpoints, as far as documents can tell them apart. */
export const STORIES: readonly Story[] = [
  delivery('is under way', dispatch, answered({ result: 'delivered', detail: '200 in 3 ms' })),
  delivery(
    'is a webhook with a form',
    {
      ...dispatch,
      message: {
        ...webhook,
        format: 'template',
        headers: { Authorization: 'sealed' },
        template: { contentType: 'application/json', body: '{"text": "{{title}}"}' },
        words: { title: 'Firing: busy on web-1', sentence: 'Holds.', serverUrl: 'https://example.org/' },
      },
    },
    refused,
  ),
  delivery('is an e-mail under way', { ...dispatch, message: email }, refused),
  delivery('was renewed', dispatch, taken, renew, taken, renew),
  delivery('waits with a newer message', renew, retry, { ...renew, urgent: false }, renew),
  delivery('waits for its next attempt', dispatch, retry, { type: 'wake', now: NOON + 1_000 }),
  delivery(
    'was postponed',
    dispatch,
    { type: 'postponed', until: NOON + 700 },
    { type: 'wake', now: NOON + 700 },
  ),
  delivery('was delivered', dispatch, answered({ result: 'delivered', detail: '200 in 3 ms' }), {
    type: 'wake',
    now: NOON + HOUR,
  }),
  delivery('is a dead letter', dispatch, retry, { type: 'wake', now: NOON + 1_000 }, refused, {
    type: 'redeliver',
  }),
  delivery('is a dead letter that was never tried', { ...dispatch, overdue: true }, { type: 'redeliver' }),
  delivery('has reported that it is dead', dispatch, refused, reported, { type: 'discard' }),
  delivery('is blocked', { ...dispatch, after: 'msg_0' }, { type: 'released', until: NOON + 5 }),
  delivery(
    'is blocked behind another',
    { ...dispatch, after: 'msg_0' },
    { type: 'joined' },
    { type: 'wake', now: NOON + 25 * HOUR },
  ),
  delivery(
    'was released',
    { ...dispatch, after: 'msg_0' },
    { type: 'released', now: NOON + 25 * HOUR },
    { ...retry, now: NOON + 26 * HOUR },
  ),
  delivery('has a message behind it', dispatch, { type: 'follow', successor: 'msg_2' }, refused, {
    type: 'discard',
  }),
  delivery(
    'ends behind a message that is not released',
    dispatch,
    { type: 'follow', successor: 'msg_2' },
    refused,
    { type: 'discard' },
    { type: 'performed', entryId: 'release:msg_2' },
  ),
  delivery(
    'is overdue behind another',
    { ...dispatch, after: 'msg_0', overdue: true },
    { type: 'follow', successor: 'msg_2' },
    { type: 'released', now: NOON + 25 * HOUR },
  ),
  delivery('is sent again', dispatch, refused, { type: 'redeliver' }, { type: 'follow', successor: 'msg_2' }),
  delivery(
    'ends a row of refusals',
    dispatch,
    { ...taken, endsRefusals: true },
    {
      type: 'performed',
      entryId: `delivered:${NOON}`,
    },
  ),
  delivery(
    'is a dead letter that goes',
    dispatch,
    refused,
    reported,
    { type: 'wake', now: NOON + 721 * HOUR },
    {
      type: 'expired',
    },
  ),
  delivery('is sent again after its delivery', dispatch, taken, { type: 'resend' }),
  delivery(
    'is tried at once, then discarded',
    dispatch,
    retry,
    { type: 'try', now: NOON + 5 },
    { type: 'discard' },
  ),
  delivery('is discarded while it is sent', dispatch, { type: 'discard' }, retry),
  delivery(
    'is discarded behind another',
    { ...dispatch, after: 'msg_0' },
    { type: 'follow', successor: 'msg_2' },
    { type: 'discard' },
    { type: 'joined' },
    { type: 'released' },
  ),
  receiver(
    'had no message yet',
    { type: 'subscribed', url: 'https://example.org/hook', server: 'web-1', subscriptionId: 's1' },
    { type: 'wake', now: NOON + HOUR },
    { type: 'checked', needed: true },
  ),
  receiver('works', tried({ succeededAt: NOON }), { type: 'wake', now: NOON + 721 * HOUR }),
  receiver(
    'fails',
    tried({ failing: FAILED }),
    { type: 'wake', now: NOON + HOUR },
    { type: 'checked', needed: false },
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
