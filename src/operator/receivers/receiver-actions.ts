import { randomUUID } from 'node:crypto';
import type { Author } from '../../actors/kind.js';
import { DELIVERY } from '../../delivery/delivery.js';
import { messageId } from '../../delivery/message-id.js';
import type { Sender, WebhookMessage } from '../../delivery/port.js';
import { receiverIdIn } from '../../delivery/receiver/receiver-machine.js';
import type { TestMessages } from '../../policy/subscriptions/test-messages.js';
import { pages } from '../../store/paging.js';
import { addressOf, type Store } from '../../store/port.js';
import { singleFlight } from '../../system/ttl-cache.js';
import type { DeliveryActions } from '../delivery-actions.js';
import type { ReceiverView, TestAnswerView } from '../shapes.js';

/** What people do with receivers. */
export type ReceiverActions = ReturnType<typeof createReceiverActions>;

type Receiver = Pick<ReceiverView, 'id' | 'tenantId' | 'url'>;

/** Deliveries read at once. */
const PAGE = 500;

/** Creates the actions on receivers. `now` is in ms since the epoch. */
export function createReceiverActions(options: {
  readonly store: Pick<Store, 'list'>;
  readonly deliveries: Pick<DeliveryActions, 'changeAll'>;
  readonly webhook: Pick<Sender<WebhookMessage>, 'send'>;
  readonly testMessage: TestMessages;
  readonly now: () => number;
}) {
  const { store, deliveries, webhook, testMessage, now } = options;

  /** Changes the deliveries to a receiver that are in a state. Returns their number. */
  const changeAll = async (
    { id, tenantId: tenant }: Receiver,
    state: string,
    type: 'redeliver' | 'try',
    author: Author | undefined,
  ): Promise<number> => {
    let changed = 0;
    const ask = (after: string | undefined) =>
      store.list({ kind: DELIVERY, tenant, state, after, limit: PAGE, frequentOnly: true });
    for await (const page of pages(ask)) {
      const names = page.filter((one) => receiverIdIn(one) === id).map((one) => addressOf(one.id).name);
      changed += await deliveries.changeAll(tenant, names, type, author);
    }
    return changed;
  };

  const testing = singleFlight<TestAnswerView>();

  return {
    /** Tries everything that waits for a receiver now. Returns the number of messages. */
    tryAll: (receiver: Receiver, author: Author | undefined) => changeAll(receiver, 'waiting', 'try', author),
    /** Sends all dead letters of a receiver again. Returns their number. */
    redeliverAll: (receiver: Receiver, author: Author | undefined) =>
      changeAll(receiver, 'dead', 'redeliver', author),
    /**
     * Sends a signed test message in the form of the newest subscription, and resolves with what the receiver answered. No figure counts
     * it. No permit limits test messages, so a receiver gets one at a time: requests in the meantime share its answer.
     */
    test: (receiver: Receiver): Promise<TestAnswerView> =>
      testing(receiver.id, () => {
        const { url, tenantId } = receiver;
        const at = now();
        return sendTest(webhook, tenantId, at, (id) => testMessage(tenantId, url, id, at));
      }),
  };
}

/** Sends a test message with a new id, and resolves with what the receiver answered. `at` is in ms since the epoch. */
export async function sendTest(
  webhook: Pick<Sender<WebhookMessage>, 'send'>,
  tenant: string,
  at: number,
  messageOf: (id: string) => Promise<WebhookMessage>,
): Promise<TestAnswerView> {
  const id = messageId(at, randomUUID());
  const { result, status = null, detail } = await webhook.send(id, await messageOf(id), tenant);
  return { id, result, status, detail };
}
