/** Returns the test whether a name fits one of some patterns, which blanks or commas separate. `*` stands for any characters. */
export function matcherOf(patterns: string): (name: string) => boolean {
  const expressions = patterns
    .split(/[\s,]+/)
    .filter((pattern) => pattern !== '')
    .map((pattern) => new RegExp(`^${pattern.split(/\*+/).map(escaped).join('.*')}$`, 's'));
  return (name) => expressions.some((expression) => expression.test(name));
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
