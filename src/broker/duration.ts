/** Weeks, days, hours, minutes, seconds; years and months have no fixed length and are not read. */
const ISO_8601 = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?$/;

const SECONDS = [604_800, 86_400, 3_600, 60, 1];

/** An ISO 8601 duration of whole seconds. */
export function isoDuration(seconds: number): string {
  return `PT${seconds}S`;
}

/** The seconds of an ISO 8601 duration; undefined for what is none, is empty, or has no fixed length. */
export function secondsOf(duration: unknown): number | undefined {
  const parts = typeof duration === 'string' ? ISO_8601.exec(duration) : null;
  if (parts === null) return undefined;
  const total = SECONDS.reduce((sum, length, i) => sum + length * Number(parts[i + 1] ?? 0), 0);
  return total > 0 ? total : undefined;
}
