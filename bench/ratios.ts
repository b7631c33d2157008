/** The middle one, the upper of two. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** To three digits behind the point. */
export function ratio(a: number, b: number): number {
  return Math.round((a / b) * 1000) / 1000;
}
