import type { NotificationReply } from '../notify/notifications.js';
import type { IgnoredWhy } from '../server/ignored-values.js';
import type { FactsReply } from '../server/server-context.js';

const NOTHING_MEASURED = 'nothing to count: no element has a value';

/** Most names in a title. */
const NAMES = 4;

/** Returns the title of the answer to operation 1. `measurements`: their number in the request. */
export function factsTitle(
  { counted, leftOut = 0, fired, ignored = [] }: FactsReply,
  measurements: number,
): string {
  if (counted) return `${several(measurements - leftOut, 'fact')} taken${firings(fired)}`;
  if (ignored.length === 0) return NOTHING_MEASURED;
  const byWhy = grouped(ignored.map(({ metric, why }) => [why, metric]));
  const parts = [...byWhy].map(([why, metrics]) => {
    const few = metrics.size === 1;
    const values = `the ${few ? 'value' : 'values'} of ${named(metrics, 'metrics')}`;
    switch (why) {
      case 'repeated':
        return `${values} ${few ? 'was' : 'were'} counted before`;
      case 'older':
        return `${values} ${few ? 'is' : 'are'} older than the last one counted`;
      case 'other subscription':
        return `${values} ${few ? 'comes' : 'come'} from another subscription than the one that feeds this server`;
    }
  });
  return `nothing counted: ${parts.join('; ')}`;
}

/** Returns the title of the answer to facts by entity. */
export function notificationTitle({ facts, fired, servers, ignored }: NotificationReply): string {
  if (facts > 0) return `${several(facts, 'fact')} of ${several(servers, 'server')} taken${firings(fired)}`;
  if (ignored.length === 0) return NOTHING_MEASURED;
  const byWhy = grouped(
    ignored.flatMap(({ serverId, ignored: values }) => values.map(({ why }) => [why, serverId] as const)),
  );
  const parts = [...byWhy].map(([why, ids]) => {
    const values = `values of ${named(ids, 'servers')}`;
    switch (why) {
      case 'repeated':
        return `${values} were counted before`;
      case 'older':
        return `${values} are older than the last ones counted`;
      case 'other subscription':
        return `${values} come from another subscription than the one that feeds ${ids.size === 1 ? 'it' : 'them'}`;
    }
  });
  return `nothing counted: ${parts.join('; ')}`;
}

function grouped(
  all: readonly (readonly [why: IgnoredWhy, name: string])[],
): ReadonlyMap<IgnoredWhy, ReadonlySet<string>> {
  const byWhy = new Map<IgnoredWhy, Set<string>>();
  for (const [why, name] of all) {
    const names = byWhy.get(why);
    if (names === undefined) byWhy.set(why, new Set([name]));
    else names.add(name);
  }
  return byWhy;
}

/** Returns names as a part of a sentence; of many, their number alone. */
function named(names: ReadonlySet<string>, what: string): string {
  if (names.size > NAMES) return `${names.size} ${what}`;
  const all = [...names];
  const last = all.pop()!;
  return all.length === 0 ? last : `${all.join(', ')} and ${last}`;
}

function firings(fired: number): string {
  return fired === 0 ? '' : `, ${several(fired, 'firing')}`;
}

function several(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
