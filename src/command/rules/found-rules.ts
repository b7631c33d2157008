import { formOf } from '../../delivery/form/formats.js';
import type { Rule } from '../../policy/rules/rule.js';
import { mapInBatches } from '../../system/in-batches.js';
import { type AskedService, ServiceRefusal } from '../asked-service.js';
import { Failure } from '../context.js';
import { headersInFile, type Target } from './target.js';
import { TENANT_LIST } from './wanted-rules.js';

/** A subscription in the service. */
export interface FoundSubscription extends Target {
  readonly subscriptionId: string;
}

/** A rule in the service. */
export interface FoundRule {
  readonly rule: Rule;
  /** In the order of servers and ids. */
  readonly subscriptions: readonly FoundSubscription[];
}

/** What the service has of a tenant. */
export interface FoundRules {
  readonly windowsize: number;
  /** As `WantedRules.lists`, oldest first. Names need not be unique here. */
  readonly lists: ReadonlyMap<string, readonly FoundRule[]>;
}

/** Requests at a time. */
export const AT_ONCE = 8;
/** Subscriptions of a page. */
const PAGE = '1000';

/** Servers, of which rules are read: those with rules of their own, or those of these ids. */
export type WantedServers = 'all' | Iterable<string>;

/** Reads the window size, the rules of the tenant, and those of servers, with their subscriptions. */
export async function findRules(service: AskedService, wanted: WantedServers): Promise<FoundRules> {
  const get = async <T>(...path: readonly string[]): Promise<T> =>
    (await service.request('GET', path)).body as T;
  const { windowsize } = await get<{ readonly windowsize: number }>();
  const { rules } = await get<{ readonly rules: readonly Rule[] }>('rules');
  const serverIds = wanted === 'all' ? await serversWithRules(service) : [...wanted];
  const ofServers = await mapInBatches(
    serverIds,
    AT_ONCE,
    async (serverId): Promise<[string, readonly Rule[]]> => [
      serverId,
      await rulesOfServer(service, serverId),
    ],
  );
  const subscriptions = await subscriptionsByRule(service);
  const lists = [[TENANT_LIST, rules] as const, ...ofServers].map(
    ([key, list]): [string, readonly FoundRule[]] => [
      key,
      list.map((rule) => ({ rule, subscriptions: subscriptions.get(rule.ruleId) ?? [] })),
    ],
  );
  return { windowsize, lists: new Map(lists) };
}

async function serversWithRules(service: AskedService): Promise<readonly string[]> {
  const { body } = await service.request('GET', ['servers']);
  const { servers } = body as {
    readonly servers: readonly {
      readonly serverId: string;
      readonly rules: readonly unknown[];
      readonly unreadable?: string;
    }[];
  };
  const unreadable = servers.find((one) => one.unreadable !== undefined);
  if (unreadable !== undefined)
    throw new Failure(
      `the rules of server ${unreadable.serverId} cannot be read: a newer release of the service stored it; ask a node of that release`,
    );
  return servers.filter(({ rules }) => rules.length > 0).map(({ serverId }) => serverId);
}

/** The list of servers has no names of rules. */
async function rulesOfServer(service: AskedService, serverId: string): Promise<readonly Rule[]> {
  try {
    // The ending `.json` of a path is not part of the id.
    const segment = serverId.endsWith('.json') ? `${serverId}.json` : serverId;
    const { body } = await service.request('GET', ['servers', segment]);
    return (body as { readonly rules: readonly Rule[] }).rules;
  } catch (error) {
    // A server is known from its first rule on.
    if (error instanceof ServiceRefusal && error.status === 404) return [];
    throw error;
  }
}

interface Page {
  readonly subscriptions: readonly (Omit<FoundSubscription, 'headers'> & {
    readonly ruleId: string;
    readonly headers?: readonly string[];
  })[];
  readonly next: string | null;
}

async function subscriptionsByRule(
  service: AskedService,
): Promise<ReadonlyMap<string, readonly FoundSubscription[]>> {
  const found = new Map<string, FoundSubscription[]>();
  for (let after: string | undefined; ;) {
    const { body } = await service.request('GET', ['subscriptions'], { query: { limit: PAGE, after } });
    const { subscriptions, next } = body as Page;
    for (const { ruleId, subscriptionId, serverId, url, headers, ...form } of subscriptions) {
      const list = found.get(ruleId) ?? [];
      const shown = formOf({ ...form, headers: headers && headersInFile(headers) });
      list.push({ subscriptionId, serverId, url, ...shown });
      found.set(ruleId, list);
    }
    if (next === null) return found;
    after = next;
  }
}
