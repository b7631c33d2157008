import { MUTE_TIMES } from '../../policy/http/mute/mute-page.js';
import { type ApiPart, HTML_PAGE } from '../operation.js';
import { MUTE_TOKEN } from './examples.js';
import { about, object, oneOf, text, varies } from '../schema.js';

const PAGE = { 'text/html': varies(text) };
const link = { signed: MUTE_TOKEN };
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
    },
  },
  schemas: {},
  operations: {
    'GET /mute/{signed}': {
      id: 'showMute',
      summary: 'Show what a link mutes',
      description:
        'A page without a script: the rule, the server, the end of its mute, and forms. Changes nothing. A link that is ' +
        'wrong or older than 30 days, or whose subscription has ended, is 404.',
      answer: PAGE,
      examples: [
        { name: 'of-a-mail', parameters: link, answer: HTML_PAGE },
        { name: 'wrong', parameters: { signed: 'wrong' }, status: 404, answer: HTML_PAGE },
      ],
    },
    'POST /mute/{signed}': {
      id: 'useMute',
      summary: 'Mute or unmute the subscription of a link',
      description:
        'The forms of the page, and the one click of mail programs. Answers the page, and never redirects.',
      body: { content: { 'application/x-www-form-urlencoded': form, 'multipart/form-data': form } },
      answer: PAGE,
      errors: [409],
      examples: [{ name: 'one-hour', parameters: link, body: { for: '3600' }, answer: HTML_PAGE }],
    },
  },
};
