import type { Logger } from 'pino';
import type { ActorKind, Actors } from '../actors/kind.js';
import type { IsReadable } from '../actors/reading.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { LateChain } from '../chain/late-chain.js';
import type { Config } from '../config/config.js';
import type { Deliveries } from '../delivery/deliveries.js';
import type { Senders } from '../delivery/delivery-kind.js';
import type { Dispatcher } from '../delivery/queue/dispatcher.js';
import type { HeaderSeal } from '../delivery/form/header-seal.js';
import type { ReceiverWatch } from '../delivery/receiver/receiver-watch.js';
import type { TargetRules } from '../delivery/senders/targets.js';
import type { Inbox } from '../embedded/inbox.js';
import type { Authors } from '../http/author.js';
import type { EdgeMiddleware } from '../http/context.js';
import type { Route } from '../http/router.js';
import type { ReadSession } from '../http/session.js';
import type { OpenIdentity } from '../identity/select.js';
import type { NodeView } from '../ledger/account/pending-nonces.js';
import type { LedgerBrowse } from '../ledger/open.js';
import type { Activity } from '../operator/activity.js';
import type { EventStream } from '../operator/event-stream.js';
import type { OperatorAccess } from '../operator/guard.js';
import type { ReadinessState } from '../operator/health/readiness.js';
import type { Metrics } from '../operator/metrics/metrics.js';
import type { NodeList } from '../operator/nodes/node-list.js';
import type { Receivers } from '../operator/receivers/receivers-view.js';
import type { Refusals } from '../operator/refusals/refusals.js';
import type { DependencyState } from '../operator/shapes.js';
import type { ServerRemains } from '../policy/deletion/server-remains.js';
import type { MuteLinks } from '../policy/mute/mute-links.js';
import type { Policy } from '../policy/policy.js';
import type { QuietPlans } from '../policy/quiet/plans.js';
import type { SourceIntake } from '../policy/sources/source-intake.js';
import type { SourceReports } from '../policy/sources/source-reports.js';
import type { BrokerUse } from '../policy/subscriptions/broker-use.js';
import type { Store } from '../store/port.js';
import type { Tracing } from '../tracing/port.js';

/** The parts of the service that are opened before its actors. `service.ts` makes them. */
export interface OpenedParts {
  readonly config: Config;
  readonly log: Logger;
  readonly version: string;
  /** Returns the time, ms since the epoch. */
  readonly now: () => number;
  /** Returns the public address. Known once the service listens. */
  readonly publicUrl: () => string;
  /** Returns the address at which this process listens. Known once it does. */
  readonly localUrl: () => string;
  readonly readiness: ReadinessState;
  /** Registers a part to be closed with the service, before the parts opened earlier. */
  readonly closeOnStop: <T extends { close(): Promise<unknown> }>(part: T) => T;
  readonly store: Store;
  readonly identity: OpenIdentity;
  readonly broker: BrokerUse | undefined;
  /** The development inbox. undefined if mails go to a mail server. */
  readonly inbox: Inbox | undefined;
  readonly dispatcher: Dispatcher;
  readonly deliveries: Deliveries;
  /** What this node knows of the receivers of webhooks. */
  readonly receiverWatch: ReceiverWatch;
  readonly targets: TargetRules;
  readonly muteLinks: MuteLinks;
  readonly headerSeal: HeaderSeal;
  readonly plans: QuietPlans;
  readonly remains: ServerRemains;
  readonly auditLog: AuditLog;
  /** Returns who makes the changes of a request. */
  readonly authors: Authors;
  readonly ledger: ConfiguredLedger | undefined;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly activity: Activity;
  readonly events: EventStream;
  readonly refusals: Refusals;
  readonly operators: OperatorAccess;
  /** The nodes that share the store. */
  readonly nodes: NodeList;
}

/** All parts of the service. Each function of this folder names those that it uses. */
export interface ServiceContext extends OpenedParts {
  /** The store without the documents that this service cannot read. */
  readonly readable: Store;
  readonly isReadable: IsReadable;
  readonly senders: Senders;
  readonly receivers: Receivers;
  readonly kinds: readonly ActorKind[];
  readonly actors: Actors;
  readonly policy: Policy;
  readonly sources: Sources;
  /** Returns the states of the dependencies. */
  readonly dependencies: () => readonly DependencyState[];
  readonly webConsole: WebConsole;
}

/** The intake of what measures and sends values by itself. */
export interface Sources {
  readonly intake: SourceIntake;
  readonly reports: SourceReports;
}

/** The ledger with its chain and its wallets. */
export interface ConfiguredLedger {
  readonly kinds: readonly ActorKind[];
  /** Returns what this node knows of pending nonces. */
  readonly pendingNonces: () => Omit<NodeView, 'hasOthers'>;
  readonly chain: Pick<LateChain, 'ping' | 'contractWarning' | 'onContract' | 'progress'>;
  /** `authenticated` checks the token of a request. */
  routes(actors: Actors, authenticated: EdgeMiddleware): readonly Route[];
  /** Returns the reader for people. */
  browse(actors: Actors): LedgerBrowse;
  /** Called once the service listens. Checks earlier transactions again, and logs the address of the embedded wallet. */
  start(actors: Actors, publicUrl: string): void;
}

/** The service's side of the console. */
export interface WebConsole {
  readonly routes: readonly Route[];
  /** Reads the session of a request. */
  readonly sessions: ReadSession;
  /** Ends the streams of a session with it. */
  readonly staying: EdgeMiddleware;
}
