import { answerJson } from '../../http/answer.js';
import type { ReadBytes } from '../../http/body/body.js';
import type { EdgeMiddleware } from '../../http/context.js';
import type { OnRefused, RefusedRequest } from '../../http/request-log.js';
import { pathIds } from './path-ids.js';
import { acceptJson } from '../../http/media-types.js';
import { decoded, type PathExpression, route, type Route } from '../../http/router.js';
import type { Policy } from '../policy.js';
import type { IgnoredValues, IgnoredWhy } from '../server/ignored-values.js';
import type { PolicyBodies } from './bodies.js';
import type { FactsAccess } from './facts-access.js';
import { messageOf, refusedElements, refusedTitle } from './facts-by-entity-body.js';
import type { FactsByEntityReply } from '../server/facts-by-entity.js';
import type { FactsReply } from '../server/server-context.js';

/** What the routes of facts need. */
export interface FactsOptions {
  readonly access: FactsAccess;
  /** Reads the body of a request. */
  readonly body: ReadBytes;
  readonly bodies: PolicyBodies;
  /** Called with the number of evaluations that a request caused. */
  readonly onEvaluated: (evaluations: number) => void;
  /** Called if some elements of a request were refused, and others taken. */
  readonly onRefused: OnRefused;
  /** Called with the values that a request left out. */
  readonly onIgnored: (ignored: readonly IgnoredValues[]) => void;
}

/** A tenant as the first part of a path. The first parts of paths of other operations are not tenants. */
const TENANT = '(?!(?:v1\\.0|ngsi-ld|entity|ledger|operator)/)([^/]+)';

/** The path of operation 1 in the original, without `/v1.0`. */
const UNVERSIONED: PathExpression = {
  pattern: '/:tenantId/servers/:serverId',
  expression: new RegExp(`^/${TENANT}/servers/([^/]+)/?$`),
};

/** The path of facts by entity, without `/v1.0`. */
const UNVERSIONED_NOTIFY: PathExpression = {
  pattern: '/:tenantId/notify',
  expression: new RegExp(`^/${TENANT}/notify/?$`),
};

/** The paths of both operations, with and without `/v1.0`, and those of sources. */
const ANY_PATH = new RegExp(
  `^(?:(?:/v1\\.0/([^/]+)|/${TENANT})/(?:servers/[^/]+|notify(?:\\.json)?)|/v1\\.0/([^/]+)/(?:remote-write|otlp/v1/metrics))/?$`,
);

/**
 * Returns the tenant in the path of a request with measurements that was answered with a status; undefined for any other
 * request. A method that the path lacks is meant for measurements, too. Other methods have operations of their own.
 */
export function tenantOfFacts({ method, path, status }: RefusedRequest): string | undefined {
  if (method !== 'POST' && status !== METHOD_NOT_ALLOWED) return undefined;
  const [, versioned, unversioned, ofSource] = ANY_PATH.exec(path) ?? [];
  const tenant = versioned ?? unversioned ?? ofSource;
  try {
    return tenant && decoded(tenant);
  } catch {
    return tenant;
  }
}

const METHOD_NOT_ALLOWED = 405;

/** Names and decodes the captures of a regular expression. The router leaves them percent-encoded and without names. */
const namedCaptures: EdgeMiddleware = (ctx, next) => {
  const [tenantId = '', serverId] = ctx.captures ?? [];
  ctx.params = {
    tenantId: decoded(tenantId),
    ...(serverId === undefined ? {} : { serverId: decoded(serverId) }),
  };
  return next();
};

/**
 * Operation 1 (policy §4) and facts by entity, each under both of its paths. Like the original they may be open to
 * everybody. They refuse unknown tenants before they read a body, so that strangers cannot fill the store.
 */
export function factsRoutes(policy: Policy, options: FactsOptions): readonly Route[] {
  const { body, bodies, access } = options;
  const take: EdgeMiddleware = async (ctx) => {
    const { serverId } = ctx.params as { serverId: string };
    const tenant = await access.admit(ctx);
    const facts = await bodies.read('facts', await body(ctx), ctx.state.client);
    const reply = await policy.servers.facts(tenant, serverId, facts, ctx.state.trace);
    if (reply.evaluated > 0) options.onEvaluated(reply.evaluated);
    if (reply.ignored !== undefined) options.onIgnored(reply.ignored);
    answerJson(ctx, { id: reply.factId, title: factsTitle(reply, facts.measures.length) });
  };
  const notify: EdgeMiddleware = async (ctx) => {
    const tenant = await access.admit(ctx);
    const read = await bodies.read('factsByEntity', await body(ctx), ctx.state.client);
    const reply = await policy.factsByEntity.take(tenant, read.servers, ctx.state.trace);
    const { facts, evaluated, fired, servers } = reply;
    if (evaluated > 0) options.onEvaluated(evaluated);
    for (const { ignored } of reply.ignored) options.onIgnored(ignored);
    const refused = refusedElements(read, reply);
    const title = factsByEntityTitle(reply) + refusedTitle(refused);
    const answer = { facts, firings: fired, servers, title };
    ctx.body = refused.count === 0 ? answer : { ...answer, refused: refused.listed };
    if (refused.count === 0) return;
    const message = `${refusedTitle(refused).slice(2)}: ${messageOf(refused)}`;
    options.onRefused({ method: ctx.method, path: ctx.state.path, status: 200, message, tenant });
  };
  const checks = [acceptJson, pathIds, ...access.checks];
  return [
    route(['POST'], '/v1.0/:tenantId/servers/:serverId', ...checks, take),
    route(['POST'], UNVERSIONED, namedCaptures, ...checks, take),
    route(['POST'], '/v1.0/:tenantId/notify', ...checks, notify),
    route(['POST'], UNVERSIONED_NOTIFY, namedCaptures, ...checks, notify),
  ];
}

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
function factsTitle({ counted, leftOut = 0, fired, ignored = [] }: FactsReply, measurements: number): string {
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
function factsByEntityTitle({ facts, fired, servers, ignored }: FactsByEntityReply): string {
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
