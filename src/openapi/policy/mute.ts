import type { AcknowledgementView } from '../../policy/explain/shapes.js';
import { MUTE_TIMES } from '../../policy/http/mute/mute-page.js';
import { NOTE_LIMIT } from '../../policy/http/schemas.js';
import { LONGEST_MUTE_S } from '../../policy/mute/mute-end.js';
import { type ApiPart, HTML_PAGE, json, refusal } from '../operation.js';
import {
  about,
  integer,
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
import { MUTE_TOKEN } from './examples.js';
import { NOTHING, policyPart } from '../apis.js';

const PATH = '/v1.0/{tenantId}/servers/{serverId}/subscription/{subscriptionId}/mute';

/** A time of ISO 8601 with a zone, as a client writes it. */
export const isoTime: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$',
};

const comment: Schema = { type: 'string', maxLength: NOTE_LIMIT };

const ACK = PATH.replace(/mute$/, 'ack');

/** The mute and the acknowledgement of a subscription, for programs. */
export const mute: ApiPart = policyPart(
  'Mute and acknowledge',
  'A muted subscription is evaluated as before, and its states change. It sends nothing until the end of the mute. An ' +
    'acknowledged one sends no further firing of its period. Operators may do both for every tenant, with OPERATOR_TOKEN.',
  {
    [`PUT ${PATH}`]: {
      id: 'mute',
      summary: 'Mute a subscription',
      description:
        'Replaces the end of an earlier mute. Messages that were not sent are counted in `unsent` of explain. If the ' +
        'messages of the rule have a `state`, the receiver gets the present state after the mute.',
      body: { content: json(ref('MuteDraft')) },
      answer: json(object({ mutedUntil: time })),
      errors: [409],
      examples: {
        hour: {
          body: { for: 3600, comment: 'The disk is replaced.' },
          answer: { mutedUntil: '2026-11-21T11:00:00.000Z' },
        },
      },
    },
    [`DELETE ${PATH}`]: {
      id: 'unmute',
      summary: 'End the mute of a subscription',
      description: 'A subscription that is not muted stays as it is.',
      answer: NOTHING,
      examples: { now: { answer: '' } },
    },
    [`PUT ${ACK}`]: {
      id: 'acknowledge',
      summary: 'Acknowledge the state of a subscription',
      description:
        'Only one that is firing, pending or in noData; others are 409. It ends with the period. While it lasts, no further ' +
        'firing of the period is sent, whatever `repeat` says. The first firing, `resolved` and `noData` are sent.',
      body: { content: json(object({ 'note?': comment })) },
      answer: json(ref('Acknowledgement')),
      errors: [409],
      examples: {
        calm: {
          body: { note: 'A new disk is on its way' },
          ...refusal(
            409,
            'the subscription is calm; only one that is firing, pending or in noData can be acknowledged',
          ),
        },
      },
    },
    [`DELETE ${ACK}`]: {
      id: 'unacknowledge',
      summary: 'Remove an acknowledgement',
      description: 'A subscription that is not acknowledged stays as it is.',
      answer: NOTHING,
      examples: { now: { answer: '' } },
    },
  },
  {
    Acknowledgement: shape<AcknowledgementView>({
      by: about('The name of the user in the identity service, or `operator`.', text),
      at: time,
      note: orNull(text),
    }),
    MuteDraft: {
      oneOf: [
        object({ for: about('Seconds from now.', integer(1, LONGEST_MUTE_S)), 'comment?': comment }),
        object({
          until: about('In the future, at most 30 days ahead, with a zone.', isoTime),
          'comment?': comment,
        }),
      ],
    },
  },
);

const PAGE = { 'text/html': varies(text) };
const form = {
  oneOf: [
    object({ for: about('Seconds.', oneOf(MUTE_TIMES.map(([, seconds]) => String(seconds)))) }),
    object({ action: { const: 'unmute' } }),
    about('Mutes for seven days (RFC 8058).', object({ 'List-Unsubscribe': { const: 'One-Click' } })),
  ],
};

/** The link of mails that mutes a subscription, for people and mail programs. */
export const muteLinks: ApiPart = {
  tag: 'Links of mails',
  description: 'Each e-mail of a rule has a link that mutes its subscription. The link needs no login.',
  errorFormat: 'Page',
  access: ['none'],
  errors: [404],
  pathParameters: {
    signed: {
      description:
        'Made by the service. Good for 30 days and for one subscription. A secret: logs do not show it.',
      schema: text,
      example: MUTE_TOKEN,
    },
  },
  operations: {
    'GET /mute/{signed}': {
      id: 'showMute',
      summary: 'Show what a link mutes',
      description:
        'A page without a script: the rule, the server, the end of its mute, and forms. Changes nothing. A link that is ' +
        'wrong or older than 30 days, or whose subscription has ended, is 404.',
      answer: PAGE,
      examples: {
        'of-a-mail': { answer: HTML_PAGE },
        wrong: { parameters: { signed: 'wrong' }, status: 404, answer: HTML_PAGE },
      },
    },
    'POST /mute/{signed}': {
      id: 'useMute',
      summary: 'Mute or unmute the subscription of a link',
      description:
        'The forms of the page, and the one click of mail programs. Answers the page, and never redirects.',
      body: { content: { 'application/x-www-form-urlencoded': form, 'multipart/form-data': form } },
      answer: PAGE,
      errors: [409],
      examples: { 'one-hour': { body: { for: '3600' }, answer: HTML_PAGE } },
    },
  },
};
