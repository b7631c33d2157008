import type { FactsByEntityReply } from '../server/facts-by-entity.js';
import type { IgnoredWhy } from '../server/ignored-values.js';
import type { FactsReply } from '../server/server-context.js';

/** The words for the values of one metric, and of several, by the reason why they were left out. */
const METRICS_WORDS: Readonly<Record<IgnoredWhy, readonly [one: string, several: string]>> = {
  repeated: ['was counted before', 'were counted before'],
  older: ['is older than the last one counted', 'are older than the last one counted'],
  'other subscription': [
    'comes from another subscription than the one that feeds this server',
    'come from another subscription than the one that feeds this server',
  ],
};

/** The words for the values of one server, and of several. */
const SERVERS_WORDS: typeof METRICS_WORDS = {
  repeated: ['were counted before', 'were counted before'],
  older: ['are older than the last ones counted', 'are older than the last ones counted'],
  'other subscription': [
    'come from another subscription than the one that feeds it',
    'come from another subscription than the one that feeds them',
  ],
};

/** Maximum number of names in a title. */
const NAMES = 4;

/** Returns the title of the answer to operation 1. `measurements`: their number in the request. */
export function factsTitle(
  { counted, leftOut = 0, fired, ignored = [] }: FactsReply,
  measurements: number,
): string {
  if (counted) return `${several(measurements - leftOut, 'fact')} taken${firings(fired)}`;
  const values = (metrics: ReadonlySet<string>): string =>
    `the ${metrics.size === 1 ? 'value' : 'values'} of ${named(metrics, 'metrics')}`;
  return nothingCounted(
    ignored.map(({ why, metric }) => [why, metric]),
    values,
    METRICS_WORDS,
  );
}

/** Returns the title of the answer to facts by entity. */
export function factsByEntityTitle({ facts, fired, servers, ignored }: FactsByEntityReply): string {
  if (facts > 0) return `${several(facts, 'fact')} of ${several(servers, 'server')} taken${firings(fired)}`;
  return nothingCounted(
    ignored.flatMap(({ serverId, ignored: values }) => values.map(({ why }) => [why, serverId] as const)),
    (servers) => `values of ${named(servers, 'servers')}`,
    SERVERS_WORDS,
  );
}

function nothingCounted(
  ignored: readonly (readonly [why: IgnoredWhy, name: string])[],
  values: (names: ReadonlySet<string>) => string,
  words: typeof METRICS_WORDS,
): string {
  if (ignored.length === 0) return 'nothing to count: no element has a value';
  const byWhy = new Map<IgnoredWhy, Set<string>>();
  for (const [why, name] of ignored) byWhy.set(why, (byWhy.get(why) ?? new Set()).add(name));
  const parts = [...byWhy].map(([why, names]) => `${values(names)} ${words[why][names.size === 1 ? 0 : 1]}`);
  return `nothing counted: ${parts.join('; ')}`;
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
