const json = /^application\/json[ \t]*(?<parameters>;.*)?$/i;
const charset = /;[ \t]*charset=(?<value>"[^"]*"|[^;]*)/gi;
const utf8 = /^(?:"utf-8"|utf-8[ \t]*)$/i;

/** The Content-Type is `application/json`, with no charset but UTF-8. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const match = json.exec(contentType ?? '');
  if (match === null) return false;
  const charsets = (match.groups?.['parameters'] ?? '').matchAll(charset);
  return [...charsets].every(({ groups }) => utf8.test(groups?.['value'] ?? ''));
}
