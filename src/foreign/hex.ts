/** Hexadecimal digits behind `0x`, in lower case unless it is said. */
export type Hex = `0x${string}`;
