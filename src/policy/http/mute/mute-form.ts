import { Refusal } from '../../../errors.js';

/** What a click of a mail program mutes for, s: 7 days. */
const ONE_CLICK_S = 604_800;

/** The times of the page's buttons, s. */
export const MUTE_TIMES: readonly (readonly [label: string, seconds: number])[] = [
  ['One hour', 3_600],
  ['One day', 86_400],
  ['Seven days', ONE_CLICK_S],
];

/**
 * Returns what the form of a mute asks for: a number of seconds, or `unmute`. A mail program sends
 * `List-Unsubscribe=One-Click` (RFC 8058). Throws `Refusal('bad-request')` for any other form.
 */
export function wishOf(fields: ReadonlyMap<string, string>): number | 'unmute' {
  if (fields.get('List-Unsubscribe') === 'One-Click') return ONE_CLICK_S;
  const seconds = MUTE_TIMES.map(([, one]) => one).find((one) => fields.get('for') === String(one));
  const isUnmute = fields.get('action') === 'unmute';
  if (seconds !== undefined && !fields.has('action')) return seconds;
  if (isUnmute && !fields.has('for')) return 'unmute';
  const times = MUTE_TIMES.map(([, one]) => `for=${one}`).join(', ');
  throw new Refusal(
    'bad-request',
    `the form must be one of ${times}, action=unmute, List-Unsubscribe=One-Click`,
  );
}
