import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { choice, onlyOf, plain, wholeNumber, wrongParameter } from '../../http/query.js';
import { addressOf } from '../../store/port.js';
import type { FleetPage, FleetQuery } from '../fleet/fleet.js';
import { FLEET_SORTS, type FleetPlace, type FleetSort } from '../fleet/fleet-walk.js';
import type { FleetView } from '../fleet/shapes.js';
import type { ServerState } from '../explain/shapes.js';
import { SERVER } from '../server/server-kind.js';
import { SERVER_STATES } from '../server/server-machine.js';

/** Servers of a page by default, and at most. */
export const FLEET_LIMIT = 100;
export const FLEET_LIMIT_MAX = 1_000;

/** The parameters of a list of servers. */
const FLEET_PARAMETERS = ['state', 'rule', 'label', 'query', 'sort', 'after', 'limit'] as const;

/**
 * Returns the servers that a request asks for. `tenant`: those of this tenant alone. `others`: names of parameters that the caller
 * reads. Throws a `Refusal` that names the wrong parameter.
 */
export function fleetQueryOf(
  ctx: Context,
  tenant: string | undefined,
  others: readonly string[] = [],
): FleetQuery {
  onlyOf(ctx, [...others, ...FLEET_PARAMETERS]);
  const asked = {
    tenant,
    state: choice(ctx, 'state', SERVER_STATES) as ServerState | undefined,
    rule: plain(ctx, 'rule'),
    label: labelIn(ctx),
    text: plain(ctx, 'query'),
    sort: (choice(ctx, 'sort', FLEET_SORTS) as FleetSort | undefined) ?? 'state',
  };
  return {
    ...asked,
    after: placeIn(ctx, asked),
    limit: wholeNumber(ctx, 'limit', 1, FLEET_LIMIT_MAX) ?? FLEET_LIMIT,
  };
}

/** Returns a page as it is answered. */
export function fleetView(query: FleetQuery, { servers, next }: FleetPage): FleetView {
  return { servers, next: next === undefined ? null : cursorOf(query, next) };
}

function labelIn(ctx: Context): FleetQuery['label'] {
  const label = plain(ctx, 'label');
  if (label === undefined) return undefined;
  const end = label.indexOf('=');
  if (end < 1) throw wrongParameter('label', 'must be NAME=VALUE, such as severity=critical');
  return { name: label.slice(0, end), value: label.slice(end + 1) };
}

type Asked = Omit<FleetQuery, 'after' | 'limit'>;

/** Returns a place as `next` has it: with a digest of the query, for which alone it is good. */
function cursorOf(query: Asked, { order, id }: FleetPlace): string {
  return Buffer.from(JSON.stringify([digestOf(query), order, id])).toString('base64url');
}

function placeIn(ctx: Context, query: Asked): FleetPlace | undefined {
  const text = plain(ctx, 'after');
  if (text === undefined) return undefined;
  const place = placeOfCursor(text, query);
  if (place === undefined)
    throw wrongParameter('after', 'must be the `next` of a page that was asked for with the same parameters');
  return place;
}

function placeOfCursor(text: string, query: Asked): FleetPlace | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 3) return undefined;
  const [digest, order, id] = parts as readonly unknown[];
  if (digest !== digestOf(query) || typeof order !== 'string' || typeof id !== 'string') return undefined;
  const { kind, tenant } = addressOf(id);
  if (kind !== SERVER || (query.tenant ?? tenant) !== tenant || id.includes('\0')) return undefined;
  return (query.sort === 'name' ? /^$/ : /^[0-5](\d{16})?$/).test(order) ? { order, id } : undefined;
}

/** Returns a digest of a query, which differs for nearly all others. */
function digestOf({ tenant, state, rule, label, text, sort }: Asked): string {
  const parts = [tenant, state, rule, label?.name, label?.value, text, sort].map((part) => part ?? null);
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 8);
}
