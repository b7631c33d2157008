import type { ServerSettings } from '../../../src/policy/server/take-facts.js';
import { policyKinds } from '../../../src/policy/policy.js';
import { SERVER } from '../../../src/policy/server/server-kind.js';
import type { DocumentMetric as Metric } from '../../../src/policy/rules/metrics.js';
import type { Rule } from '../../../src/policy/rules/rule.js';
import type { FactsReply, ServerContext, ServerEvent } from '../../../src/policy/server/server-context.js';
import type { TenantView } from '../../../src/policy/tenant/tenant-view.js';
import type { ActorKind } from '../../../src/actors/kind.js';
import { driveActor, type DrivenActor } from '../../actors/stage/driven-actor.js';
import type { Subscription } from '../../../src/policy/state/subscription.js';
import type { DispatchEffect } from '../../../src/policy/alerts/outgoing-messages.js';
import { openQuietPlans } from '../../../src/policy/quiet/plans.js';

/** The time of these specs, ms since the epoch. */
export const NOON = Date.UTC(2026, 0, 15, 12);
export const ADDRESS = { kind: SERVER, tenant: 'acme', name: 'web-1' };
export const SETTINGS: ServerSettings = {
  gapMs: 300_000,
  skewMs: 300_000,
  forgetMs: 0,
  alertResendMs: 60_000,
  trend: true,
  mailIntervalMs: 300_000,
  localTime: undefined,
  publicUrl: () => 'https://rules.example.org',
  muteUrl: (...path) => `https://rules.example.org/mute/${path.join('-')}`,
  outboxLimit: 100,
};

/** A kind of the policy API as the runtime has it. Its effects throw. */
export function policyKind(name: string, settings = SETTINGS): ActorKind {
  const nowhere = (): never => {
    throw new Error('a machine alone has no runtimeContext');
  };
  const store = {
    shared: false,
    atOnce: 1,
    nextRevision: nowhere,
    load: nowhere,
    commit: nowhere,
    list: nowhere,
    outline: nowhere,
    readAll: nowhere,
    kinds: nowhere,
    count: nowhere,
    due: nowhere,
    hold: nowhere,
    ordered: nowhere,
    tally: nowhere,
    queues: nowhere,
    queued: nowhere,
    keepTime: nowhere,
    keptTime: nowhere,
    ping: nowhere,
    close: nowhere,
  };
  const kinds = policyKinds({
    store,
    deliveries: { dispatch: nowhere, renew: nowhere },
    settings,
    broker: undefined,
    plans: openQuietPlans(nowhere),
    remains: { erase: nowhere, effect: nowhere },
    now: nowhere,
  });
  return kinds.find((kind) => kind.name === name)!;
}

/** A server with methods for these specs. */
export interface DrivenServer extends DrivenActor<ServerContext, ServerEvent> {
  /** Sends measurements that arrive together, one per element. */
  measure(
    measures: Partial<Record<Metric, number>> | Partial<Record<Metric, number>>[],
    how?: How,
  ): FactsReply;
  addRule(rule: Rule): void;
  subscribe(subscription: Subscription, how?: How): Subscription;
  /** The messages in its outbox, oldest first. */
  messages(): readonly DispatchEffect[];
  /** The bodies of the webhooks in its outbox. */
  bodies(): readonly Record<string, unknown>[];
}

interface How {
  readonly now?: number;
  readonly tenant?: TenantView;
  readonly source?: string;
}

/** Drives a server. Its windows hold one value unless an event comes with another `tenant`. */
export function driveServer(
  settings: Partial<ServerSettings> = {},
  address = ADDRESS,
  how: { readonly setsBack?: boolean } = {},
): DrivenServer {
  const kind = policyKind(SERVER, { ...SETTINGS, ...settings });
  const actor = driveActor<ServerContext, ServerEvent>(kind, address, how);
  const messages = () => actor.context.outbox.filter((entry) => entry.type === 'dispatch');
  return {
    get state() {
      return actor.state;
    },
    get context() {
      return actor.context;
    },
    ask: actor.ask,
    askTogether: actor.askTogether,
    measure: (measures, { now = NOON, tenant = tenantView(), source } = {}) =>
      actor.ask({ type: 'facts', now, measures: [measures].flat(), source, tenant }) as FactsReply,
    addRule: (rule) => void actor.ask({ type: 'addRules', now: NOON, rules: [rule] }),
    subscribe: (subscription, { now = NOON, tenant = tenantView() } = {}) =>
      actor.ask({ type: 'subscribe', now, subscription, tenant }) as Subscription,
    messages,
    bodies: () =>
      messages().flatMap(({ message }) =>
        message.channel === 'webhook' ? [JSON.parse(message.body) as Record<string, unknown>] : [],
      ),
  };
}

/** A tenant with windows of `size` values and these generic rules. `version`: see `TenantView`. */
export function tenantView(size = 1, rules: readonly Rule[] = [], version = 0): TenantView {
  return { names: ['Acme Inc'], version, window: { size, version: 0, lows: [] }, rules, quiet: [] };
}

/** A rule that holds above 80 % cpu unless given otherwise. */
export function ruleOf(given: Partial<Rule> = {}): Rule {
  return {
    ruleId: 'r1',
    name: 'busy',
    condition: { cpu: { value: 80, operand: 'greater' } },
    action: { actionName: 'notify-scale', operation: 'scaleUp' },
    ...given,
  };
}

/** A subscription to `ruleOf()` unless given otherwise. */
export function subscriptionOf(given: Partial<Subscription> = {}): Subscription {
  return { id: 's1', ruleId: 'r1', url: 'https://example.org/hook', at: NOON, ...given };
}
