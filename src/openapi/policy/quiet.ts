import { COMMENT_LIMIT, SERVERS_PATTERN } from '../../policy/http/quiet-schema.js';
import {
  LONGEST_QUIET_S,
  NAMES_LIMIT,
  QUIET_LIMIT,
  SHORTEST_QUIET_S,
} from '../../policy/quiet/quiet-time.js';
import { ID_PATTERN } from '../../policy/http/path-ids.js';
import { RULE_LIMIT } from '../../policy/quiet/rule-text.js';
import type { QuietView } from '../../policy/quiet/shapes.js';
import { dryRun, NOTHING, operatorPart, policyPart } from '../apis.js';
import { TENANT } from './examples.js';
import { isoTime } from './mute.js';
import { type ApiPart, json, type Operation, refusal } from '../operation.js';
import {
  about,
  flag,
  integer,
  list,
  object,
  ref,
  type Schema,
  shape,
  text,
  time,
  varies,
} from '../schema.js';

const PATH = '/v1.0/{tenantId}/quiet';
const OPERATORS_PATH = '/operator/tenants/{tenantId}/quiet';

const nights = {
  servers: ['batch-*'],
  start: '2027-01-01T22:00:00',
  duration: 28_800,
  timezone: 'Europe/Berlin',
  rrule: 'FREQ=DAILY',
  comment: 'Nightly jobs load the machines.',
};
const move = {
  servers: ['db-*', 'web-7'],
  start: '2027-03-01T08:00:00',
  duration: 3_600,
  timezone: 'UTC',
};
const AT = '2026-11-25T12:00:00.000Z';
const shownMove = {
  name: 'move',
  ...move,
  by: 'operator',
  operator: true,
  at: AT,
  next: [{ from: '2027-03-01T08:00:00.000Z', to: '2027-03-01T09:00:00.000Z' }],
};
const shownNights = {
  name: 'nights',
  ...nights,
  by: 'demo',
  at: AT,
  next: [
    { from: '2027-01-01T21:00:00.000Z', to: '2027-01-02T05:00:00.000Z' },
    { from: '2027-01-02T21:00:00.000Z', to: '2027-01-03T05:00:00.000Z' },
    { from: '2027-01-03T21:00:00.000Z', to: '2027-01-04T05:00:00.000Z' },
  ],
};

/** Members of a quiet time that its author gives. */
const draft = {
  servers: about(
    'Patterns of ids of servers. `*` stands for any characters.',
    list({ type: 'string', pattern: `^${SERVERS_PATTERN}$` }, { minItems: 1, maxItems: NAMES_LIMIT }),
  ),
  'rules?': about(
    'Names of rules. Absent: all rules.',
    list({ type: 'string', minLength: 1, maxLength: 256 }, { minItems: 1, maxItems: NAMES_LIMIT }),
  ),
  duration: about('Of each occurrence, in seconds.', integer(SHORTEST_QUIET_S, LONGEST_QUIET_S)),
  'rrule?': about('An RRULE of RFC 5545. Absent: it occurs once.', {
    type: 'string',
    maxLength: RULE_LIMIT,
  }),
  'comment?': { type: 'string', maxLength: COMMENT_LIMIT },
} satisfies Record<string, Schema>;
const start = about('The first occurrence: a local time of the zone, without Z or offset.', {
  type: 'string',
  pattern: '^(19[7-9]\\d|2\\d{3})-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
});
const timezone = about('A name of the IANA database of time zones.', text);

/** The operations at a path. `ids`: their names end so. */
function operations(
  path: string,
  ids: string,
  all: object,
  one: object,
  put: NonNullable<Operation['examples']>,
): Readonly<Record<string, Operation>> {
  return {
    [`PUT ${path}/{name}`]: {
      id: `setQuietTime${ids}`,
      parameters: [dryRun],
      summary: 'Make or change a quiet time',
      description:
        'Takes the place of one of the same name. A change ends its mutes at once. `start` is the first occurrence, also where ' +
        '`rrule` does not have it. A local time that the zone skips takes the offset before; of a doubled one it is the first. ' +
        '`next` has the running occurrence, then the next, at most three; those that overlap are one.',
      body: { content: json(ref('QuietDraft')) },
      answer: json(ref('QuietTime')),
      errors: [409],
      examples: put,
    },
    [`GET ${path}/{name}`]: {
      id: `getQuietTime${ids}`,
      summary: 'Show a quiet time',
      answer: json(ref('QuietTime')),
      errors: [404],
      examples: { one: { answer: one } },
    },
    [`GET ${path}`]: {
      id: `listQuietTimes${ids}`,
      summary: 'List the quiet times of a tenant',
      description: 'Oldest first.',
      answer: json(object({ quiet: list(ref('QuietTime')) })),
      examples: { all: { answer: all } },
    },
    [`DELETE ${path}/{name}`]: {
      id: `deleteQuietTime${ids}`,
      summary: 'Delete a quiet time',
      description: 'Ends its mutes at once.',
      answer: NOTHING,
      errors: [404],
      examples: { now: { answer: '' } },
    },
  };
}

/** The quiet times of a tenant. */
export const quiet: ApiPart = policyPart(
  'Quiet times',
  'While a quiet time lasts, the subscriptions that it names are muted: by patterns of servers and, optionally, names of ' +
    `rules, also those that are made later. A tenant can have ${QUIET_LIMIT}. Those that operators made are in the list too; ` +
    'only operators change and delete them (403). Operators may use these paths too, with OPERATOR_TOKEN.',
  operations(PATH, '', { quiet: [shownNights] }, shownNights, {
    nights: { body: nights, answer: shownNights },
    'not-local': {
      parameters: { name: 'wrong' },
      body: { ...move, start: '2027-03-01T08:00:00Z' },
      ...refusal(
        400,
        'start: must be a local time from the year 1970 to 2999, without Z or offset, such as 2026-12-01T22:00:00; the zone is in timezone',
      ),
    },
  }),
  {
    QuietDraft: object({
      ...draft,
      'start?': about('Default: now.', start),
      'timezone?': about('Default UTC.', timezone),
    }),
    QuietTime: shape<QuietView>({
      name: text,
      ...draft,
      start,
      timezone,
      by: about('The name of the user who made it, or `operator`.', varies(text)),
      'operator?': about('Only if operators made it.', flag),
      at: about('When it was made or changed last.', time),
      next: varies(list(object({ from: isoTime, to: isoTime }), { maxItems: 3 })),
    }),
  },
);

/** The quiet times that operators make for tenants. */
export const operatorQuiet: ApiPart = {
  ...operatorPart(
    'Operator: quiet times',
    'Operators make quiet times for a tenant. They are in its list, and only operators change and delete them.',
    operations(OPERATORS_PATH, 'OfTenant', { quiet: [shownNights, shownMove] }, shownMove, {
      move: { body: move, answer: shownMove },
    }),
  ),
  pathParameters: {
    tenantId: { description: 'The id or the name of a tenant.', schema: text, example: TENANT },
    name: {
      description: 'A quiet time.',
      schema: { type: 'string', pattern: `^${ID_PATTERN}$` },
      example: 'move',
    },
  },
};
