/** Line breaks and other controls, and the marks that make text run against its reading direction. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

/** Text that others wrote, fit for one line of a header, a log or a page: at most `longest` code points. */
export function oneLine(text: string, longest: number): string {
  const line = text.toWellFormed().replace(UNFIT, ' ').trim();
  const points = Array.from(line);
  return points.length <= longest ? line : `${points.slice(0, longest - 1).join('')}…`;
}
