/** The media types of JSON that there are. */
export type JsonType = 'application/json' | 'application/ld+json';

const json = /^(?<type>application\/(?:ld\+)?json)[ \t]*(?<parameters>;.*)?$/i;
const charset = /;[ \t]*charset=(?<value>"[^"]*"|[^;]*)/gi;
const utf8 = /^(?:"utf-8"|utf-8[ \t]*)$/i;

/** What a Content-Type says: which JSON it is, and whether in UTF-8, be it said or not. Undefined where it is none. */
export function jsonTypeOf(
  contentType: string | undefined,
): { readonly type: JsonType; readonly isUtf8: boolean } | undefined {
  if (contentType === 'application/json') return { type: contentType, isUtf8: true };
  const { type, parameters = '' } = json.exec(contentType ?? '')?.groups ?? {};
  if (type === undefined) return undefined;
  const charsets = [...parameters.matchAll(charset)];
  return {
    type: type.toLowerCase() as JsonType,
    isUtf8: charsets.every(({ groups }) => utf8.test(groups?.['value'] ?? '')),
  };
}
