import type { RouterContext } from '@koa/router';
import type { Principal } from '../identity/port.js';
import type { Place } from './admission/place.js';

/** What the edge and its checks leave in `ctx.state`. */
export interface EdgeState {
  /** Also in the response's X-Request-Id. */
  requestId: string;
  /** `performance.now()` at arrival. */
  startedAt: number;
  /** The path that is routed by: percent-encoded, without query and without a `.json` at its end. */
  path: string;
  /** The path ended in `.json`, which asks for JSON whatever Accept says (policy §4). */
  jsonSuffix: boolean;
  /** The request's among those that are worked on. */
  place: Place;
  /** Set by `authenticate`, not before. */
  principal: Principal;
  /** The tenant's id, however the path spells the tenant. Set by `ownTenant`, not before. */
  tenant: string;
}

/** What a handler is given. */
export type EdgeContext = RouterContext<EdgeState, object>;

/** A check or a handler; checks throw `Refusal`. */
export type EdgeMiddleware = (ctx: EdgeContext, next: () => Promise<unknown>) => unknown;
