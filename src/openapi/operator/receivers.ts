import type { ReceiversView, ReceiverView, TestAnswerView } from '../../operator/shapes.js';
import { RECEIVER_STATES } from '../../operator/receivers/receivers-view.js';
import { type ApiPart, json, type Operation, query, refusal } from '../operation.js';
import { EXAMPLE_TIME, RECEIVER, RECEIVER_ID, TENANT_ID } from '../policy/examples.js';
import { about, count, object, oneOf, orNull, list, ref, shape, text, time, varies } from '../schema.js';
import { after, limit, next, ofNamedTenant, operatorPart, receiverId } from '../apis.js';

const state = query('state', oneOf(RECEIVER_STATES));
const UNKNOWN = 'rcv_0000000000000000';
const unknown = {
  parameters: { receiverId: UNKNOWN },
  ...refusal(404, `id: no receiver "${UNKNOWN}"`),
};

/** The operations on receivers. `who` begins their ids, `prefix` their paths. */
export function receiverOperations(prefix: string, who: '' | 'Own'): Readonly<Record<string, Operation>> {
  const path = `${prefix}/receivers`;
  const listed = who === '' ? [ofNamedTenant] : [];
  return {
    [`GET ${path}`]: {
      id: `list${who}Receivers`,
      summary: 'List the receivers of webhooks',
      description:
        'One for each tenant and url of a subscription. Those that are suspended or fail come first, the longest first. ' +
        '`waiting`, `dead` and `next` are a second old, with many deliveries up to ten.',
      parameters: [state, ...listed, after, limit],
      answer: json(
        shape<ReceiversView>({
          receivers: list(ref('Receiver')),
          next,
        }),
      ),
      examples: {
        failing: {
          parameters: { state: 'failing' },
          answer: { receivers: [refusing], next: null },
        },
      },
    },
    [`GET ${path}/{receiverId}`]: {
      id: `show${who}Receiver`,
      summary: 'Show a receiver',
      answer: json(ref('Receiver')),
      errors: [404],
      examples: { refusing: { answer: refusing }, unknown },
    },
    [`POST ${path}/{receiverId}/try`]: {
      id: `try${who}Receiver`,
      summary: 'Try everything that waits for a receiver now',
      description: '`tried` is the number of messages. Messages that wait for them follow as usual.',
      answer: json(object({ tried: count })),
      errors: [404],
      examples: { 'nothing-waits': { answer: { tried: 0 } } },
    },
    [`POST ${path}/{receiverId}/redeliver`]: {
      id: `redeliverTo${who}Receiver`,
      summary: 'Send all dead letters of a receiver again',
      answer: json(object({ redelivered: count })),
      errors: [404],
      examples: { unknown },
    },
    [`POST ${path}/{receiverId}/test`]: {
      id: `test${who}Receiver`,
      summary: 'Send a test message',
      description:
        'A signed webhook `{"type": "test", "id", "tenantId", "sentAt"}` in the form, with the headers, of the newest subscription to the url; of a template a sample of a firing, of `alertmanager` an alert that is over. It is sent once, and to a receiver one at a time: a request meanwhile has the same answer. No figure counts it, and its answer suspends no subscription.',
      answer: json(ref('TestAnswer')),
      errors: [404],
      examples: {
        refused: {
          answer: {
            id: who === '' ? 'msg_01a2079407a9b3c4d5e6f708192a3b4c' : 'msg_01a2079407aa28f1b6c7d8e90a1b2c3d',
            result: 'refused',
            status: 400,
            detail: '400 in 22 ms: no such hook',
          },
        },
      },
    },
  };
}

/** The receiver of the examples' webhooks. */
const refusing: ReceiverView = {
  id: RECEIVER_ID,
  tenantId: TENANT_ID,
  url: RECEIVER,
  state: 'failing',
  since: EXAMPLE_TIME,
  lastAnswer: { at: EXAMPLE_TIME, status: 400, detail: '400 in 22 ms: no such hook' },
  waiting: 0,
  dead: 1,
  next: null,
  lastHour: { tries: 3, successes: 0 },
};

/** The receivers of webhooks. */
export const receivers: ApiPart = operatorPart(
  'Operator: receivers',
  'A receiver is a url that webhooks of a tenant go to. It fails from its first failed attempt until its next success.',
  receiverOperations('/operator', ''),
  {
    Receiver: shape<ReceiverView>({
      id: receiverId.schema,
      tenantId: varies(text),
      url: text,
      state: oneOf(RECEIVER_STATES),
      since: about('When this state began.', time),
      lastAnswer: about(
        'To the newest attempt. `status` is null without an HTTP answer.',
        orNull(object({ at: time, status: orNull({ type: 'integer' }), detail: varies(text) })),
      ),
      waiting: about('Messages that are pending.', count),
      dead: about('Dead letters.', varies(count)),
      next: about('When the next attempt is due. null if none is planned.', orNull(time)),
      lastHour: object({ tries: varies(count), successes: count }),
    }),
    TestAnswer: shape<TestAnswerView>({
      id: about('The `webhook-id` of the message.', varies(text)),
      result: oneOf(['delivered', 'retry', 'refused']),
      status: orNull({ type: 'integer' }),
      detail: about('What the receiver answered, or why it did not.', varies(text)),
    }),
  },
);
