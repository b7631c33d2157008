type Expected =
  | 'a value'
  | 'a value or ]'
  | 'a name'
  | 'a name or }'
  | ':'
  | ', or ]'
  | ', or }'
  | 'nothing more';

const whitespace = /[ \t\n\r]*/y;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/**
 * Returns where an invalid JSON text has its first fault, and what is expected there. V8's message often omits the
 * position, and quotes the text.
 */
export function faultIn(text: string): string {
  const open: string[] = [];
  let expected: Expected = 'a value';
  let at = skip(whitespace, text, 0);
  for (;;) {
    const next = step(text[at], expected, open);
    const end = next === undefined ? undefined : endOfToken(text, at);
    if (next === undefined || end === undefined) return `${expected} expected at ${place(text, at)}`;
    expected = next;
    at = skip(whitespace, text, end);
  }
}

/** Returns what is expected after a token that begins with `char`. undefined if the token is not allowed. Updates `open`. */
function step(char: string | undefined, expected: Expected, open: string[]): Expected | undefined {
  const inside = open.at(-1);
  const afterValue = (closed: string | undefined): Expected =>
    closed === undefined ? 'nothing more' : closed === '[' ? ', or ]' : ', or }';
  switch (char) {
    case undefined:
      return undefined;
    case ':':
      return expected === ':' ? 'a value' : undefined;
    case ',':
      if (expected === ', or ]') return 'a value';
      return expected === ', or }' ? 'a name' : undefined;
    case ']':
    case '}':
      if (!expected.endsWith(`or ${char}`)) return undefined;
      open.pop();
      return afterValue(open.at(-1));
    case '"':
      if (expected.startsWith('a name')) return ':';
      return expected.startsWith('a value') ? afterValue(inside) : undefined;
    default:
      if (!expected.startsWith('a value')) return undefined;
      if (char !== '[' && char !== '{') return afterValue(inside);
      open.push(char);
      return char === '[' ? 'a value or ]' : 'a name or }';
  }
}

/** Returns the end of the token that begins at `at`. undefined if it is not a token. */
function endOfToken(text: string, at: number): number | undefined {
  if (text[at] === '"') return endOfString(text, at + 1);
  if ('{}[],:'.includes(text.charAt(at))) return at + 1;
  const end = skip(scalar, text, at);
  return end === at ? undefined : end;
}

function endOfString(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === 0x22) return at + 1;
    if (char < 0x20) return undefined;
    if (char !== 0x5c) continue;
    const end = skip(escape, text, at);
    if (end === at) return undefined;
    at = end - 1;
  }
  return undefined;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function place(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return at === text.length
    ? `position ${at}, where the text ends`
    : `position ${at} (line ${line}, column ${column})`;
}
