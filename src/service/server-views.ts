import { createDemo } from '../console/demo/demo.js';
import { demoRoutes } from '../console/demo/demo-routes.js';
import type { OverviewView } from '../console/shapes.js';
import { createOverview } from '../console/views/overview.js';
import type { Overview } from '../console/views/overview.js';
import { overviewRoutes } from '../console/views/overview-routes.js';
import { sampleRates } from '../console/views/rates.js';
import { serverRoutes } from '../console/views/server-routes.js';
import { createServerView } from '../console/views/server-view.js';
import type { ShowServer } from '../console/views/server-view.js';
import { statechartOf } from '../console/views/statechart.js';
import { Refusal } from '../errors.js';
import type { EdgeMiddleware } from '../http/context.js';
import type { Route } from '../http/router.js';
import type { OpenIdentity } from '../identity/select.js';
import type { Policy } from '../policy/policy.js';
import { SERVER } from '../policy/server/server-kind.js';
import type { LedgerHalf } from './ledger.js';
import { smallBody, type OperatorParts } from './operator.js';
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
  const { store, policy } = parts;
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
    ...(hasDemo(shared, parts) ? demoOf(shared, parts, viewer) : []),
  ];
}

function overviewOf({ activity, now, closeOnStop }: SharedParts, parts: ConsoleParts): Overview {
  const { store, policy, ledger } = parts;
  return createOverview({
    store,
    tenants: policy.tenants,
    rates: closeOnStop(sampleRates(() => activity.totals(), now)),
    ledger: ledger && (() => figuresOf(ledger)),
    parts: parts.parts,
    now,
  });
}

function figuresOf(ledger: LedgerHalf): NonNullable<OverviewView['ledger']> {
  const progress = ledger.chainProgress();
  return {
    head: progress?.head ?? null,
    blocksBehind: progress?.behind ?? null,
    openNonces: { count: ledger.openNonces().carried.length, more: false },
  };
}

function serverViewOf({ actors, policy, kinds }: ConsoleParts): ShowServer {
  const { machine } = kinds.find(({ name }) => name === SERVER)!;
  return createServerView({ actors, policy, chart: statechartOf(machine) });
}

/** True if the demo can be played: in development, with a user of the embedded identity. */
export function hasDemo({ config }: SharedParts, { identity }: ConsoleParts): boolean {
  return !config.production && identity.issue !== undefined;
}

function demoOf(
  shared: SharedParts,
  { policy, identity }: ConsoleParts,
  viewer: EdgeMiddleware,
): readonly Route[] {
  const { config, log, targets, localUrl, closeOnStop } = shared;
  const demo = closeOnStop(
    createDemo({
      policy,
      tenant: () => firstTenant(shared, identity),
      localUrl,
      refuseTarget: (url) => targets.refuse(url),
      onError: (error) => log.error({ err: error }, 'the demo ended'),
    }),
  );
  return demoRoutes({ demo, viewer, body: smallBody(config.http.bodyLimit) });
}

/** Returns the tenant of the first user of the embedded identity. */
async function firstTenant(
  { config }: SharedParts,
  identity: OpenIdentity,
): Promise<{ readonly id: string; readonly name: string }> {
  const user = config.identity.kind === 'embedded' ? config.identity.users[0] : undefined;
  const token = user === undefined ? undefined : await identity.login?.(user, 'demo');
  const principal = token === undefined ? undefined : await identity.verify(token);
  if (principal === undefined) throw new Refusal('conflict', 'IDENTITY_USERS: the demo needs a user');
  return principal.tenant;
}
