/** Returns the median, the upper one of two. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** Returns a ratio with three decimal places. */
export function ratio(a: number, b: number): number {
  return Math.round((a / b) * 1000) / 1000;
}

/** Returns the value that a part of the values, such as 0.97, does not exceed. */
export function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!;
}
