/** Returns the patterns of servers that are typed, with commas or blanks between them. */
export function typedPatterns(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((pattern) => pattern !== '');
}
