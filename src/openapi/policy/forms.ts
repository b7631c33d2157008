import { MEDIA_TYPE } from '../../delivery/form/escaping.js';
import { FORMATS } from '../../delivery/form/formats.js';
import {
  HEADER_NAME,
  HEADER_VALUE,
  HEADERS_LIMIT,
  LONGEST_CONTENT_TYPE,
  LONGEST_HEADER_NAME,
  LONGEST_HEADER_VALUE,
  TEMPLATE_LIMIT,
} from '../../policy/http/subscription-schema.js';
import { about, list, object, oneOf, type Schema, text } from '../schema.js';

const format = about(
  'What is sent. Without it `mirzam`. With `alertmanager`, `url` is the address of an Alertmanager: its alert is posted to ' +
    '`{url}/api/v2/alerts` when the rule begins to fire, every `ALERT_RESEND_S` seconds while it fires, and twice when that is over.',
  oneOf(FORMATS),
);

const template = about(
  'What the format `template` sends: a text of Mustache over the members of a message.',
  object({
    contentType: { type: 'string', pattern: `^${MEDIA_TYPE}$`, maxLength: LONGEST_CONTENT_TYPE },
    body: { type: 'string', minLength: 1, maxLength: TEMPLATE_LIMIT },
  }),
);

/** The members of a subscription that say how its webhooks are sent. */
export const formMembers: Readonly<Record<string, Schema>> = {
  'format?': format,
  'headers?': about('Headers of each request by name. Values are secrets: no answer shows them.', {
    type: 'object',
    maxProperties: HEADERS_LIMIT,
    propertyNames: { pattern: `^${HEADER_NAME}$`, maxLength: LONGEST_HEADER_NAME },
    additionalProperties: {
      type: 'string',
      maxLength: LONGEST_HEADER_VALUE,
      pattern: `^${HEADER_VALUE}$`,
      writeOnly: true,
    },
  }),
  'template?': template,
};

/** The same members, as they are shown. */
export const shownFormMembers: Readonly<Record<string, Schema>> = {
  'format?': format,
  'headers?': about('The names of its headers.', list(text, { minItems: 1 })),
  'template?': template,
};
