/**
 * Reads the body of an answer as UTF-8. Above `maxBytes` it stops reading, closes the connection and throws the error
 * that `tooLong` returns.
 */
export async function boundedText(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
  tooLong: () => Error,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the body and closes its connection.
    if (size > maxBytes) throw tooLong();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Line breaks and other control characters, and the marks that reverse the direction of reading. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

/** Makes a text safe for one line of a header, a log or a page: at most `maxLength` code points. */
export function oneLine(text: string, maxLength: number): string {
  const line = text.toWellFormed().replace(UNSAFE, ' ').trim();
  const points = Array.from(line);
  return points.length <= maxLength ? line : `${points.slice(0, maxLength - 1).join('')}…`;
}

const ATOM = String.raw`[^\s\p{Cc}\p{Cf}\p{Cs}()<>[\]:;@\\,".]+`;
const LABEL = String.raw`[\p{L}\p{N}\p{M}-]{1,63}`;

/**
 * Matches exactly one e-mail address: no list, group, comment, quote or route, and no invisible character, which a mail
 * server could read as more. At most 253 characters: a dot-atom of at most 64, `@`, and a domain of letters, digits and
 * hyphens of any script (RFC 5321, RFC 6531). The domain needs no dot.
 */
export const ONE_ADDRESS = new RegExp(
  `^(?=.{1,253}$)(?=.{1,64}@)${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*$`,
  'u',
);

/** Maximum number of characters of untrusted text in a message. */
const QUOTED = 200;

/** Maximum number of characters of a message. */
const LONGEST_MESSAGE = 4000;

/** Returns a word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Quotes and escapes a text for a message, and cuts it to 200 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED ? `${text.slice(0, QUOTED - 1)}…` : text);
}

/** Cuts a message to 4,000 characters and replaces control characters and unpaired surrogates. */
export function presentable(message: string): string {
  const text = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE - 1)}…` : message;
  return text.toWellFormed().replaceAll(/\p{Cc}/gu, ' ');
}
