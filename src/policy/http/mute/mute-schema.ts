import { number, type Schema, string } from 'yup';
import { isObject } from '../../../untrusted/json.js';
import { isoTime } from '../../../untrusted/iso-time.js';
import { LONGEST_MUTE_S, type WantedMute } from '../../mute/mute-end.js';
import { exactly, NOT_A_TIME } from '../exactly.js';

const FOR = `must be an integer from 1 to ${LONGEST_MUTE_S}, in seconds`;

/** The body of a mute (docs/policy-api.md, "Subscriptions"). `muteEnd` checks whether `until` is in the future. */
export const wantedMute = exactly({
  for: number()
    .strict()
    .typeError(FOR)
    .nonNullable(FOR)
    .integer(FOR)
    .min(1, FOR)
    .max(LONGEST_MUTE_S, FOR)
    .optional(),
  until: string()
    .strict()
    .typeError(NOT_A_TIME)
    .nonNullable(NOT_A_TIME)
    .test('time', NOT_A_TIME, (value) => value === undefined || isoTime(value) !== undefined)
    .optional(),
})
  .required('must be a JSON object')
  .test(
    'one',
    'must have one of for, until',
    (value) => !isObject(value) || (value['for'] === undefined) !== (value['until'] === undefined),
  ) as Schema as Schema<WantedMute>;
