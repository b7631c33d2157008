import type { Context } from 'koa';
import { choice, onlyOf, plain, wholeNumber, wrongParameter } from '../../http/query.js';
import { addressOf } from '../../store/port.js';
import type { FleetPage, FleetQuery } from '../fleet/fleet.js';
import { FLEET_SORTS, type FleetCursor, type FleetSort } from '../fleet/fleet-walk.js';
import type { RulesPage, RulesQuery } from '../fleet/rule-status.js';
import type { FleetRow, FleetServer, FleetView, RulesStatusView } from '../fleet/shapes.js';
import type { ServerState } from '../explain/shapes.js';
import { SERVER } from '../server/server-kind.js';
import { SERVER_STATES } from '../server/server-machine.js';
import { digestOfQuery, partsOf, textOf, wrongCursor } from './cursors.js';

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
    ...cursorIn(ctx, asked),
    limit: wholeNumber(ctx, 'limit', 1, FLEET_LIMIT_MAX) ?? FLEET_LIMIT,
  };
}

/** Returns a page as the console gets it. */
export function fleetRows(query: FleetQuery, { servers, next, moment }: FleetPage): FleetView<FleetRow> {
  return { servers, next: next === undefined ? null : cursorText(query, next, moment) };
}

/** Returns a page as the APIs answer it. */
export function fleetView(query: FleetQuery, page: FleetPage): FleetView {
  const { servers, next } = fleetRows(query, page);
  return { servers: servers.map(asAnswered), next };
}

function asAnswered(row: FleetRow): FleetServer {
  const { unacknowledged: _, ...server } = row;
  return server;
}

/** Rules of a page by default, and at most. */
export const RULES_PAGE = 1_000;

/** Returns the rules that a request asks for: see `fleetQueryOf`. */
export function rulesQueryOf(
  ctx: Context,
  tenant: string | undefined,
  others: readonly string[] = [],
): RulesQuery {
  onlyOf(ctx, [...others, 'after', 'limit']);
  const text = plain(ctx, 'after');
  const parts = text === undefined ? undefined : partsOf(text);
  const [digest, ofTenant, ruleId] = parts ?? [];
  if (text !== undefined && (digest !== RULES_DIGEST || (tenant ?? ofTenant) !== ofTenant))
    throw wrongCursor();
  return {
    tenant,
    after: parts && { tenant: ofTenant!, ruleId: ruleId! },
    limit: wholeNumber(ctx, 'limit', 1, RULES_PAGE) ?? RULES_PAGE,
  };
}

/** Returns a page of rules as it is answered. */
export function rulesView({ rules, next }: RulesPage): RulesStatusView {
  return { rules, next: next === undefined ? null : textOf(RULES_DIGEST, next.tenant, next.ruleId) };
}

const RULES_DIGEST = 'rules';

function labelIn(ctx: Context): FleetQuery['label'] {
  const label = plain(ctx, 'label');
  if (label === undefined) return undefined;
  const end = label.indexOf('=');
  if (end < 1) throw wrongParameter('label', 'must be NAME=VALUE, such as severity=critical');
  return { name: label.slice(0, end), value: label.slice(end + 1) };
}

type Asked = Omit<FleetQuery, 'after' | 'moment' | 'limit'>;

/** Returns a digest of a query, for which alone a cursor is good. */
const digestOf = ({ tenant, state, rule, label, text, sort }: Asked): string =>
  digestOfQuery([tenant, state, rule, label?.name, label?.value, text, sort]);

/** Returns a cursor as `next` has it. */
function cursorText(query: Asked, { order, id }: FleetCursor, moment = ''): string {
  return textOf(digestOf(query), order, id, moment);
}

function cursorIn(ctx: Context, query: Asked): Pick<FleetQuery, 'after' | 'moment'> {
  const text = plain(ctx, 'after');
  if (text === undefined) return { after: undefined, moment: undefined };
  const cursor = cursorOf(text, query);
  if (cursor === undefined) throw wrongCursor();
  return cursor;
}

function cursorOf(text: string, query: Asked): Pick<FleetQuery, 'after' | 'moment'> | undefined {
  const [digest, order, id, moment] = partsOf(text) ?? [];
  if (digest !== digestOf(query) || order === undefined || id === undefined) return undefined;
  const { kind, tenant } = addressOf(id);
  if (kind !== SERVER || (query.tenant ?? tenant) !== tenant || id.includes('\0')) return undefined;
  return (query.sort === 'name' ? /^$/ : /^[0-5](\d{16})?$/).test(order)
    ? { after: { order, id }, moment }
    : undefined;
}
