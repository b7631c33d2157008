type Wanted =
  | 'a value'
  | 'a value or ]'
  | 'a name'
  | 'a name or }'
  | ':'
  | ', or ]'
  | ', or }'
  | 'nothing more';

const space = /[ \t\n\r]*/y;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/**
 * Says where a text that `JSON.parse` refused stops being JSON, and what belongs there. V8's own message leaves the
 * place out more often than not, and quotes the text.
 */
export function faultIn(text: string): string {
  const open: string[] = [];
  let wanted: Wanted = 'a value';
  let at = skip(space, text, 0);
  for (;;) {
    const next = step(text[at], wanted, open);
    const end = next === undefined ? undefined : endOfToken(text, at);
    if (next === undefined || end === undefined) return `${wanted} expected at ${place(text, at)}`;
    wanted = next;
    at = skip(space, text, end);
  }
}

/** What is wanted behind a token that begins with `char`; undefined where it may not stand. Keeps `open`. */
function step(char: string | undefined, wanted: Wanted, open: string[]): Wanted | undefined {
  const inside = open.at(-1);
  const behindValue = (closed: string | undefined): Wanted =>
    closed === undefined ? 'nothing more' : closed === '[' ? ', or ]' : ', or }';
  switch (char) {
    case undefined:
      return undefined;
    case ':':
      return wanted === ':' ? 'a value' : undefined;
    case ',':
      if (wanted === ', or ]') return 'a value';
      return wanted === ', or }' ? 'a name' : undefined;
    case ']':
    case '}':
      if (!wanted.endsWith(`or ${char}`)) return undefined;
      open.pop();
      return behindValue(open.at(-1));
    case '"':
      if (wanted.startsWith('a name')) return ':';
      return wanted.startsWith('a value') ? behindValue(inside) : undefined;
    default:
      if (!wanted.startsWith('a value')) return undefined;
      if (char !== '[' && char !== '{') return behindValue(inside);
      open.push(char);
      return char === '[' ? 'a value or ]' : 'a name or }';
  }
}

/** Where the token that begins at `at` ends; undefined where it is none. */
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
