/** Answers and events of `/operator`, which the console's page reads too. Times are ISO 8601, UTC. */
import type { ExplainedWindow, ServerState, TransitionView } from '../policy/explain/shapes.js';
import type { ExplainedNonce } from '../ledger/shapes.js';

/** An actor in a listing. `name` is its name in its tenant. */
export interface ActorSummary {
  readonly kind: string;
  readonly tenant: string;
  readonly name: string;
  readonly state: string;
  readonly revision: number;
  readonly wakeAt: string | null;
  /** Why this service cannot read it; absent for one that it can read. */
  readonly unreadable?: string;
}

/** An actor with its whole context. */
export interface ActorDetail extends ActorSummary {
  readonly outbox: readonly { readonly id: string; readonly type: string }[];
  /** The effects of the outbox, each with a sentence that says why it is not performed yet. */
  readonly waiting: readonly { readonly id: string; readonly type: string; readonly why: string }[];
  /** The last fault of the actor on this node; null if there was none. */
  readonly fault: ActorFaultView | null;
  /** The rest of its context. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** What failed in an actor. */
export interface ActorFaultView {
  readonly what: string;
  /** Type of the event or of the effect. */
  readonly type: string | null;
  readonly message: string;
  readonly at: string;
}

/** GET /operator/actors */
export interface ActorsView {
  readonly actors: readonly ActorSummary[];
  /** Value of `after` for the next page; null on the last page. */
  readonly next: string | null;
}

/** How a webhook is sent. */
export interface SentForm {
  /** Absent: `mirzam`. */
  readonly format?: string;
  /** Names of headers, whose values are secrets. */
  readonly headers?: readonly string[];
  readonly template?: { readonly contentType: string; readonly body: string };
}

/** A message as it is sent. */
export type MessageView =
  | (SentForm & { readonly channel: 'webhook' | 'mirror'; readonly url: string; readonly body: string })
  | {
      readonly channel: 'email';
      readonly to: string;
      readonly subject: string;
      readonly state: 'firing' | 'resolved' | 'noData';
      readonly headline: string;
      readonly reason: string;
      readonly body: string;
      readonly facts: readonly (readonly [label: string, value: string])[];
    };

/** A delivery, without its message. */
export interface DeliveryRow {
  readonly id: string;
  readonly tenant: string;
  /** Absent for a mirrored receipt, as `subscriptionId`. */
  readonly server?: string;
  readonly subscriptionId?: string;
  /** The transaction whose receipt is mirrored. */
  readonly transactionHash?: string;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly channel: 'webhook' | 'email' | 'mirror';
  /** Url, or address of the recipient. */
  readonly to: string;
  /** Id of the receiver of a webhook. */
  readonly receiverId?: string;
  readonly since: string;
  readonly nextAttemptAt: string | null;
  /** Id of the delivery that has to be over before this one is tried. */
  readonly waitsFor: string | null;
  /** Every attempt with its answer. */
  readonly attempts: readonly { readonly at: string; readonly result: string; readonly detail: string }[];
}

/** States of a receiver, the worst first. */
export type ReceiverState = 'suspended' | 'failing' | 'ok';

/** A url that webhooks of a tenant go to, with its health. */
export interface ReceiverView {
  /** Unique over all tenants. */
  readonly id: string;
  readonly tenantId: string;
  readonly url: string;
  /**
   * `failing` from the first failed attempt until the next success; `suspended` if a subscription is suspended because this
   * url refused its messages.
   */
  readonly state: ReceiverState;
  /** When this state began. */
  readonly since: string;
  /** The answer to the newest attempt. null before the first one. `status` is null without an HTTP answer. */
  readonly lastAnswer: {
    readonly at: string;
    readonly status: number | null;
    readonly detail: string;
  } | null;
  /** Number of messages that are pending. */
  readonly waiting: number;
  /** Number of dead letters. */
  readonly dead: number;
  /** When the next attempt is due. null if none is planned. */
  readonly next: string | null;
  readonly lastHour: { readonly tries: number; readonly successes: number };
}

/** GET /operator/receivers, and GET /v1.0/{tenantId}/receivers */
export interface ReceiversView {
  /** Those that are suspended or fail first, the longest first. */
  readonly receivers: readonly ReceiverView[];
  /** Value of `after` for the next page; null on the last page. */
  readonly next: string | null;
}

/** The answer of a receiver to a test message. */
export interface TestAnswerView {
  /** The id of the message. */
  readonly id: string;
  readonly result: 'delivered' | 'retry' | 'refused';
  /** The HTTP status. null without an HTTP answer. */
  readonly status: number | null;
  readonly detail: string;
}

/** Names of the dependencies. */
export type DependencyName = 'chain' | 'broker' | 'mqtt' | 'mail' | 'identity';

/** State of a dependency. */
export interface DependencyState {
  readonly name: DependencyName;
  /** `up` until the first check has ended. */
  readonly status: 'up' | 'down';
  /** When this status began, ISO 8601, UTC. null until the first check has ended. */
  readonly since: string | null;
  /** Why it is down; null if it is up. */
  readonly detail: string | null;
  /** What is wrong with a dependency that is up; absent if nothing is known to be. */
  readonly warning?: string;
}

/** An account of the ledger. */
export interface AccountView {
  readonly chain: string;
  readonly account: string;
  readonly state: string;
  /** null before the first transaction was signed. */
  readonly next: number | null;
  readonly free: readonly number[];
  readonly open: readonly ExplainedNonce[];
}

/** GET /operator/accounts */
export interface AccountsView {
  readonly accounts: readonly AccountView[];
  /** Value of `after` for the next page; null on the last page. */
  readonly next: string | null;
}

/** A node: a process of the service on the store. */
export interface NodeView {
  /** Unique to this process, and the first part of the ids of its events. */
  readonly id: string;
  readonly version: string;
  readonly startedAt: string;
  /** When the node last wrote that it lives: at most 10 s ago if it does. */
  readonly seenAt: string;
  /** Host and port at which it listens. */
  readonly address: string;
}

/** GET /operator/nodes */
export interface NodesView {
  /** Those that live, and those seen within the last day. The newest first. */
  readonly nodes: readonly NodeView[];
}

/** Equal requests of one minute with measurements that were refused. */
export interface RefusalView {
  /** When the newest of them came. */
  readonly at: string;
  /** The id of the tenant. For an unknown tenant, the text in the path. */
  readonly tenant: string;
  /** Without the query. */
  readonly path: string;
  /** 200: some elements were taken, and others refused. */
  readonly status: number;
  readonly message: string;
  /** Number of the requests. */
  readonly times: number;
}

/** GET /operator/refusals */
export interface RefusalsView {
  /** Newest first. */
  readonly refusals: readonly RefusalView[];
}

/** Changes of the states of subscriptions, as this node has seen them: of the last day at most. */
export interface ChangesView {
  readonly since: string;
  /** Length of a step, s. */
  readonly stepSeconds: number;
  /** Number of changes into each state in each step, oldest first. The last step is not over. */
  readonly lines: Readonly<Record<'firing' | 'noData' | 'pending' | 'calm', readonly number[]>>;
  /** The rules that began to fire, or to be without data, most often: at most five. Those of one name count as one. */
  readonly rules: readonly {
    readonly tenantId: string;
    readonly name: string;
    readonly firing: number;
    readonly noData: number;
  }[];
}

/** A tenant, as operators see it. */
export interface TenantSummary {
  readonly id: string;
  /** The names in its tokens, the first one seen first. */
  readonly names: readonly string[];
  readonly servers: number;
  readonly subscriptions: number;
  /** Servers that are firing. */
  readonly firing: number;
  /** When a token of it was seen last, within a minute; null: not since the release that records it. */
  readonly seenAt: string | null;
  /** Present while the tenant is being deleted. */
  readonly state?: 'deleting';
}

/** What each tenant can have; null: any number. */
export interface TenantLimits {
  readonly servers: number | null;
  readonly subscriptions: number | null;
  readonly requestsPerSecond: number | null;
}

/** GET /operator/tenants. */
export interface TenantsView {
  readonly tenants: readonly TenantSummary[];
  readonly limits: TenantLimits;
  readonly next: string | null;
}

/** DELETE /operator/tenants/{id}. */
export interface TenantDeletion {
  readonly state: 'deleting';
}

/** A change in the audit. */
export interface ChangeView {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly tenantId: string;
  /** The user's name as the token has it, the tenant's if the token has none, or `operator`. */
  readonly who: string;
  readonly via: string;
  readonly what: string;
  /** What was changed: its path in the API, below the tenant. */
  readonly target: string;
  readonly before?: object;
  readonly after?: object;
}

/** GET /operator/audit and /v1.0/{tenantId}/audit. */
export interface AuditView {
  readonly audit: readonly ChangeView[];
  readonly next: string | null;
}

/** The events of the event stream, by type. */
export interface LiveEvents {
  /** A subscription changed its state. `serverState`: the state of its server then. */
  readonly transition: TransitionView & OfServer & { readonly serverState: ServerState };
  /** A rule fired: its message is committed. */
  readonly firing: OfServer & {
    readonly ruleId: string;
    readonly subscriptionId: string;
    readonly factId: number;
    readonly deliveryId: string;
    readonly at: string;
  };
  /** A delivery changed its state, or had an attempt. */
  readonly delivery: {
    readonly tenantId: string;
    readonly serverId?: string | undefined;
    readonly subscriptionId?: string | undefined;
    readonly deliveryId: string;
    readonly state: string;
    readonly attempts: number;
    readonly at: string;
  };
  /** A receiver has begun or ceased to fail, or to be suspended. */
  readonly receiver: {
    readonly tenantId: string;
    readonly receiverId: string;
    readonly state: ReceiverState;
    readonly at: string;
  };
  /** A transaction of the ledger has its receipt. */
  readonly receipt: {
    readonly tenantId?: string | undefined;
    readonly transactionHash: string;
    readonly entityId?: string | undefined;
    readonly blockNumber: number;
    readonly at: string;
  };
  /** Something failed that an operator should see. */
  readonly fault: {
    readonly what: string;
    readonly kind?: string | undefined;
    readonly type?: string | undefined;
    readonly at: string;
  };
  /** Facts of one server, of a stream narrowed to it. They are not sent again after a reconnection. */
  readonly facts: OfServer & {
    readonly factId: number;
    readonly at: string;
    readonly windows: Readonly<Record<string, Omit<ExplainedWindow, 'emptied'>>>;
  };
}

interface OfServer {
  readonly tenantId: string;
  readonly serverId: string;
}
