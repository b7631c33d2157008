/** Weeks, days, hours, minutes, seconds. Years and months have no fixed length. */
const ISO_8601 = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?$/;

const SECONDS = [604_800, 86_400, 3_600, 60, 1];

/** Formats whole seconds as an ISO 8601 duration. */
export function isoDuration(seconds: number): string {
  return `PT${seconds}S`;
}

/** Returns the seconds of an ISO 8601 duration. undefined if it is invalid, empty, or of no fixed length. */
export function secondsOf(duration: unknown): number | undefined {
  const parts = typeof duration === 'string' ? ISO_8601.exec(duration) : null;
  if (parts === null) return undefined;
  const total = SECONDS.reduce((sum, length, i) => sum + length * Number(parts[i + 1] ?? 0), 0);
  return total > 0 ? total : undefined;
}
