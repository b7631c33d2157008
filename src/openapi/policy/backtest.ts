import { FACTS_LIMIT } from '../../policy/backtest/backtest.js';
import { LONGEST_GAP_S } from '../../policy/http/backtest-body.js';
import { METRICS } from '../../policy/rules/metrics.js';
import { type ApiPart, json, refusal } from '../operation.js';
import {
  about,
  count,
  integer,
  list,
  number,
  object,
  oneOf,
  orNull,
  ref,
  type Schema,
  time,
} from '../schema.js';
import { isoTime } from './mute.js';
import { policyPart } from '../apis.js';

const rule = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater', clear: 70 } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
  repeat: 0,
  resolve: true,
};
/** A rule with groups in one another. */
const nested = {
  name: 'busy or flooded',
  condition: {
    any: [
      { all: [{ cpu: { value: 85, operand: 'greater' } }, { not: { mem: { value: 50, operand: 'less' } } }] },
      { net: { value: 95, operand: 'greater' } },
    ],
  },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};
const at = (minute: number): string => `2026-11-21T10:0${minute}:00Z`;

const percent: Schema = { type: 'number', minimum: 0, maximum: 100 };
const fact: Schema = {
  ...object({ at: isoTime, ...Object.fromEntries(METRICS.map((metric) => [`${metric}?`, percent])) }),
  minProperties: 2,
  description:
    'A measurement: at least one metric. `hdd` is utilization. With the setting METRICS there are further metrics.',
};

/** A rule on measurements of the past. `windowMax` is WINDOW_MAX. */
export function backtests(windowMax: number): ApiPart {
  return policyPart(
    'Backtest',
    'What a rule would have sent in the past. Nothing is stored or sent.',
    {
      'POST /v1.0/{tenantId}/rules/backtest': {
        id: 'backtest',
        summary: 'Try a rule on measurements of the past',
        description:
          'The answer is what a server would have sent for these facts at these times, subscribed at the first of them, and ' +
          'nothing after the last.',
        body: {
          content: json(
            object({
              rule: ref('RuleDraft'),
              'windowsize?': about('Without it that of the tenant.', integer(1, windowMax)),
              'gap?': about(
                'Seconds: a longer pause empties a window. 0 never does. Without it WINDOW_GAP_S.',
                integer(0, LONGEST_GAP_S),
              ),
              facts: about(
                'None is earlier than the one before it.',
                list(ref('PastFact'), { maxItems: FACTS_LIMIT }),
              ),
            }),
          ),
        },
        answer: json(ref('BacktestAnswer')),
        examples: {
          'one-overload': {
            body: {
              rule,
              windowsize: 1,
              facts: [60, 90, 75, 95, 65].map((cpu, minute) => ({ at: at(minute), cpu })),
            },
            answer: {
              evaluations: 5,
              messages: [
                { index: 1, at: '2026-11-21T10:01:00.000Z', state: 'firing', measures: { cpu: 90 } },
                { index: 4, at: '2026-11-21T10:04:00.000Z', state: 'resolved', measures: { cpu: 65 } },
              ],
              firings: 1,
              held: 180,
            },
          },
          groups: {
            body: {
              rule: nested,
              windowsize: 1,
              facts: [
                { at: at(0), cpu: 90, mem: 40, net: 10 },
                { at: at(1), cpu: 90, mem: 60, net: 10 },
              ],
            },
            answer: {
              evaluations: 2,
              messages: [
                {
                  index: 1,
                  at: '2026-11-21T10:01:00.000Z',
                  state: 'firing',
                  measures: { cpu: 90, mem: 60, net: 10 },
                },
              ],
              firings: 1,
              held: 0,
            },
          },
          unordered: {
            body: { rule, facts: [1, 0].map((minute) => ({ at: at(minute), cpu: 50 })) },
            ...refusal(
              400,
              'facts[1].at: must not be earlier than that of the fact before it: sort the facts by time, ascending',
            ),
          },
        },
      },
    },
    {
      PastFact: fact,
      BacktestAnswer: object({
        evaluations: about('Facts that evaluated the condition.', count),
        messages: list(
          object({
            index: about('The place in `facts`; null for `noData`.', orNull(count)),
            at: about('The time of the fact, or when `noData` was due.', time),
            state: oneOf(['firing', 'resolved', 'noData']),
            measures: about('What was compared, by metric. Empty for `noData`.', {
              type: 'object',
              additionalProperties: number,
            }),
          }),
        ),
        firings: about('Messages with the state `firing`.', count),
        held: about('Seconds in which the condition held.', { type: 'number', minimum: 0 }),
      }),
    },
  );
}
