/**
 * The answers of `/console/api`, as the service writes them and the console's page reads them. Times are ISO 8601, UTC.
 * Lists are pages: `next` is the value of `after` (or `before`) for the next one, null on the last page.
 */
import type { SubscriptionFormView } from '../delivery/form/shapes.js';
import type { QuietView } from '../policy/quiet/shapes.js';
import type { ExplainedSubscription, ExplainedWindow, ServerState } from '../policy/explain/shapes.js';
import type {
  ChangesView,
  DeliveryRow,
  DependencyState,
  MessageView,
  ReceiverView,
} from '../operator/shapes.js';
import type { TransactionState } from '../ledger/shapes.js';
import type { FleetMarks, FleetRow, RulesStatusView, RuleStatus } from '../policy/fleet/shapes.js';
import type { ConditionView, RuleOptionsView } from '../policy/rules/shapes.js';
import type { SourceView } from '../policy/sources/shapes.js';
import type { Trend } from '../policy/trend/shapes.js';

/** GET /console/api/session */
export interface SessionView {
  /** null if the page must show the login first. */
  readonly viewer: ViewerView | null;
  /** Value of X-CSRF-Token for changes; null for a viewer without a cookie. */
  readonly csrf: string | null;
  /** Ways to log in here. */
  readonly logins: readonly ('operatorToken' | 'tenantPassword' | 'tenantToken')[];
  /** The login at an OpenID provider; null without OIDC_ISSUER. */
  readonly sso: SsoView | null;
  /** True outside production: the inbox and the demo may be there. */
  readonly development: boolean;
  readonly parts: { readonly ledger: boolean; readonly inbox: boolean; readonly demo: boolean };
  readonly version: string;
  /** Address of the service for curl lines, without a trailing slash. */
  readonly publicUrl: string;
  /** True if the user `demo` of the tenant `demo` can log in with the password `demo`. */
  readonly demoUser: boolean;
  /** The credentials that measurements need, and the reading of their hdd (FACTS_AUTH, HDD_READING). */
  readonly measurements: { readonly auth: 'open' | 'token' | 'key'; readonly hdd: 'used' | 'free' };
  /** True if the ledger records for callers without a token and a wallet. */
  readonly openLedger: boolean;
  /** Names of the tenants that the service itself knows, for an operator. Empty for others. */
  readonly tenants: readonly { readonly id: string; readonly name: string }[];
}

/** GET /console/api/rules */
export interface RuleStatesView extends Omit<RulesStatusView, 'rules'> {
  readonly rules: readonly RuleStateView[];
  /** `lastEvaluation` is not older: the start of the node that answers. */
  readonly evaluatedSince: string;
}

export interface RuleStateView extends RuleStatus {
  /** When the rule was last evaluated on the node that answers; null: not since its start. */
  readonly lastEvaluation: string | null;
}

/** The person at the console. */
export type ViewerView = {
  /** The name of the person; undefined if nobody gives it. */
  readonly user?: string | undefined;
} & (
  | { readonly kind: 'operator' }
  | { readonly kind: 'tenant'; readonly tenantId: string; readonly tenantName: string }
);

/** The login at an OpenID provider. */
export interface SsoView {
  /** Why nobody can log in there now; null if nothing is known against it. */
  readonly problem: string | null;
  /** What became of the last login of this browser; null: it did not fail. */
  readonly outcome: SsoOutcome | null;
}

/** A login without a session. `tenants`: to choose from; empty unless the person has several. */
export type SsoOutcome = { readonly message: string; readonly tenants: readonly string[] };

/** DELETE /console/api/session. `providerLogout`: address that ends the session at the OpenID provider too; null: none. */
export type LogoutView = SessionView & { readonly providerLogout: string | null };

/** POST /console/api/session */
export type Login =
  | { readonly operatorToken: string }
  | { readonly tenantName: string; readonly username: string; readonly password: string }
  | { readonly token: string };

/** GET /console/api/search?query= */
export interface SearchView {
  /** The text that was searched for. */
  readonly query: string;
  /** A few of each kind. */
  readonly results: readonly SearchResultView[];
  /** False if there may be more. */
  readonly complete: boolean;
}

/** What a text that is searched for may mean. */
export type SearchResultView =
  | {
      readonly kind: 'server';
      readonly tenantId: string;
      readonly serverId: string;
      readonly state: ServerState;
    }
  | { readonly kind: 'tenant'; readonly tenantId: string; readonly name: string }
  /** `serverId`: of a rule of one server. */
  | {
      readonly kind: 'rule';
      readonly ruleId: string;
      readonly name: string;
      readonly tenantId: string;
      readonly serverId: string | null;
    }
  /** A message to a receiver, by its id (`webhook-id`). */
  | {
      readonly kind: 'message';
      readonly id: string;
      readonly tenantId: string;
      readonly state: DeliveryRow['state'];
      readonly channel: DeliveryRow['channel'];
      readonly serverId: string | null;
    }
  | { readonly kind: 'entity'; readonly entityId: string }
  | {
      readonly kind: 'transaction';
      readonly transactionHash: string;
      readonly operation: string;
      readonly state: TransactionState;
    };

/** A number of items. `more` is true if only the first ones were counted. */
export interface CountView {
  readonly count: number;
  readonly more: boolean;
}

/** GET /console/api/overview */
export interface OverviewView {
  readonly at: string;
  /** Of each state the servers, and those of them with a subscription that is muted, suspended or acknowledged. */
  readonly servers: Readonly<Record<ServerState, CountView & FleetMarks>>;
  readonly trouble: TroubleView;
  readonly changes: ChangesView;
  readonly rates: RatesView | null;
  readonly deliveries: { readonly waiting: CountView; readonly dead: CountView };
  /** Requests with measurements that this node refused in the last hour. null for a tenant. */
  readonly refusedLastHour: number | null;
  /** null without a ledger, or for a tenant. */
  readonly ledger: {
    readonly head: number | null;
    readonly blocksBehind: number | null;
    readonly pendingNonces: CountView;
  } | null;
  /** Empty for a tenant. */
  readonly dependencies: readonly DependencyState[];
  /** True for things that exist already. The page shows the first steps for the others. */
  readonly setup: { readonly rules: boolean; readonly subscriptions: boolean; readonly facts: boolean };
}

/** Per second, over the last ten seconds, on this node. null for a tenant. */
export interface RatesView {
  readonly facts: number;
  readonly firings: number;
  readonly receipts: number;
  /** When the last fact came, if facts have stopped: none came for much longer than in the hour before. Otherwise null. */
  readonly factsStopped: string | null;
}

/** Those in trouble. */
export interface TroubleView extends Omit<TroubledServersView, 'muted'> {
  /** Servers that are firing or without data, and not acknowledged, and the receivers in trouble. */
  readonly total: CountView;
  /** The servers among them. */
  readonly unacknowledged: CountView;
  readonly receivers: TroubledReceiversView;
}

/** The receivers that are suspended or fail, the longest first: at most 50. */
export interface TroubledReceiversView {
  readonly receivers: readonly ReceiverView[];
  /** True if there are more than those listed. */
  readonly more: boolean;
}

/** GET /console/api/trouble: the number of those in trouble */
export type TroubleCountView = CountView;

/** The servers that are firing or without data, grouped by tenant, rule and state. */
export interface TroubledServersView {
  /** Groups that somebody looks after last. Of the others firing before noData, then by the label `severity`, then the oldest. */
  readonly groups: readonly TroubleGroup[];
  /** True if there are other groups, or servers that were not read. */
  readonly more: boolean;
  /** Number of the servers that were read with a subscription that is muted, for itself or by a quiet time. */
  readonly muted: { readonly firing: number; readonly noData: number };
}

/** Servers on which one rule is in the same state. */
export interface TroubleGroup {
  readonly tenantId: string;
  readonly ruleName: string;
  readonly state: ServerState;
  /** When the oldest began; null: it is not known. */
  readonly since: string | null;
  readonly servers: number;
  /** True if there are more of them than were read. */
  readonly more: boolean;
  /** Number of them that somebody looks after. */
  readonly acknowledged: number;
  /** Number of them with a subscription that is muted, for itself or by a quiet time. */
  readonly muted: number;
  /** A pattern that fits all of them, such as `web-*`; null if only `*` does. */
  readonly pattern: string | null;
  /** The first five: those that nobody looks after, the oldest first. */
  readonly first: readonly TroubledServer[];
}

/** A server in trouble, without the numbers of its messages. */
export type TroubledServer = Omit<FleetRow, 'waiting' | 'dead'>;

/** GET /console/api/servers/{tenant}/{server} */
export interface ServerView {
  readonly tenantId: string;
  readonly serverId: string;
  readonly state: ServerState;
  /** The states of its machine. */
  readonly chart: StatechartView;
  /** 0 for a server of which nothing is known yet: a tenant sees it, an operator does not. */
  readonly revision: number;
  readonly factId: number;
  readonly lastFactAt: string | null;
  readonly lastFactSource: SourceView['source'] | null;
  readonly windowsize: number;
  /** All metrics, measured or not. */
  readonly windows: Readonly<Record<string, WindowView>>;
  /** Number of the server's own rules, and of the tenant's that a subscription here uses. */
  readonly ruleCount: number;
  /** The first 100 of them. */
  readonly rules: readonly ServerRuleView[];
}

/** A window, and when its newest value came; null if none ever did. */
export type WindowView = ExplainedWindow & { readonly at: string | null };

/** GET /console/api/servers/{tenant}/{server}/trend */
export interface TrendView {
  /** False if the service keeps no trend. */
  readonly kept: boolean;
  /** Of the watched metrics. */
  readonly trends: readonly Trend[];
}

/** The states of a machine with the transitions between them. */
export interface StatechartView {
  readonly states: readonly string[];
  readonly transitions: readonly { readonly from: string; readonly to: string }[];
}

/** A rule on the page of a server. */
export interface ServerRuleView {
  readonly ruleId: string;
  readonly name: string;
  /** True for a rule of the tenant. */
  readonly generic: boolean;
  readonly condition: ConditionView;
  /** When the rule notifies; absent members are not set. */
  readonly options: RuleOptionsView;
  readonly action: Readonly<Record<string, unknown>>;
  /** Explain's sentence if there is no subscription. */
  readonly sentence: string | null;
  readonly subscriptionCount: number;
  /** The first 10 of them. */
  readonly subscriptions: readonly ServerSubscriptionView[];
}

export interface ServerSubscriptionView extends ExplainedSubscription {
  /** The receiver at its url. */
  readonly receiverId: string;
  readonly form: SubscriptionFormView;
}

/** GET /console/api/deliveries?state=&tenant=&server=&subscription=&before=&limit=, newest first */
export interface DeliveriesView {
  readonly deliveries: readonly DeliveryRowView[];
  /** Given for a page that is short or empty too, if there may be more. */
  readonly next: string | null;
}

/** A delivery in the list. */
export interface DeliveryRowView extends DeliveryRow {
  /** The rule's name, or the mail's subject; empty for a mirrored receipt. */
  readonly title: string;
  /** The state that a webhook notifies of. null for other messages. */
  readonly notifies: 'firing' | 'resolved' | 'noData' | null;
}

/** GET /console/api/deliveries/{id} */
export interface DeliveryView extends DeliveryRowView {
  readonly message: MessageView;
}

/** GET /console/api/kinds: the kinds of actors (operator). */
export interface KindsView {
  readonly kinds: readonly {
    readonly kind: string;
    readonly states: readonly string[];
    readonly chart: MachineChartView;
  }[];
}

/** All states of a machine, and the transitions between them with their events; without events: one that follows from the context. */
export interface MachineChartView {
  readonly states: readonly string[];
  readonly transitions: readonly {
    readonly from: string;
    readonly to: string;
    readonly events: readonly string[];
  }[];
}

/** GET /console/api/inbox?before=&limit=: mails of the development inbox (operator), newest first */
export interface InboxView {
  readonly mails: readonly MailRowView[];
  readonly next: string | null;
}

/** A mail in the list. `id` is that of the inbox. */
export interface MailRowView {
  readonly id: string;
  /** The tenant whose rule sent it; null if the mail does not say it. */
  readonly tenantId: string | null;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly receivedAt: string;
}

/** GET /console/api/inbox/{id}. Its HTML is at /console/mail/{id}. */
export interface MailView extends MailRowView {
  readonly text: string;
  readonly hasHtml: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** GET /console/api/demo, POST starts it (development, operator). */
export interface DemoView {
  readonly running: boolean;
  readonly sent: number;
  readonly total: number;
  readonly firings: number;
  readonly tenantId: string | null;
  readonly serverId: string | null;
}

/** The quiet times that the viewer may see. */
export interface QuietTimesView {
  readonly quiet: readonly (QuietView & { readonly tenantId: string })[];
  readonly more: boolean;
}

/** What a quiet time would mute, and when. */
export interface QuietPreview {
  /** Known servers that its patterns stand for. */
  readonly fitting: number;
  /** Ids of the first of them. */
  readonly first: readonly string[];
  /** Known servers of the tenant that were compared. */
  readonly servers: number;
  /** False if there are more. */
  readonly isWhole: boolean;
  readonly next: QuietView['next'];
}

/** Subscriptions that are muted for themselves. */
export interface MutedView {
  readonly muted: readonly MutedRow[];
  /** The `after` of the next page; null: this was the last one. */
  readonly next: string | null;
}

export interface MutedRow {
  readonly tenantId: string;
  readonly serverId: string;
  readonly subscriptionId: string;
  readonly ruleName: string;
  /** Name of the user, or `operator`; null: somebody with the link of a mail. */
  readonly by: string | null;
  readonly comment: string | null;
  readonly at: string | null;
  readonly until: string;
}
