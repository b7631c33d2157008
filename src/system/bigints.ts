/** Returns the lower of two integers. */
export function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** Returns the higher of two integers. */
export function higher(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Returns `value * by / of`, rounded up. None of them is negative. */
export function scaledUp(value: bigint, by: bigint, of: bigint): bigint {
  return (value * by + of - 1n) / of;
}
