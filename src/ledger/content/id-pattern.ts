/** The rule that `isPattern` checks. */
export const A_PATTERN =
  'must be a regular expression: its ( ) and [ ] must balance, and no single backslash may end it';

/**
 * How dialects of regular expressions read a class such as `[a-z]`. `nests`: a `[` in a class opens one in it, as in Java,
 * or in `[[:alpha:]]` of POSIX. `beginsWithEnd`: a `]` is not an end where a class begins, as in `[]a]` of POSIX.
 */
const DIALECTS = [false, true].flatMap((nests) =>
  [false, true].map((beginsWithEnd) => ({ nests, beginsWithEnd })),
);

/**
 * True for a text that may be a regular expression of some dialect: the pattern is for a context broker, and the dialects
 * of brokers differ. Parentheses and brackets must balance, unless they are escaped; parentheses in a class do not
 * count. An odd number of backslashes at the end escapes nothing.
 */
export function isPattern(text: string): boolean {
  return DIALECTS.some((dialect) => isBalanced(text, dialect));
}

function isBalanced(text: string, { nests, beginsWithEnd }: (typeof DIALECTS)[number]): boolean {
  let groups = 0;
  let classes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') {
      at += 1;
      if (at === text.length) return false;
    } else if (character === '[' && (classes === 0 || nests)) {
      classes += 1;
      if (beginsWithEnd) at += /^\^?\]/.exec(text.slice(at + 1, at + 3))?.[0].length ?? 0;
    } else if (character === ']') {
      classes -= 1;
      if (classes < 0) return false;
    } else if (classes === 0 && character === '(') {
      groups += 1;
    } else if (classes === 0 && character === ')') {
      groups -= 1;
      if (groups < 0) return false;
    }
  }
  return groups === 0 && classes === 0;
}
