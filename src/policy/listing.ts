import { setImmediate } from 'node:timers/promises';
import { pages } from '../store/paging.js';
import { addressOf } from '../store/port.js';
import type { Listed, Store } from '../store/port.js';
import { isKnown } from './subscriptions/broker-intents.js';
import { SERVER } from './kinds.js';
import type { Rule } from './rules/rule.js';
import type { ServerContext } from './server/server-context.js';

/** Operation 9. */
export interface Listing {
  /**
   * The tenant's known servers with their own rules, in the order of their ids, some at a time. `holds` is told how many
   * characters are in memory for it from then on; the listing fails with what it throws.
   */
  servers(tenantId: string, holds: (characters: number) => void): AsyncGenerator<readonly ListedServer[]>;
}

/** A server as operation 9 shows it: its rules bear no names there. */
export interface ListedServer {
  readonly serverId: string;
  readonly rules: readonly Omit<Rule, 'name'>[];
}

const PAGE = 500;
/** Characters of texts that are parsed before others get their turn. */
const TOGETHER = 256 * 1024;

/** Makes the listing straight on the store, page by page: a tenant's servers need not fit in memory. */
export function createListing(store: Store): Listing {
  return {
    async *servers(tenantId, holds) {
      const query = { kind: SERVER, tenant: tenantId, limit: PAGE };
      for await (const page of pages((after) => store.list({ ...query, after }))) {
        holds(page.reduce((sum, { hot, cold }) => sum + hot.length + cold.length, 0));
        for (const part of partsOf(page)) {
          yield part.filter(({ hot, cold }) => isListed(hot, cold)).map(({ id, cold }) => shown(id, cold));
          await setImmediate();
        }
      }
    },
  };
}

/** The servers of a page in their order, as many together as have `TOGETHER` characters, or one that has more. */
function* partsOf(page: readonly Listed[]): Generator<readonly Listed[]> {
  let start = 0;
  let characters = 0;
  for (const [i, { hot, cold }] of page.entries()) {
    characters += hot.length + cold.length;
    if (characters < TOGETHER) continue;
    yield page.slice(start, i + 1);
    start = i + 1;
    characters = 0;
  }
  if (start < page.length) yield page.slice(start);
}

/** Most servers have no intent: their texts are not parsed for it. */
function isListed(hot: string, cold: string): boolean {
  if (!hot.includes('"known":false')) return true;
  return isKnown({ ...JSON.parse(cold), ...JSON.parse(hot) } as ServerContext);
}

function shown(id: string, cold: string): ListedServer {
  const { rules } = JSON.parse(cold) as { rules: Rule[] };
  return {
    serverId: addressOf(id).name,
    rules: rules.map(({ condition, action, ruleId }) => ({ condition, action, ruleId })),
  };
}
