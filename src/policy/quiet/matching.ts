import type { QuietTime } from './quiet-time.js';

const NONE: readonly QuietTime[] = [];

/** Returns the quiet times that mute the subscriptions of a rule on a server. */
export function quietOf(
  list: readonly QuietTime[],
  serverId: string,
  ruleName: string,
): readonly QuietTime[] {
  if (list.length === 0) return NONE;
  const found = list.filter(
    ({ servers, rules }) =>
      (rules === undefined || rules.includes(ruleName)) && servers.some((one) => fits(one, serverId)),
  );
  return found.length === 0 ? NONE : found;
}

/** True if a pattern stands for a server. `*` stands for any characters, also none; all others stand for themselves. */
export function fits(pattern: string, serverId: string): boolean {
  const pieces = pattern.split('*');
  const first = pieces[0]!;
  if (pieces.length === 1) return pattern === serverId;
  const last = pieces.at(-1)!;
  if (!serverId.startsWith(first)) return false;
  let at = first.length;
  // The first place of each piece leaves the most room for the others.
  for (const piece of pieces.slice(1, -1)) {
    const found = serverId.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return serverId.length - last.length >= at && serverId.endsWith(last);
}
