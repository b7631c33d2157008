import { FORMATS } from '../../delivery/form/formats.js';
import {
  HEADER_NAME,
  HEADER_VALUE,
  HEADERS_LIMIT,
  LONGEST_HEADER_NAME,
  LONGEST_HEADER_VALUE,
} from '../../policy/http/subscription-schema.js';
import { about, list, oneOf, type Schema, text } from '../schema.js';

const format = about('What is sent. Without it `mirzam`.', oneOf(FORMATS));

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
};

/** The same members, as they are shown. */
export const shownFormMembers: Readonly<Record<string, Schema>> = {
  'format?': format,
  'headers?': about('The names of its headers.', list(text, { minItems: 1 })),
};
