import { anyOf } from './patterns.js';
import type { QuietTime } from './quiet-time.js';

const NONE: readonly QuietTime[] = [];

/** Servers for which what was found is kept, of each tenant. */
const KEPT = 2_000;

/**
 * By list of quiet times: what was found, by the id of a server. A tenant may have 5,000 patterns, which take milliseconds, and
 * every view of a server compares them. Lists are replaced, never changed.
 */
const foundIn = new WeakMap<readonly QuietTime[], Map<string, readonly QuietTime[]>>();
/** By list of patterns, and by list of names. */
const tests = new WeakMap<readonly string[], (serverId: string) => boolean>();
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Returns the quiet times that mute subscriptions of a server. */
export function quietOfServer(list: readonly QuietTime[], serverId: string): readonly QuietTime[] {
  if (list.length === 0) return NONE;
  let known = foundIn.get(list);
  if (known === undefined) foundIn.set(list, (known = new Map<string, readonly QuietTime[]>()));
  let found = known.get(serverId);
  if (found !== undefined) return found;
  found = some(list, ({ servers }) => keptOf(tests, servers, anyOf)(serverId));
  if (known.size === KEPT) known.clear();
  known.set(serverId, found);
  return found;
}

/** Returns those of the quiet times of a server that mute the subscriptions of a rule. */
export function quietOfRule(list: readonly QuietTime[], ruleName: string): readonly QuietTime[] {
  return some(list, ({ rules }) => rules === undefined || keptOf(sets, rules, setOf).has(ruleName));
}

/** Most subscriptions have none: these share a list. */
function some(list: readonly QuietTime[], is: (one: QuietTime) => boolean): readonly QuietTime[] {
  if (list.length === 0) return NONE;
  const found = list.filter(is);
  return found.length === 0 ? NONE : found;
}

function keptOf<V>(
  kept: WeakMap<readonly string[], V>,
  list: readonly string[],
  make: (list: readonly string[]) => V,
): V {
  let made = kept.get(list);
  if (made === undefined) kept.set(list, (made = make(list)));
  return made;
}

function setOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(names);
}
