/** Follows a JSON text that is written piece by piece: text between two pieces must not open or close a string. */
export function jsonPlace() {
  let isInString = false;
  let isEscaped = false;
  return {
    /** Moves the place to the end of a piece. */
    pass(piece: string): void {
      for (const character of piece) {
        if (isEscaped) isEscaped = false;
        else if (character === '\\') isEscaped = isInString;
        else if (character === '"') isInString = !isInString;
      }
    },
    /** True inside the quotation marks of a string. */
    isInString: () => isInString,
    /** True after a backslash in a string. */
    isEscaped: () => isEscaped,
  };
}
