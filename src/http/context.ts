import type { RouterContext } from '@koa/router';
import type { Principal } from '../identity/port.js';
import type { Permit } from './admission/permit.js';
import type { Session } from './session.js';

/** The user of the console: operators see everything, a tenant sees its own. */
export type Viewer =
  | { readonly kind: 'operator'; readonly user?: string | undefined }
  | {
      readonly kind: 'tenant';
      readonly tenantId: string;
      readonly tenantName: string;
      readonly user?: string | undefined;
    };

/** The members of `ctx.state` that the edge and its checks set. */
export interface EdgeState {
  /** The X-Request-Id of the answer. */
  requestId: string;
  /** Time of arrival, as `performance.now()`. */
  startedAt: number;
  /** The value that `answerJson` answers with; undefined: `ctx.body` has the answer. */
  json: object | undefined;
  /** The path to route by: percent-encoded, without query and without a final `.json`. */
  path: string;
  /** True if the path had a final `.json`, which asks for JSON regardless of Accept (policy §4). */
  jsonSuffix: boolean;
  /** The `pattern` of the request's route. undefined without a route. */
  route: string | undefined;
  /** The span of the request as `traceparent`; undefined unless the request is sampled. */
  trace: string | undefined;
  /** The client: an IPv4 address, or the /64 network of an IPv6 address. */
  client: string;
  /** The request's permit among the concurrent requests. */
  permit: Permit;
  /** The session of the console that the request's cookie shows. */
  session: Session | undefined;
  /** Aborted when the client of a stream loses its access. Set by the checks of live streams. */
  over: AbortSignal | undefined;
  /** The id of the tenant that the parameter `tenant` names. Set by `tenantByName`. */
  askedTenant: string | undefined;
  /** Set by `viewer` of the console. */
  viewer: Viewer;
  /** Set by `authenticate`. */
  principal: Principal;
  /** The name of the user, or `operator`. Set by the checks of paths that record who did something. */
  user: string;
  /** True if the caller is an operator. Set with `user`. */
  isOperator: boolean;
  /** The id of the request's tenant. Set by `ownTenant`, and by operation 1 for the tenant in its path. */
  tenant: string;
}

/** The context of checks and handlers. */
export type EdgeContext = RouterContext<EdgeState, object>;

/** A check or a handler. Checks throw `Refusal`. */
export type EdgeMiddleware = (ctx: EdgeContext, next: () => Promise<unknown>) => unknown;
