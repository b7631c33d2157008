/** Follows a JSON text that is written piece by piece: what is added between the pieces must leave the place as it is. */
export function jsonPlace() {
  let isInString = false;
  let isEscaped = false;
  return {
    /** Goes on behind a piece of the text. */
    pass(piece: string): void {
      for (const character of piece) {
        if (isEscaped) isEscaped = false;
        else if (character === '\\') isEscaped = isInString;
        else if (character === '"') isInString = !isInString;
      }
    },
    /** True inside the quotation marks of a string. */
    isInString: () => isInString,
    /** True behind a backslash in a string. */
    isEscaped: () => isEscaped,
  };
}
