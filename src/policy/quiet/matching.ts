import type { QuietTime } from './quiet-time.js';

const NONE: readonly QuietTime[] = [];

/** Returns the quiet times that mute subscriptions of a server. */
export function quietOfServer(list: readonly QuietTime[], serverId: string): readonly QuietTime[] {
  return some(list, ({ servers }) => servers.some((pattern) => fits(pattern, serverId)));
}

/** Returns those of the quiet times of a server that mute the subscriptions of a rule. */
export function quietOfRule(list: readonly QuietTime[], ruleName: string): readonly QuietTime[] {
  return some(list, ({ rules }) => rules === undefined || rules.includes(ruleName));
}

/** Most subscriptions have none: these share a list. */
function some(list: readonly QuietTime[], is: (one: QuietTime) => boolean): readonly QuietTime[] {
  if (list.length === 0) return NONE;
  const found = list.filter(is);
  return found.length === 0 ? NONE : found;
}

/** True if a pattern stands for a server. `*` stands for any characters, also none; all others stand for themselves. */
export function fits(pattern: string, serverId: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern === serverId;
  const first = pattern.slice(0, star);
  if (!serverId.startsWith(first)) return false;
  const pieces = pattern.split('*');
  const last = pieces.at(-1)!;
  let at = first.length;
  // The first place of each piece leaves the most room for the others.
  for (const piece of pieces.slice(1, -1)) {
    const found = serverId.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return serverId.length - last.length >= at && serverId.endsWith(last);
}
