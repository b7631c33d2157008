import { setImmediate } from 'node:timers/promises';
import { contextIn } from '../../actors/behavior.js';
import { addressOf, type Listed, type Store } from '../../store/port.js';
import { anyOf } from '../quiet/patterns.js';
import { findRule } from '../rules/rule.js';
import type { ServerContext } from '../server/server-context.js';
import { SERVER, SERVER_VERSION } from '../server/server-kind.js';
import { tenantViews, UNREADABLE_TENANT, type ViewTenant } from '../tenant/tenant-views.js';
import type { Tenants } from '../tenant/tenants.js';
import type { SubscriptionPath } from './mutes.js';

/** A subscription that is muted for itself. Times in ms since the epoch. */
export interface MutedSubscription extends SubscriptionPath {
  readonly ruleName: string;
  /** Name of the user, or `operator`; undefined: somebody with the link of a mail. */
  readonly by: string | undefined;
  readonly comment: string | undefined;
  readonly at: number | undefined;
  readonly until: number;
}

/** Documents and outlines that are read at a time. */
const DOCUMENTS = 200;
const OUTLINES = 1_000;
/** Time after which a search ends at the end of a page, ms. */
const SEARCH_MS = 100;
/** Servers that are named of those that fit. */
const NAMED = 5;

/** In the rarely written text of a server with a mute. */
const MUTED = '"mutedUntil":';

/**
 * Returns subscriptions that are muted for themselves, in the order of their servers. `next`: the server after which the
 * search goes on; undefined: nothing is left.
 */
export async function listMuted(
  store: Pick<Store, 'list'>,
  tenants: Pick<Tenants, 'view'>,
  query: { readonly tenant: string | undefined; readonly after: string | undefined; readonly limit: number },
  now: number,
): Promise<{ readonly muted: readonly MutedSubscription[]; readonly next: string | undefined }> {
  const { tenant, limit } = query;
  const end = performance.now() + SEARCH_MS;
  const viewTenant = tenantViews(tenants);
  const muted: MutedSubscription[] = [];
  for (let after = query.after; ;) {
    const { items, more } = await store.list({ kind: SERVER, tenant, after, limit: DOCUMENTS });
    for (const item of items) {
      after = item.id;
      if (item.version <= SERVER_VERSION && item.rare.includes(MUTED))
        muted.push(...(await mutedOn(item, viewTenant, now)));
      if (muted.length >= limit) return { muted, next: after };
    }
    if (!more) return { muted, next: undefined };
    if (performance.now() >= end) return { muted, next: after };
    await setImmediate();
  }
}

async function mutedOn(
  listed: Listed,
  viewTenant: ViewTenant,
  now: number,
): Promise<readonly MutedSubscription[]> {
  const { tenant: tenantId, name: serverId } = addressOf(listed.id);
  const tenant = (await viewTenant(tenantId)) ?? UNREADABLE_TENANT;
  const { rules, subscriptions } = contextIn(listed) as ServerContext;
  return subscriptions.flatMap(({ id, ruleId, mutedUntil, mutedAt, muter, muteComment }) => {
    if (mutedUntil === undefined || mutedUntil <= now) return [];
    const rule = findRule(ruleId, rules, tenant.rules);
    if (rule === undefined) return [];
    const known = { tenantId, serverId, subscriptionId: id, ruleName: rule.name };
    return [{ ...known, by: muter, comment: muteComment, at: mutedAt, until: mutedUntil }];
  });
}

/** Counts the known servers of a tenant that patterns stand for, as far as the search gets. */
export async function countFitting(
  store: Pick<Store, 'outline'>,
  tenant: string,
  patterns: readonly string[],
): Promise<{
  readonly fitting: number;
  readonly first: readonly string[];
  readonly servers: number;
  readonly isWhole: boolean;
}> {
  const end = performance.now() + SEARCH_MS;
  const fits = anyOf(patterns);
  const first: string[] = [];
  let fitting = 0;
  let servers = 0;
  for (let after: string | undefined; ;) {
    const { items, more } = await store.outline({ kind: SERVER, tenant, after, limit: OUTLINES });
    for (const { id } of items) {
      const { name } = addressOf(id);
      servers += 1;
      if (!fits(name)) continue;
      fitting += 1;
      if (first.length < NAMED) first.push(name);
    }
    after = items.at(-1)?.id;
    if (!more || performance.now() >= end) return { fitting, first, servers, isWhole: !more };
    await setImmediate();
  }
}
