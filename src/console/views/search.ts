import { setImmediate } from 'node:timers/promises';
import { contextIn } from '../../actors/behavior.js';
import type { Browse } from '../../ledger/browse/browse.js';
import type { ReceiptDetails } from '../../ledger/browse/receipt-detail.js';
import { isTenant } from '../../ledger/http/headers.js';
import { showDelivery } from '../../operator/deliveries-view.js';
import type { ServerState } from '../../policy/explain/shapes.js';
import type { Rule } from '../../policy/rules/rule.js';
import type { ServerContext } from '../../policy/server/server-context.js';
import { SERVER } from '../../policy/server/server-kind.js';
import { TENANT, type TenantContext } from '../../policy/tenant/tenant-machine.js';
import { addressOfTenant } from '../../policy/tenant/tenants.js';
import { lastOfTenants } from '../../store/paging.js';
import { actorId, addressOf, type Outline, type Store } from '../../store/port.js';
import type { Hex } from '../../system/chain-bytes.js';
import type { SearchResultView, SearchView } from '../shapes.js';

/** What a search reads. */
export interface SearchOptions {
  readonly store: Store;
  readonly ledger: (Pick<Browse, 'entity' | 'entities'> & Pick<ReceiptDetails, 'receipt'>) | undefined;
  /** True if a tenant sees its own transactions alone. */
  readonly scoped: boolean;
  /** Returns ms. */
  readonly now: () => number;
}

/** Returns what a text may mean; of `tenant` alone if that is given. */
export type Search = (text: string, tenant: string | undefined) => Promise<SearchView>;

type Result<K extends SearchResultView['kind']> = Extract<SearchResultView, { kind: K }>;
/** What one kind of results has. `complete` is false if not everything was searched. */
interface Found<K extends SearchResultView['kind']> {
  readonly results: readonly Result<K>[];
  readonly complete: boolean;
}

/** Results of one kind. */
const MOST = 6;
/** Time for which one kind is searched, ms. */
const BUDGET_MS = 60;
/** Servers whose rules are read in one turn of the event loop. */
const STEP = 100;
/** Outlines that are read in one turn of the event loop. The embedded store takes about 1 µs for each. */
const OUTLINES = 1_000;
const NO_RULES: Found<'rule'> = { results: [], complete: true };
const MESSAGE = /^msg_[\da-f]+$/;
const TRANSACTION = /^0x[\da-f]{64}$/i;

/**
 * Makes the search over everything. Its cost is bounded: ids are found by ranges of the store, and parts of ids and names
 * within a time, whatever the store has.
 */
export function createSearch({ store, ledger, scoped, now }: SearchOptions): Search {
  /** Servers whose id begins with the text, then others with the text in it. */
  const servers = async (text: string, tenant: string | undefined): Promise<Found<'server'>> => {
    const end = now() + BUDGET_MS;
    const found = new Map<string, Result<'server'>>();
    const add = ({ id, state }: Pick<Outline, 'id' | 'state'>): void => {
      const { tenant: tenantId, name: serverId } = addressOf(id);
      if (found.size < MOST)
        found.set(id, { kind: 'server', tenantId, serverId, state: state as ServerState });
    };
    for await (const tenantId of tenantsOf(SERVER, tenant)) {
      const id = actorId({ kind: SERVER, tenant: tenantId, name: text });
      const same = await store.load(id);
      if (same !== undefined) add({ id, state: same.state });
      const { items } = await store.outline({ kind: SERVER, tenant: tenantId, after: id, limit: MOST });
      for (const item of items) if (item.id.startsWith(id)) add(item);
      if (found.size === MOST || now() >= end) return { results: [...found.values()], complete: false };
    }
    const { servers: others, complete } = await serversWith(text.toLowerCase(), tenant);
    others.forEach(add);
    return { results: [...found.values()], complete };
  };

  /** Servers with a text in their id, in the order of tenants and ids. */
  const serversWith = async (wanted: string, tenant: string | undefined) => {
    const end = now() + BUDGET_MS;
    const found: Outline[] = [];
    for (let after: string | undefined; ;) {
      const { items, more } = await store.outline({ kind: SERVER, tenant, after, limit: OUTLINES });
      found.push(...items.filter(({ id }) => addressOf(id).name.toLowerCase().includes(wanted)));
      if (found.length > MOST || !more || now() >= end)
        return { servers: found.slice(0, MOST), complete: found.length <= MOST && !more };
      after = items.at(-1)!.id;
      await setImmediate();
    }
  };

  /** Tenants by id and name, and the rules of tenants by id and name. */
  const tenantsAndRules = async (
    text: string,
    tenant: string | undefined,
  ): Promise<{ readonly tenants: Found<'tenant'>; readonly rules: Found<'rule'> }> => {
    const end = now() + BUDGET_MS;
    const wanted = text.toLowerCase();
    const tenants: Result<'tenant'>[] = [];
    const rules: Result<'rule'>[] = [];
    let complete = true;
    for await (const tenantId of tenantsOf(TENANT, tenant)) {
      const stored = await store.load(actorId(addressOfTenant(tenantId)));
      if (stored === undefined) continue;
      const { names, rules: own } = contextIn(stored) as TenantContext;
      const isMeant = [tenantId, ...names].some((name) => name.toLowerCase().includes(wanted));
      if (tenant === undefined && isMeant && tenants.length <= MOST)
        tenants.push({ kind: 'tenant', tenantId, name: names[0] ?? tenantId });
      for (const rule of own)
        if (rules.length <= MOST && fits(rule, wanted)) rules.push(ofRule(rule, tenantId));
      complete = now() < end;
      if (!complete) break;
    }
    const left = MOST + 1 - rules.length;
    const ofServers = left === 0 ? NO_RULES : await serverRules(wanted, tenant, left);
    return {
      tenants: firstOf(tenants, complete),
      rules: firstOf([...rules, ...ofServers.results], complete && ofServers.complete),
    };
  };

  /** Rules of one server, by id and name. */
  const serverRules = async (
    wanted: string,
    tenant: string | undefined,
    most: number,
  ): Promise<Found<'rule'>> => {
    const end = now() + BUDGET_MS;
    const results: Result<'rule'>[] = [];
    const written = JSON.stringify(wanted).slice(1, -1);
    for (let after: string | undefined; ;) {
      const { items, more } = await store.list({ kind: SERVER, tenant, after, limit: STEP });
      for (const { id, rare } of items) {
        if (!rare.toLowerCase().includes(written)) continue;
        const { tenant: tenantId, name } = addressOf(id);
        const { rules } = JSON.parse(rare) as Pick<ServerContext, 'rules'>;
        for (const rule of rules) if (fits(rule, wanted)) results.push(ofRule(rule, tenantId, name));
      }
      if (results.length >= most || !more) return { results: results.slice(0, most), complete: !more };
      if (now() >= end) return { results, complete: false };
      after = items.at(-1)!.id;
      await setImmediate();
    }
  };

  const message = async (text: string, tenant: string | undefined): Promise<readonly Result<'message'>[]> => {
    const found = MESSAGE.test(text) ? await showDelivery(store, text, tenant) : undefined;
    if (found === undefined) return [];
    const { id, state, channel, server } = found;
    return [{ kind: 'message', id, tenantId: found.tenant, state, channel, serverId: server ?? null }];
  };

  const entities = async (text: string, viewer: string | undefined): Promise<Found<'entity'>> => {
    const tenant = scoped ? viewer : undefined;
    if (ledger === undefined || (tenant !== undefined && !isTenant(tenant)))
      return { results: [], complete: true };
    const exact = await ledger.entity(text, { before: undefined, limit: 1 }, tenant);
    const range = { query: text, before: undefined, limit: MOST };
    const { entities: others, next } = await ledger.entities(range, tenant);
    const ids = new Set([...(exact === undefined ? [] : [text]), ...others.map(({ entityId }) => entityId)]);
    return {
      results: [...ids].slice(0, MOST).map((entityId) => ({ kind: 'entity', entityId })),
      complete: next === null,
    };
  };

  const transaction = async (
    text: string,
    viewer: string | undefined,
  ): Promise<readonly Result<'transaction'>[]> => {
    if (ledger === undefined || !TRANSACTION.test(text)) return [];
    const found = await ledger.receipt(text.toLowerCase() as Hex, scoped ? viewer : undefined);
    if (found === undefined) return [];
    const { transactionHash, operation, state } = found;
    return [{ kind: 'transaction', transactionHash, operation, state }];
  };

  /** The tenants with actors of a kind; `tenant` alone if it is given. */
  async function* tenantsOf(kind: string, tenant: string | undefined): AsyncGenerator<string, void> {
    if (tenant !== undefined) yield tenant;
    else for await (const { tenant: one } of lastOfTenants(store, { kind })) yield one;
  }

  return async (text, tenant) => {
    const transactions = await transaction(text, tenant);
    // Neither a hash nor the id of a message is a part of anything else.
    if (transactions.length > 0) return { query: text, results: transactions, complete: true };
    const messages = await message(text, tenant);
    if (messages.length > 0) return { query: text, results: messages, complete: true };
    const found = await servers(text, tenant);
    const { tenants, rules } = await tenantsAndRules(text, tenant);
    const recorded = await entities(text, tenant);
    return {
      query: text,
      results: [...found.results, ...tenants.results, ...rules.results, ...recorded.results],
      complete: [found, tenants, rules, recorded].every(({ complete }) => complete),
    };
  };
}

/** Returns the results that are shown of those found, of which one more than these is enough. */
function firstOf<K extends SearchResultView['kind']>(
  found: readonly Result<K>[],
  complete: boolean,
): Found<K> {
  return { results: found.slice(0, MOST), complete: complete && found.length <= MOST };
}

function fits({ ruleId, name }: Rule, wanted: string): boolean {
  return ruleId === wanted || name.toLowerCase().includes(wanted);
}

function ofRule({ ruleId, name }: Rule, tenantId: string, serverId: string | null = null): Result<'rule'> {
  return { kind: 'rule', ruleId, name, tenantId, serverId };
}
