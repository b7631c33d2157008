import { HISTORY, HISTORY_MAX } from '../../policy/http/routes.js';
import type {
  ExplainedFact,
  ExplainedFiring,
  ExplainedIgnored,
  ExplainedSubscription,
  ExplainedWindow,
  Explanation,
  MuteView,
} from '../../policy/explain/shapes.js';
import { AGGREGATES, OPERANDS } from '../../policy/rules/condition.js';
import type { ShownBucket, Trend } from '../../policy/trend/shapes.js';
import type { ShownComparison } from '../../policy/state/evaluated-condition.js';
import { type ApiPart, json, query } from '../operation.js';
import {
  about,
  count,
  flag,
  integer,
  list,
  number,
  object,
  oneOf,
  orNull,
  ref,
  type Schema,
  shape,
  text,
  time,
  varies,
} from '../schema.js';
import { DELIVERY, EXAMPLE_TIME, RECEIVER, SERVER, SERVER_RULE, SUBSCRIPTION } from './examples.js';
import { policyPart, TENANT_ALONE } from '../apis.js';

const STATES = ['filling', 'calm', 'pending', 'firing', 'noData'];
const CALM = 'Does not hold: the mean of cpu is 66.1667, not greater than 85.';
const FIRING =
  'Holds since 2026-01-31T12:00:00Z: the mean of cpu is 93.1667, greater than 85, and the mean of mem is 76, at least 70.';
const source = about(
  'What sent it by itself; absent for notifications of brokers.',
  oneOf(['remote-write', 'otlp', 'mqtt']),
);
const at = EXAMPLE_TIME;
const transition = { at, ruleId: SERVER_RULE, subscriptionId: SUBSCRIPTION };

const schemas: Readonly<Record<string, Schema>> = {
  Explanation: shape<Explanation>({
    ruleId: ref('Id'),
    serverId: text,
    windows: about('The windows of the metrics in the condition.', {
      type: 'object',
      additionalProperties: ref('ExplainedWindow'),
    }),
    lastFact: orNull(shape<ExplainedFact>({ id: count, at: time, 'source?': source })),
    subscriptions: list(ref('ExplainedSubscription')),
    'sentence?': about('Only if there is no subscription.', text),
  }),
  ExplainedWindow: shape<ExplainedWindow>({
    size: count,
    values: about('The oldest first.', list(number)),
    'emptied?': about('When a pause emptied the window, until it is full again.', time),
    'ignored?': about(
      'The values left out since the last one that counted; absent if there is none.',
      ref('ExplainedIgnored'),
    ),
  }),
  ExplainedIgnored: shape<ExplainedIgnored>({
    count,
    at: about('When the last of them came.', time),
    why: about(
      '`repeated`: counted before. `older`: a later one was counted before. `other subscription`: another subscription at the broker feeds the server.',
      oneOf(['repeated', 'older', 'other subscription']),
    ),
  }),
  ExplainedSubscription: shape<ExplainedSubscription>({
    subscriptionId: ref('Id'),
    url: text,
    state: oneOf(STATES),
    since: about(
      'Since when the condition holds. With `noData` the time of the last measurement.',
      orNull(time),
    ),
    sentence: text,
    comparisons: list(ref('ExplainedComparison')),
    firings: about('Firings that were sent.', count),
    unsent: about('Messages of any state that were not sent.', count),
    'mutedUntil?': about('Only while it is muted: the later end of several mutes.', time),
    'mutedBy?': about('The name of the quiet time that mutes it until then.', text),
    'mute?': about(
      'Who muted the subscription itself, and why. Only with a comment.',
      shape<MuteView>({ by: text, at: time, comment: text }),
    ),
    'suspended?': time,
    'ack?': about('Who looks after the present state.', ref('Acknowledgement')),
    lastFiring: orNull(
      shape<ExplainedFiring>({
        at: time,
        factId: count,
        deliveryId: ref('Id'),
        delivery: oneOf(['pending', 'delivered', 'dead', 'forgotten']),
      }),
    ),
  }),
  ExplainedComparison: shape<ShownComparison>({
    metric: text,
    aggregate: oneOf(AGGREGATES),
    result: about('null before the first evaluation, and so is `holds`.', orNull(number)),
    operand: oneOf(OPERANDS),
    value: number,
    'clear?': about('Only if the comparison has it.', number),
    holds: orNull(flag),
  }),
  Trend: shape<Trend>({
    metric: text,
    buckets: about(
      'Oldest first, without those that have no values.',
      // The facts of the example may come in two minutes.
      varies(
        list(
          shape<ShownBucket>({
            at: about('Start.', time),
            seconds: about('Length: 60 in the last hour, 600 before.', integer(60, 600)),
            count: about('Number of values.', count),
            mean: number,
            min: number,
            max: number,
          }),
        ),
      ),
    ),
  }),
  Transition: object({
    at: time,
    ruleId: ref('Id'),
    subscriptionId: ref('Id'),
    from: oneOf(STATES),
    to: oneOf(STATES),
    sentence: text,
    factId: about('null where no fact caused it.', orNull(count)),
    'source?': source,
  }),
};

/** Explain and history. */
export const explanations: ApiPart = policyPart(
  'Explain',
  'Why a rule fires or does not, and what changed. Reading changes nothing.',
  {
    'GET /v1.0/{tenantId}/servers/{serverId}/rules/{ruleId}/explain': {
      id: 'explain',
      access: TENANT_ALONE,
      summary: 'Explain a rule of the server or of the tenant',
      answer: json(ref('Explanation')),
      examples: {
        'does-not-hold': {
          answer: {
            ruleId: SERVER_RULE,
            serverId: SERVER,
            windows: { cpu: { size: 3, values: [93.5, 95, 10] }, mem: { size: 3, values: [75, 76, 77] } },
            lastFact: { id: 4, at },
            subscriptions: [
              {
                subscriptionId: SUBSCRIPTION,
                url: RECEIVER,
                state: 'calm',
                since: null,
                sentence: CALM,
                comparisons: [
                  {
                    metric: 'cpu',
                    aggregate: 'mean',
                    result: 66.16666666666667,
                    operand: 'greater',
                    value: 85,
                    holds: false,
                  },
                  {
                    metric: 'mem',
                    aggregate: 'mean',
                    result: 76,
                    operand: 'greater equal',
                    value: 70,
                    holds: true,
                  },
                ],
                firings: 1,
                unsent: 0,
                lastFiring: {
                  at,
                  factId: 3,
                  deliveryId: DELIVERY,
                  delivery: 'dead',
                },
              },
            ],
          },
        },
      },
    },
    'GET /v1.0/{tenantId}/servers/{serverId}/history': {
      id: 'listTransitions',
      access: TENANT_ALONE,
      summary: 'List what changed, the newest first',
      parameters: [query('limit', integer(1, HISTORY_MAX), `Default ${HISTORY}.`)],
      answer: json(object({ history: list(ref('Transition')) })),
      examples: {
        'fired-and-over': {
          answer: {
            history: [
              { ...transition, from: 'firing', to: 'calm', sentence: CALM, factId: 4 },
              { ...transition, from: 'filling', to: 'firing', sentence: FIRING, factId: 3 },
            ],
          },
        },
      },
    },
    'GET /v1.0/{tenantId}/servers/{serverId}/trend': {
      id: 'readTrend',
      access: TENANT_ALONE,
      summary: 'Read a watched metric over the last day',
      parameters: [
        { ...query('metric', text, 'It is watched if a subscribed rule reads it.'), required: true },
      ],
      answer: json(ref('Trend')),
      examples: {
        measured: {
          parameters: { metric: 'cpu' },
          answer: {
            metric: 'cpu',
            buckets: [{ at, seconds: 60, count: 4, mean: 66.625, min: 10, max: 95 }],
          },
        },
        'not-watched': {
          parameters: { metric: 'net' },
          answer: { metric: 'net', buckets: [] },
        },
      },
    },
  },
  schemas,
);
