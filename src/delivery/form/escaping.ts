import { escaped } from '../../untrusted/html.js';

/** How the values of tags are written: as in a JSON string, by percent, as HTML, or as they are. */
export type Escaping = 'json' | 'form' | 'html' | 'none';

/** A media type with parameters (RFC 9110 §8.3.1). */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
export const MEDIA_TYPE = `${TOKEN}/${TOKEN}(?: ?; ?${TOKEN}=(?:${TOKEN}|"[ !#-\\[\\]-~]*"))*`;

/** Returns how a Content-Type has values of tags written. */
export function escapingOf(contentType: string): Escaping {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  if (/^(?:application|text)\/json$|\+json$/.test(type)) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  return type === 'text/html' || type === 'application/xhtml+xml' ? 'html' : 'none';
}

/** Returns a text as it is written in a body. */
export function escapedAs(escaping: Escaping, text: string): string {
  if (escaping === 'json') return JSON.stringify(text).slice(1, -1);
  if (escaping === 'form') return percent(text);
  return escaping === 'html' ? escaped(text).replaceAll("'", '&#39;') : text;
}

/** As `encodeURIComponent`, of all but letters, digits and `-_.~` (RFC 3986 §2.3). A lone surrogate becomes U+FFFD. */
function percent(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
