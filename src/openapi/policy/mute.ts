import { LONGEST_MUTE_S } from '../../policy/mute/mute-end.js';
import { type ApiPart, json } from '../operation.js';
import { about, integer, object, ref, type Schema, time } from '../schema.js';
import { server, SUBSCRIPTION } from './examples.js';
import { NOTHING, policyPart } from './part.js';

const PATH = '/v1.0/{tenantId}/servers/{serverId}/subscription/{subscriptionId}/mute';
const one = { ...server, subscriptionId: SUBSCRIPTION };

/** A time of ISO 8601 with a zone, as a client writes it. */
export const isoTime: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$',
};

/** The mute of a subscription, for programs. */
export const mute: ApiPart = policyPart(
  'Mute',
  'A muted subscription is evaluated as before, and its states change. It sends nothing until the end of the mute.',
  {
    [`PUT ${PATH}`]: {
      id: 'mute',
      summary: 'Mute a subscription',
      description:
        'Replaces the end of an earlier mute. Messages that were not sent are counted in `unsent` of explain. If the ' +
        'messages of the rule have a `state`, the receiver is sent after the mute what holds then.',
      body: { content: json(ref('MuteDraft')) },
      answer: json(object({ mutedUntil: time })),
      errors: [404, 409],
      examples: [
        {
          name: 'hour',
          parameters: one,
          body: { for: 3600 },
          answer: { mutedUntil: '2026-11-21T11:00:00.000Z' },
        },
      ],
    },
    [`DELETE ${PATH}`]: {
      id: 'unmute',
      summary: 'End the mute of a subscription',
      description: 'A subscription that is not muted stays as it is.',
      answer: NOTHING,
      errors: [404],
      examples: [{ name: 'now', parameters: one, answer: '' }],
    },
  },
  {
    MuteDraft: {
      oneOf: [
        object({ for: about('Seconds from now.', integer(1, LONGEST_MUTE_S)) }),
        object({ until: about('In the future, at most 30 days ahead, with a zone.', isoTime) }),
      ],
    },
  },
);
