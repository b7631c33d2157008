import type { Sender, WebhookMessage } from '../../delivery/port.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { READ, type Route, route } from '../../http/router.js';
import { Refusal } from '../../errors.js';
import { onlyOf, wholeNumber } from '../../http/query.js';
import type { Activity } from '../../operator/activity.js';
import { tenantIn } from '../../operator/query.js';
import { sendTest } from '../../operator/receivers/receiver-actions.js';
import type { TestAnswerView } from '../../operator/shapes.js';
import type { HistoryView } from '../../policy/explain/shapes.js';
import type { FleetRow, FleetView, RulesStatusView } from '../../policy/fleet/shapes.js';
import { fleetQueryOf, fleetRows, rulesQueryOf, rulesView } from '../../policy/http/fleet-query.js';
import { subscriptionDraft } from '../../policy/http/subscription-schema.js';
import { validate } from '../../policy/http/validate.js';
import { shownTransition } from '../../policy/http/presentation.js';
import { isServerId } from '../../policy/server/server-id.js';
import { HISTORY, HISTORY_MAX } from '../../policy/http/routes.js';
import type { Policy } from '../../policy/policy.js';
import { unknownServer } from '../../policy/server/server-decisions.js';
import { isoOf } from '../../system/iso.js';
import { singleFlight, ttlCache } from '../../system/ttl-cache.js';
import type { RuleStatesView, TrendView } from '../shapes.js';
import { tenantOf } from '../viewer.js';
import { ifUnknown, type ShowServer } from './server-view.js';

export interface ServerRouteOptions {
  readonly policy: Pick<Policy, 'explain' | 'fleet' | 'trends' | 'subscriptions'>;
  /** Reads a JSON body. */
  readonly body: (ctx: EdgeContext) => Promise<unknown>;
  /** Returns why messages must not go to a url; undefined if they may. */
  readonly refuseTarget: (url: string) => string | undefined;
  readonly webhook: Pick<Sender<WebhookMessage>, 'send'>;
  /** True if the service keeps trends. */
  readonly trend: boolean;
  /** Sets `ctx.state.viewer`. */
  readonly viewer: EdgeMiddleware;
  /** `tenantByName`. */
  readonly byName: EdgeMiddleware;
  /** Lets few views that read much run at the same time. */
  readonly permit: EdgeMiddleware;
  readonly showServer: ShowServer;
  readonly activity: Pick<Activity, 'lastEvaluation' | 'startedAt'>;
  /** Returns ms since the epoch. */
  readonly now: () => number;
}

/** How long a page of the list is kept, ms, and number of pages: consoles that show the same one share it. */
const LIST_MS = 1_000;
const LISTS = 100;

/** Routes of the servers that the viewer may see. */
export function serverRoutes(options: ServerRouteOptions): readonly Route[] {
  const { policy, viewer, byName, permit, showServer, activity, now, body, refuseTarget, webhook } = options;
  const { fleet } = policy;

  const pages = ttlCache<FleetView<FleetRow>>({ ttlMs: LIST_MS, max: LISTS, now });
  const list = route(READ, '/console/api/servers', viewer, byName, permit, async (ctx) => {
    const query = fleetQueryOf(ctx, tenantOf(ctx.state.viewer, tenantIn(ctx)), ['tenant']);
    ctx.body = await pages.get(JSON.stringify(query), async () =>
      fleetRows(query, await fleet.servers(query)),
    );
  });

  const ruleStates = ttlCache<RulesStatusView>({ ttlMs: LIST_MS, max: LISTS, now });
  const rules = route(READ, '/console/api/rules', viewer, byName, permit, async (ctx) => {
    const query = rulesQueryOf(ctx, tenantOf(ctx.state.viewer, tenantIn(ctx)), ['tenant']);
    const view = await ruleStates.get(JSON.stringify(query), async () => rulesView(await fleet.rules(query)));
    ctx.body = withEvaluations(view, activity);
  });

  const server = route(READ, '/console/api/servers/:tenant/:server', viewer, permit, async (ctx) => {
    onlyOf(ctx, []);
    const { tenant, server: serverId } = visibleServer(ctx);
    ctx.body = await showServer(tenant, serverId, mayBeNew(ctx, serverId) ? 'new' : 'refused');
  });

  const history = route(READ, '/console/api/servers/:tenant/:server/history', viewer, async (ctx) => {
    onlyOf(ctx, ['limit']);
    const { tenant, server: serverId } = visibleServer(ctx);
    const limit = wholeNumber(ctx, 'limit', 1, HISTORY_MAX) ?? HISTORY;
    const transitions = await noneIfNew(ctx, serverId, policy.explain.history(tenant, serverId, limit));
    ctx.body = { history: transitions.map(shownTransition) } satisfies HistoryView;
  });

  const trend = route(READ, '/console/api/servers/:tenant/:server/trend', viewer, permit, async (ctx) => {
    onlyOf(ctx, []);
    const { tenant, server: serverId } = visibleServer(ctx);
    const trends = await noneIfNew(ctx, serverId, policy.trends.of(tenant, serverId));
    ctx.body = { kept: options.trend, trends } satisfies TrendView;
  });

  // Two clicks send one message.
  const testing = singleFlight<TestAnswerView>();
  const test = route(['POST'], '/console/api/servers/:tenant/:server/test', viewer, async (ctx) => {
    onlyOf(ctx, []);
    const { tenant, server: serverId } = visibleServer(ctx);
    const asked = validate(subscriptionDraft, await body(ctx));
    const refused = refuseTarget(asked.url);
    if (refused !== undefined) throw new Refusal('bad-request', refused);
    ctx.body = await testing(JSON.stringify([tenant, serverId, asked]), () =>
      sendTest(webhook, tenant, now(), (id) => policy.subscriptions.test(tenant, serverId, asked, id)),
    );
  });

  return [list, rules, server, history, trend, test];
}

function withEvaluations(
  { rules, next }: RulesStatusView,
  { lastEvaluation, startedAt }: ServerRouteOptions['activity'],
): RuleStatesView {
  return {
    rules: rules.map((rule) => {
      const at = lastEvaluation(rule.tenantId, rule.ruleId);
      return { ...rule, lastEvaluation: at === undefined ? null : isoOf(at) };
    }),
    next,
    evaluatedSince: isoOf(startedAt),
  };
}

/** True for a tenant's viewer. A server begins with its first rule: its tenant sees the page where that rule is made. */
function mayBeNew({ state }: EdgeContext, serverId: string): boolean {
  return state.viewer.kind === 'tenant' && isServerId(serverId);
}

/** Resolves with what is read of a server, and with nothing for one that may be new. */
function noneIfNew<T>(
  ctx: EdgeContext,
  serverId: string,
  reading: Promise<readonly T[]>,
): Promise<readonly T[]> {
  return mayBeNew(ctx, serverId) ? ifUnknown(reading, () => []) : reading;
}

/** Returns the server in the path. Throws `Refusal('not-found')` if it belongs to another tenant than the viewer. */
function visibleServer(ctx: EdgeContext): { readonly tenant: string; readonly server: string } {
  const { tenant = '', server = '' } = ctx.params;
  if (tenantOf(ctx.state.viewer, tenant) !== tenant) throw unknownServer(server);
  return { tenant, server };
}
