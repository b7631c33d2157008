import { type ISchema, object } from 'yup';

/** What is wrong with a member that is no object, behind its path. */
export const NOT_AN_OBJECT = 'must be a JSON object';
/** What is wrong with a member that is no time, behind its path. */
export const NOT_A_TIME = 'must be a time of ISO 8601 with a zone, such as 2026-11-21T11:00:00Z';

/** Returns the schema of an object with these members and no others. `hint` follows their names in the message. */
export function exactly(shape: Readonly<Record<string, ISchema<unknown>>>, hint = '') {
  const allowed = Object.keys(shape).join(', ') + hint;
  return object(shape)
    .typeError(NOT_AN_OBJECT)
    .noUnknown(
      ({ unknown }: { unknown?: string }) => `must not have ${shorten(unknown)}; allowed: ${allowed}`,
    )
    .strict();
}

function shorten(names: string | undefined): string {
  const text = (names ?? 'other members').replaceAll(/\p{Cc}/gu, '?');
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
