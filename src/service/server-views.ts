import type { Config } from '../config/config.js';
import { createDemo } from '../console/demo/demo.js';
import { demoRoutes } from '../console/demo/demo-routes.js';
import type { OverviewView } from '../console/shapes.js';
import { createOverview, type Overview } from '../console/views/overview.js';
import { overviewRoutes } from '../console/views/overview-routes.js';
import { sampleRates } from '../console/views/rates.js';
import { serverRoutes } from '../console/views/server-routes.js';
import { createServerView, type ShowServer } from '../console/views/server-view.js';
import { statechartOf } from '../console/views/statechart.js';
import type { EdgeMiddleware } from '../http/context.js';
import type { Route } from '../http/router.js';
import type { OpenIdentity } from '../identity/select.js';
import type { Policy } from '../policy/policy.js';
import { SERVER } from '../policy/server/server-kind.js';
import { embeddedTenants } from './configured-parts.js';
import type { LedgerHalf } from './ledger.js';
import { shortBody, type OperatorParts } from './operator.js';
import type { SharedParts } from './shared-parts.js';

/** Parts that the console shows. */
export type ConsoleParts = OperatorParts & { readonly identity: OpenIdentity; readonly policy: Policy };

/**
 * Returns the routes of the overview, the servers and the demo. `viewer` sets `ctx.state.viewer`, `inTurn` makes views that
 * read much take turns.
 */
export function serverViews(
  shared: SharedParts,
  parts: ConsoleParts,
  { viewer, inTurn }: Readonly<Record<'viewer' | 'inTurn', EdgeMiddleware>>,
): readonly Route[] {
  const { readable: store, policy } = parts;
  return [
    ...overviewRoutes(viewer, overviewOf(shared, parts)),
    ...serverRoutes({
      store,
      policy,
      viewer,
      inTurn,
      showServer: serverViewOf(parts),
      now: () => performance.now(),
    }),
    ...demoOf(shared, parts, viewer),
  ];
}

function overviewOf({ activity, refusals, now, closeOnStop }: SharedParts, parts: ConsoleParts): Overview {
  const { readable: store, policy, ledger } = parts;
  return createOverview({
    store,
    tenants: policy.tenants,
    rates: closeOnStop(sampleRates(() => activity.totals(), now)),
    refusedLastHour: () => refusals.lastHour(),
    ledger: ledger && (() => figuresOf(ledger)),
    dependencies: parts.dependencies,
    now,
  });
}

function figuresOf(ledger: LedgerHalf): NonNullable<OverviewView['ledger']> {
  const progress = ledger.chainProgress();
  return {
    head: progress?.head ?? null,
    blocksBehind: progress?.behind ?? null,
    pendingNonces: { count: ledger.pendingNonces().carried.length, more: false },
  };
}

function serverViewOf({ actors, policy, kinds }: ConsoleParts): ShowServer {
  const { machine } = kinds.find(({ name }) => name === SERVER)!;
  return createServerView({ actors, policy, chart: statechartOf(machine) });
}

/** True if the demo can be played: in development, with a tenant of the embedded identity. */
export function hasDemo({ config }: SharedParts): boolean {
  return demoTenant(config) !== undefined;
}

function demoTenant(config: Config) {
  return config.production ? undefined : embeddedTenants(config)[0];
}

function demoOf(
  { config, log, targets, localUrl, closeOnStop }: SharedParts,
  { policy }: ConsoleParts,
  viewer: EdgeMiddleware,
): readonly Route[] {
  const owner = demoTenant(config);
  if (owner === undefined) return [];
  const demo = closeOnStop(
    createDemo({
      policy,
      tenant: owner,
      localUrl,
      refuseTarget: (url) => targets.refuse(url),
      onError: (error) => log.error({ err: error }, 'the demo ended'),
    }),
  );
  return demoRoutes({ demo, viewer, body: shortBody(config.http.bodyLimit) });
}
