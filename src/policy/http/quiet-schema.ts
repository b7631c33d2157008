import { array, string } from 'yup';
import { localOf } from '../quiet/local-time.js';
import { LONGEST_QUIET_S, NAMES_LIMIT, SHORTEST_QUIET_S } from '../quiet/quiet-time.js';
import { RULE_LIMIT, ruleProblem } from '../quiet/rule-text.js';
import type { QuietDraft } from '../tenant/quiet-times.js';
import { isZone } from '../../system/time-zone.js';
import { isShort } from './schemas.js';
import { bodyOf, integer, strictly, text } from './validate.js';

/** A pattern of ids of servers. */
export const SERVERS_PATTERN = '[A-Za-z0-9_.:~*-]{1,256}';
/** Maximum characters of a comment. */
export const COMMENT_LIMIT = 1_000;

const PATTERN = `must be a pattern of ids of servers, ${SERVERS_PATTERN}, in which only * is special`;
const PATTERNS = `must be an array of 1 to ${NAMES_LIMIT} patterns of ids of servers, such as ["web-*"]`;
const RULE_NAME = 'must be the name of a rule, 1 to 256 characters';
const RULE_NAMES = `must be an array of 1 to ${NAMES_LIMIT} names of rules; without it all rules are muted`;
const DURATION = `must be an integer from ${SHORTEST_QUIET_S} to ${LONGEST_QUIET_S}, in seconds`;
const START =
  'must be a local time from the year 1970 to 2999, without Z or offset, such as 2026-12-01T22:00:00; the zone is in timezone';
const ZONE = 'must be a name of the IANA database of time zones, such as Europe/Berlin';
const RULE = `must be an RRULE of RFC 5545 of at most ${RULE_LIMIT} characters, such as FREQ=WEEKLY;BYDAY=SU`;
const COMMENT = `must be a string of at most ${COMMENT_LIMIT} characters`;

const LOCAL_TIME = /^(?:19[7-9]\d|2\d{3})-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/;

/** True for a local time of the calendar, to the second. */
function isLocalTime(value: string): boolean {
  return LOCAL_TIME.test(value) && !Number.isNaN(localOf(value));
}

const isAbsentOr = (is: (value: string) => boolean) => (value: string | undefined) =>
  value === undefined || is(value);

/** The body of a quiet time (docs/policy-api.md, "Quiet times"). */
export const quietDraft = bodyOf<QuietDraft>({
  servers: strictly(array(), PATTERNS)
    .of(text(PATTERN).matches(new RegExp(`^${SERVERS_PATTERN}$`), PATTERN))
    .min(1, PATTERNS)
    .max(NAMES_LIMIT, PATTERNS)
    .required(PATTERNS),
  rules: strictly(array(), RULE_NAMES)
    .of(text(RULE_NAME).test('name', RULE_NAME, (name) => name === undefined || isShort(name)))
    .min(1, RULE_NAMES)
    .max(NAMES_LIMIT, RULE_NAMES),
  start: strictly(string(), START).test('local time', START, isAbsentOr(isLocalTime)),
  duration: integer(SHORTEST_QUIET_S, LONGEST_QUIET_S, DURATION).required(DURATION),
  timezone: strictly(string(), ZONE).test('zone', ZONE, isAbsentOr(isZone)),
  rrule: strictly(string(), RULE)
    .max(RULE_LIMIT, RULE)
    .test('rule', (value, context) => {
      const problem = value === undefined || value.length > RULE_LIMIT ? undefined : ruleProblem(value);
      return problem === undefined || context.createError({ message: problem });
    }),
  comment: strictly(string(), COMMENT).max(COMMENT_LIMIT, COMMENT),
});
