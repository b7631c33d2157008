import type { ServerSettings } from '../../../src/policy/server/evaluate.js';
import { policyKinds, SERVER } from '../../../src/policy/kinds.js';
import type { Metric, Rule } from '../../../src/policy/rules/rule.js';
import type {
  DeliverEffect,
  FactsReply,
  ServerContext,
  ServerEvent,
  Subscription,
  TenantView,
} from '../../../src/policy/server/server-context.js';
import type { ActorKind } from '../../../src/actors/kind.js';
import { driveActor } from '../../actors/driven-actor.js';
import type { DrivenActor } from '../../actors/driven-actor.js';

/** Noon of the day at which these specs take place, ms since the epoch. */
export const NOON = Date.UTC(2026, 0, 15, 12);
export const ADDRESS = { kind: SERVER, tenant: 'acme', name: 'web-1' };
export const SETTINGS: ServerSettings = {
  gapMs: 300_000,
  mailIntervalMs: 300_000,
  publicUrl: () => 'https://rules.example.org',
  outboxLimit: 100,
};

/** A kind of the policy API as the runtime gets it; its effects lead nowhere. */
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
    due: nowhere,
    queues: nowhere,
    queued: nowhere,
    ping: nowhere,
    close: nowhere,
  };
  const kinds = policyKinds({
    store,
    deliveries: { handOver: nowhere },
    settings,
    broker: undefined,
    now: nowhere,
  });
  return kinds.find((kind) => kind.name === name)!;
}

/** A server with words for what these specs do with it. */
export interface DrivenServer extends DrivenActor<ServerContext, ServerEvent> {
  /** Tells it measurements that arrive together; one element for each. */
  measure(
    measures: Partial<Record<Metric, number>> | Partial<Record<Metric, number>>[],
    how?: Told,
  ): FactsReply;
  addRule(rule: Rule): void;
  subscribe(subscription: Subscription, how?: Told): Subscription;
  /** The messages in its outbox, oldest first. */
  messages(): readonly DeliverEffect[];
  /** The bodies of the webhooks in its outbox. */
  bodies(): readonly Record<string, unknown>[];
}

interface Told {
  readonly now?: number;
  readonly tenant?: TenantView;
  readonly source?: string;
}

/** Drives a server of a tenant whose windows hold `tenant.window.size` values, 1 unless given. */
export function driveServer(settings: Partial<ServerSettings> = {}, address = ADDRESS): DrivenServer {
  const kind = policyKind(SERVER, { ...SETTINGS, ...settings });
  const actor = driveActor<ServerContext, ServerEvent>(kind, address);
  const messages = () => actor.context.outbox.filter((entry) => entry.type === 'deliver');
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

/** What a tenant decides: windows of `size` values and these generic rules. */
export function tenantView(size = 1, rules: readonly Rule[] = []): TenantView {
  return { names: ['Acme Inc'], window: { size, version: 0, lows: [] }, rules };
}

/** A rule that holds for more than 80 % cpu, unless told otherwise. */
export function ruleOf(given: Partial<Rule> = {}): Rule {
  return {
    ruleId: 'r1',
    name: 'busy',
    condition: { cpu: { value: 80, operand: 'greater' } },
    action: { actionName: 'notify-scale', operation: 'scaleUp' },
    ...given,
  };
}

/** A subscription to `ruleOf()`, unless told otherwise. */
export function subscriptionOf(given: Partial<Subscription> = {}): Subscription {
  return { id: 's1', ruleId: 'r1', url: 'https://example.org/hook', ...given };
}
