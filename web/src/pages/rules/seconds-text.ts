const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** Returns a whole number of seconds, exactly, in the largest unit that divides it: `7 d`, `10 min`, `90 s`. */
export function secondsText(seconds: number): string {
  const unit = UNITS.find(([length]) => seconds >= length && seconds % length === 0);
  return unit === undefined ? `${seconds} s` : `${seconds / unit[0]} ${unit[1]}`;
}

/** Returns a length of time in hours and minutes, below an hour in minutes and seconds: `37 h 40 min`, `1 min 59 s`. */
export function lengthText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  const parts =
    hours > 0 ? [`${hours} h`, `${rest} min`] : [`${minutes} min`, `${Math.floor(seconds % 60)} s`];
  return parts.filter((part) => !part.startsWith('0 ')).join(' ');
}
