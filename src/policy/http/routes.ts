import { Readable } from 'node:stream';
import type { MetricSettings } from '../../config/metrics.js';
import { Refusal } from '../../errors.js';
import type { Authors } from '../../http/author.js';
import type { ReadBytes } from '../../http/body/body.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { isDryRun, onlyOf, refuseDryRun, wholeNumber } from '../../http/query.js';
import { closing, READ, type Route, route } from '../../http/router.js';
import { metricOf } from './metric-parameter.js';
import { pathIds } from './path-ids.js';
import { acceptJson } from '../../http/media-types.js';
import { countForTenant, ownTenant } from '../../http/authentication.js';
import { type Backtests, expectedAnswer } from './backtests.js';
import type { PolicyBodies, OperationBodies } from './bodies.js';
import { knownTenant } from './facts-access.js';
import { fleetQueryOf, fleetView, rulesQueryOf, rulesView } from './fleet-query.js';
import { subscriptionQueryOf, subscriptionsView } from './subscription-query.js';
import { type OperatorChecks, tenantOrOperator } from './tenant-or-operator.js';
import { shownAck } from '../explain/explanation.js';
import type { Policy } from '../policy.js';
import {
  explanationJson,
  shownMute,
  shownRule,
  shownSubscription,
  shownTransition,
  streamedServers,
} from './presentation.js';
import { isoOf } from '../../system/iso.js';

/** What the routes of operations 2 to 17, and of those beyond the document, need. */
export interface PolicyRoutesOptions {
  readonly policy: Policy;
  /** Checks the token of a request. */
  readonly authenticated: EdgeMiddleware;
  /** Reads the body of a request. */
  readonly body: ReadBytes;
  readonly bodies: PolicyBodies;
  /** Reads the body of a backtest, which may be longer. */
  readonly backtestBody: ReadBytes;
  readonly backtests: Backtests;
  /** The metrics that conditions may name beside those of the document. */
  readonly metrics: MetricSettings;
  /** Start of the service, ms since the epoch. */
  readonly startedAt: number;
  readonly now: () => number;
  /** Returns the address of the documentation of this API. */
  readonly doc: () => string;
  /** Returns why a url must not be called, judged by its text; undefined if it may. */
  readonly refuseTarget: (url: string) => string | undefined;
  readonly operators: OperatorChecks;
  readonly authors: Authors;
}

/** Number of transitions in an answer, unless the request has another limit, and the largest limit. */
export const HISTORY = 50;
export const HISTORY_MAX = 200;

const METHODS = { get: READ, put: ['PUT'], post: ['POST'], delete: ['DELETE'] };

type Params = { tenantId: string; serverId: string; ruleId: string; subscriptionId: string };

/** Operations 2 to 17 (policy §4). Each validates, makes one call and presents the result. */
export function policyRoutes(options: PolicyRoutesOptions): readonly Route[] {
  const { policy } = options;
  const { tenants, genericRules, servers, subscriptions, listing, explain, trends, fleet } = policy;
  const metric = metricOf(options.metrics);
  const routes: Route[] = [];

  const checks = [
    acceptJson,
    pathIds,
    options.authenticated,
    ownTenant,
    countForTenant,
    knownTenant(tenants),
  ];
  /** Returns a request that has passed all checks. */
  const requestOf = (ctx: EdgeContext) => ({
    ...(ctx.params as Params),
    /** Id of the tenant in the token and the path. */
    tenant: ctx.state.tenant,
    /** Name of the user; set for what operators may do as well. */
    user: ctx.state.user,
    permit: ctx.state.permit,
    /** Returns the changes, of the author of the request. Refuses a dry run. */
    changing: () => {
      refuseDryRun(ctx);
      return policy.by(options.authors.of(ctx));
    },
    /** As `changing`, of an operation that takes `dryRun`: with `true` the changes are only tried. */
    changes: () => (isDryRun(ctx) ? policy.dryRun : policy.by(options.authors.of(ctx))),
    body: async <B extends keyof OperationBodies>(name: B) =>
      options.bodies.read(name, await options.body(ctx), ctx.state.client),
    /** Answers the backtest in the body, given the window size of a body without one. */
    backtest: async (windowsize: number) => {
      const { tenant, permit } = ctx.state;
      const bytes = await options.backtestBody(ctx);
      // Refused before the work: it may take seconds. Tenants take turns, also of one address.
      const begin = (): void => permit.reserveAnswer(expectedAnswer(bytes));
      const answer = await options.backtests.run({ bytes, windowsize, client: tenant, begin });
      permit.keepAnswer(answer.length);
      return answer;
    },
    /** For the query parameters of a list. */
    ctx,
    /** Refuses every query parameter but these. */
    onlyOf: (...names: string[]) => onlyOf(ctx, names),
    /** Returns the query parameter `limit`, from 1 to `max`. */
    limit: (max: number) => wholeNumber(ctx, 'limit', 1, max),
    /** Returns the query parameter `metric`. */
    metric: () => metric(ctx),
  });
  const routeOf = (
    method: keyof typeof METHODS,
    path: string,
    operation: (request: ReturnType<typeof requestOf>) => Promise<unknown>,
    headers: Readonly<Record<string, string>> = {},
    checked: readonly EdgeMiddleware[] = checks,
  ): Route => {
    const handler: EdgeMiddleware = async (ctx) => {
      const answer = await operation(requestOf(ctx));
      ctx.status = 200;
      ctx.set(headers);
      if (Buffer.isBuffer(answer)) ctx.type = 'json';
      ctx.body = isPlain(answer) ? jsonOf(ctx, answer) : (answer ?? '');
    };
    return route(METHODS[method], `/v1.0/:tenantId${path}`, ...checked, handler);
  };
  const on = (...operation: Parameters<typeof routeOf>): void => void routes.push(routeOf(...operation));
  const forBoth = [
    acceptJson,
    pathIds,
    tenantOrOperator({ authenticated: options.authenticated, tenants, operators: options.operators }),
  ];
  /** As `on`, for tenants and for operators. */
  const onBoth = (...[method, path, operation]: Parameters<typeof routeOf>): void =>
    void routes.push(routeOf(method, path, operation, {}, forBoth));

  // Operations 2 and 3, by operators too.
  onBoth('get', '', async ({ tenantId: owner, tenant }) => ({
    owner,
    windowsize: (await tenants.read(tenant)).window.size,
    version: '1.0',
    runningfrom: isoOf(options.startedAt),
    doc: options.doc(),
  }));
  onBoth('put', '', async ({ tenant, body, changes }) => {
    const change = changes().tenants;
    const { windowsize } = await body('windowSize');
    await change.resize(tenant, windowsize);
    return { windowsize };
  });

  // Beyond the document: a rule on measurements of the past. Before `/rules/:ruleId`: no rule has the id `backtest`.
  const backtest = routeOf(
    'post',
    '/rules/backtest',
    async ({ tenant, ...request }) => {
      request.onlyOf();
      return request.backtest((await tenants.read(tenant)).window.size);
    },
    {},
    forBoth,
  );
  routes.push(closing(backtest));

  // Operations 4 to 8, by operators too.
  onBoth('post', '/rules', async ({ tenant, body, changes }) => ({
    ruleId: await changes().genericRules.add(tenant, await body('rule')),
  }));
  onBoth('get', '/rules', async ({ tenant }) => ({
    rules: (await genericRules.list(tenant)).map(shownRule),
  }));
  onBoth('put', '/rules/:ruleId', async ({ tenant, ruleId, body, changes }) =>
    changes().genericRules.change(tenant, ruleId, await body('ruleChange')),
  );
  onBoth('delete', '/rules/:ruleId', ({ tenant, ruleId, changing }) =>
    changing().genericRules.remove(tenant, ruleId),
  );
  onBoth('get', '/rules/:ruleId', async ({ tenant, ruleId }) =>
    shownRule(await genericRules.get(tenant, ruleId)),
  );

  // Operations 9 and 10, by operators too.
  on(
    'get',
    '/servers',
    async ({ tenant, permit }) =>
      streamedServers(listing.servers(tenant, (characters) => permit.reserveAnswer(characters))),
    { 'Content-Type': 'application/json; charset=utf-8' },
    forBoth,
  );
  onBoth('get', '/servers/:serverId', async ({ tenant, serverId }) => ({
    serverId,
    rules: (await servers.rules(tenant, serverId)).map(shownRule),
  }));

  // Beyond the document: the deletion of a server.
  onBoth('delete', '/servers/:serverId', async ({ tenant, serverId, ...request }) => {
    request.onlyOf();
    await request.changing().servers.remove(tenant, serverId);
  });

  // Operations 11 to 14, by operators too.
  onBoth('post', '/servers/:serverId/rules', async ({ tenant, serverId, body, changes }) => {
    const change = changes().servers;
    const { several, drafts } = await body('rules');
    const ids = await change.addRules(tenant, serverId, drafts);
    if (several) return { serverId, rules: ids.map((ruleId) => ({ ruleId })) };
    const [ruleId] = ids;
    return { serverId, ruleId };
  });
  onBoth('put', '/servers/:serverId/rules/:ruleId', async ({ tenant, serverId, ruleId, body, changes }) =>
    changes().servers.changeRule(tenant, serverId, ruleId, await body('ruleChange')),
  );
  onBoth('delete', '/servers/:serverId/rules/:ruleId', ({ tenant, serverId, ruleId, changing }) =>
    changing().servers.removeRule(tenant, serverId, ruleId),
  );
  onBoth('get', '/servers/:serverId/rules/:ruleId', async ({ tenant, serverId, ruleId }) =>
    shownRule(await servers.rule(tenant, serverId, ruleId)),
  );

  // Operations 15 to 17, by operators too: a rule without a subscription is not evaluated.
  onBoth('post', '/servers/:serverId/subscription', async ({ tenant, serverId, body, changes }) => {
    const change = changes().subscriptions;
    const wanted = await body('subscription');
    const refused = options.refuseTarget(wanted.url);
    if (refused !== undefined) throw new Refusal('bad-request', refused);
    return { subscriptionId: await change.add(tenant, serverId, wanted) };
  });
  onBoth(
    'delete',
    '/servers/:serverId/subscription/:subscriptionId',
    ({ tenant, serverId, subscriptionId, changing }) =>
      changing().subscriptions.remove(tenant, serverId, subscriptionId),
  );
  onBoth(
    'get',
    '/servers/:serverId/subscription/:subscriptionId',
    async ({ tenant, serverId, subscriptionId }) =>
      shownSubscription(await subscriptions.get(tenant, serverId, subscriptionId), serverId, options.now()),
  );

  // Beyond the document: all subscriptions of the tenant.
  onBoth('get', '/subscriptions', async ({ tenant, ctx }) => {
    const asked = subscriptionQueryOf(ctx, tenant);
    return subscriptionsView(asked, await policy.subscriptionList(asked), options.now());
  });

  // Beyond the document: the mute and the acknowledgement of a subscription.
  const mutePath = '/servers/:serverId/subscription/:subscriptionId/mute';
  onBoth('put', mutePath, async ({ tenant: tenantId, serverId, subscriptionId, user, body, ...request }) => {
    request.onlyOf();
    const wanted = await body('mute');
    const { mutes } = request.changing();
    return shownMute(await mutes.mute({ tenantId, serverId, subscriptionId }, wanted, user));
  });
  onBoth('delete', mutePath, async ({ tenant: tenantId, serverId, subscriptionId, ...request }) => {
    request.onlyOf();
    await request.changing().mutes.unmute({ tenantId, serverId, subscriptionId });
  });
  const ackPath = '/servers/:serverId/subscription/:subscriptionId/ack';
  onBoth('put', ackPath, async ({ tenant: tenantId, serverId, subscriptionId, user, body, ...request }) => {
    request.onlyOf();
    const { note } = await body('ack');
    const { mutes } = request.changing();
    return shownAck(await mutes.acknowledge({ tenantId, serverId, subscriptionId }, user, note));
  });
  onBoth('delete', ackPath, async ({ tenant: tenantId, serverId, subscriptionId, ...request }) => {
    request.onlyOf();
    await request.changing().mutes.unacknowledge({ tenantId, serverId, subscriptionId });
  });

  // Beyond the document: why a rule fires or does not, what changed, and the watched metrics over the last day.
  on('get', '/servers/:serverId/rules/:ruleId/explain', async (request) => {
    const { tenant, serverId, ruleId, permit } = request;
    request.onlyOf();
    const answer = await explanationJson(await explain.rule(tenant, serverId, ruleId));
    permit.reserveAnswer(answer.length);
    return answer;
  });
  on('get', '/servers/:serverId/history', async ({ tenant, serverId, ...request }) => {
    request.onlyOf('limit');
    const history = await explain.history(tenant, serverId, request.limit(HISTORY_MAX) ?? HISTORY);
    return { history: history.map(shownTransition) };
  });

  on('get', '/servers/:serverId/trend', async ({ tenant, serverId, ...request }) => {
    request.onlyOf('metric');
    return trends.metric(tenant, serverId, request.metric());
  });

  // Beyond the document: the servers with what is wrong.
  on('get', '/fleet', async ({ tenant, ctx }) => {
    const asked = fleetQueryOf(ctx, tenant);
    return fleetView(asked, await fleet.servers(asked));
  });
  on('get', '/rules-status', async ({ tenant, ctx }) =>
    rulesView(await fleet.rules(rulesQueryOf(ctx, tenant))),
  );

  // Beyond the document: the secrets of the webhooks.
  const unstored = { 'Cache-Control': 'no-store' };
  on('get', '/webhook-secret', ({ tenant }) => policy.webhookSecrets.read(tenant), unstored);
  on('post', '/webhook-secret', ({ tenant, changing }) => changing().webhookSecrets.rotate(tenant), unstored);

  return routes;
}

function isPlain(answer: unknown): answer is object {
  return answer instanceof Object && !(answer instanceof Readable || Buffer.isBuffer(answer));
}

/**
 * Returns an answer as JSON and counts its characters until it is sent: the rules of a server may be long. Throws
 * `Refusal('unavailable')` if too many characters are held.
 */
function jsonOf(ctx: EdgeContext, answer: object): string {
  const text = JSON.stringify(answer);
  // Other methods have made their change and cannot be refused any more. Their answers hold one rule at most.
  if (ctx.method === 'GET') ctx.state.permit.reserveAnswer(text.length);
  ctx.type = 'json';
  return text;
}
