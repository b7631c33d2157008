import type { ActorKind } from '../actors/kind.js';
import type { IsReadable } from '../actors/readable.js';
import type { Actors } from '../actors/runtime.js';
import type { Inbox } from '../embedded/inbox.js';
import { jsonBody } from '../http/body/body.js';
import type { EdgeMiddleware } from '../http/context.js';
import type { Route } from '../http/router.js';
import { deadLetterRoutes } from '../operator/dead-letter-routes.js';
import { createDeadLetters } from '../operator/dead-letters.js';
import { deliveryRoutes } from '../operator/delivery-routes.js';
import type { DependencyState } from '../operator/health/dependency-watch.js';
import { healthRoutes } from '../operator/health/routes.js';
import { eventRoutes } from '../operator/event-routes.js';
import { refusalRoutes } from '../operator/refusals/refusal-routes.js';
import { type ResolveTenant, tenantByName } from '../operator/query.js';
import { operatorRoutes } from '../operator/routes.js';
import type { Store } from '../store/port.js';
import type { LedgerHalf } from './ledger.js';
import type { SharedParts } from './shared-parts.js';

/** Longest body that is parsed on the event loop, bytes. A longer one would block it. */
const SHORT_BODY = 64 * 1024;

/** Parts that operators look into. */
export interface OperatorParts {
  readonly store: Store;
  /** The store without the documents that this service cannot read. */
  readonly readable: Store;
  readonly isReadable: IsReadable;
  readonly inbox: Inbox | undefined;
  readonly actors: Actors;
  readonly kinds: readonly ActorKind[];
  readonly ledger: LedgerHalf | undefined;
  readonly policy: { readonly tenants: { readonly resolve: ResolveTenant } };
  /** Returns true once the service has started. */
  readonly ready: () => boolean;
  readonly dependencies: () => readonly DependencyState[];
}

/** Returns the routes for operators. `staying` ends a stream with its session. */
export function operatorHalf(
  shared: SharedParts,
  parts: OperatorParts,
  staying: EdgeMiddleware,
): readonly Route[] {
  const { config, metrics, version, now } = shared;
  const { store, readable, isReadable, inbox, actors, kinds, ledger } = parts;
  const byName = tenantByName(parts.policy.tenants.resolve);
  return [
    ...healthRoutes({ ...parts, guard: shared.operators.guard }),
    ...operatorRoutes({
      actors,
      store,
      readable,
      isReadable,
      states: statesOf(kinds),
      metrics,
      version,
      pendingNonces: ledger?.pendingNonces,
      inbox: inbox === undefined ? undefined : () => inbox.messages(),
    }),
    ...deliveryRoutes(readable, byName),
    ...eventRoutes(shared.events, staying, byName),
    ...refusalRoutes(shared.refusals, byName),
    ...deadLetterRoutes(
      createDeadLetters({
        actors,
        store: readable,
        now,
        onDiscarded: () => metrics.deliveries.deadLetterEnded('discarded'),
      }),
      shortBody(config.http.bodyLimit),
    ),
  ];
}

/** Returns the states of each kind's machine, by the name of the kind. */
export function statesOf(kinds: readonly ActorKind[]): ReadonlyMap<string, readonly string[]> {
  return new Map(kinds.map(({ name, machine }) => [name, Object.keys(machine.states)]));
}

/** Reads short JSON bodies. */
export function shortBody(bodyLimit: number): ReturnType<typeof jsonBody> {
  return jsonBody({ limit: Math.min(bodyLimit, SHORT_BODY) });
}
