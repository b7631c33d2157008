import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, ActorKind, EffectRun, OutboxEntry } from '../../actors/kind.js';
import { performed, removePerformed } from '../../actors/outbox.js';
import type { PerformedEvent } from '../../actors/outbox.js';
import type { Actors } from '../../actors/runtime.js';
import { withChange, withoutRule, withRules } from '../rules/rule.js';
import type { Rule, RuleChange } from '../rules/rule.js';
import { FIRST_GENERATION, rotated } from './secret-generations.js';
import type { SecretGenerations } from './secret-generations.js';
import { resized } from './tenant-view.js';
import type { TenantView } from './tenant-view.js';

export const TENANT = 'tenant';

/** The state of a tenant. */
export interface TenantContext extends ActorContext, TenantView {
  /** Which webhook secrets sign; undefined until the first rotation. */
  readonly secrets: SecretGenerations | undefined;
  readonly outbox: readonly (EndRuleEffect | RuleChangedEffect)[];
}

/** Ends the subscriptions of a removed generic rule on every server of the tenant. */
export interface EndRuleEffect extends OutboxEntry {
  readonly type: 'endRule';
  readonly ruleId: string;
}

/** Tells every server of the tenant with a subscription of a generic rule that the rule was changed. */
export interface RuleChangedEffect extends OutboxEntry {
  readonly type: 'ruleChanged';
  readonly ruleId: string;
}

export type TenantEvent =
  | PerformedEvent
  | (ActorEvent &
      (
        | { readonly type: 'seen'; readonly name: string }
        | { readonly type: 'resize'; readonly size: number }
        | { readonly type: 'addRule'; readonly rule: Rule }
        | { readonly type: 'changeRule'; readonly ruleId: string; readonly change: RuleChange }
        | { readonly type: 'removeRule'; readonly ruleId: string }
        | { readonly type: 'rotateSecret' }
        | { readonly type: 'wake' }
      ));

type EventOf<T extends TenantEvent['type']> = Extract<TenantEvent, { type: T }>;
type Change = Partial<TenantContext>;

/** Number of values in a window unless the tenant changes it. */
export const DEFAULT_WINDOW_SIZE = 5;

function see({ names }: TenantContext, { name }: EventOf<'seen'>): Change {
  return { names: names.includes(name) ? names : [...names, name] };
}

/** Operation 3. */
function resize({ window }: TenantContext, { size }: EventOf<'resize'>): Change {
  return { window: resized(window, size) };
}

/** Operation 4. */
function addRule({ rules }: TenantContext, { rule }: EventOf<'addRule'>): Change {
  return { rules: withRules(rules, [rule]) };
}

/** Operation 6. Replies with the changed rule. */
function changeRule(context: TenantContext, { ruleId, change, now }: EventOf<'changeRule'>): Change {
  const { rules, changed } = withChange(context.rules, ruleId, change);
  if (change.condition === undefined && change.noData === undefined) return { rules, reply: changed };
  const others = context.outbox.filter((entry) => entry.type !== 'ruleChanged' || entry.ruleId !== ruleId);
  const entry: RuleChangedEffect = { id: `ruleChanged:${ruleId}:${now}`, type: 'ruleChanged', ruleId };
  return { rules, reply: changed, outbox: [...others, entry] };
}

/** Operation 7. */
function removeRule({ rules, outbox }: TenantContext, { ruleId }: EventOf<'removeRule'>): Change {
  const ending: EndRuleEffect = { id: `endRule:${ruleId}`, type: 'endRule', ruleId };
  return { rules: withoutRule(rules, ruleId), outbox: [...outbox, ending] };
}

/** Replies with the generations after the rotation. */
function rotateSecret(context: TenantContext, { now }: EventOf<'rotateSecret'>): Change {
  const secrets = rotated(context.secrets ?? FIRST_GENERATION, now);
  return { secrets, reply: secrets };
}

/** States: `unknown` until the first request with a valid token of the tenant, then `known` for good. */
const tenantMachine = setup({
  types: { context: {} as TenantContext, events: {} as TenantEvent },
}).createMachine({
  id: 'tenant',
  context: {
    names: [],
    window: { size: DEFAULT_WINDOW_SIZE, version: 0, lows: [] },
    rules: [],
    secrets: undefined,
    outbox: [],
    wakeAt: undefined,
    reply: undefined,
  },
  initial: 'unknown',
  on: { seen: { target: '.known', actions: decides(see) } },
  states: {
    unknown: {},
    known: {
      on: {
        resize: { actions: decides(resize) },
        addRule: { actions: decides(addRule) },
        changeRule: { actions: decides(changeRule) },
        removeRule: { actions: decides(removeRule) },
        rotateSecret: { actions: decides(rotateSecret) },
        performed: { actions: decides(removePerformed) },
      },
    },
  },
});

/** What a change of a generic rule does on every server of its tenant. */
export interface RuleChanges {
  /** Ends the subscriptions of a rule that was removed. */
  readonly endRule: (actors: Actors, tenantId: string, ruleId: string) => Promise<void>;
  /** Tells the servers with a subscription of a rule that it was changed. */
  readonly ruleChanged: (
    actors: Actors,
    tenantId: string,
    ruleId: string,
    tenant: TenantView,
  ) => Promise<void>;
}

/** The kind of a tenant's actor. */
export function tenantKind(options: RuleChanges & { readonly now: () => number }): ActorKind {
  const { endRule, ruleChanged, now } = options;
  return {
    name: TENANT,
    version: 1,
    machine: tenantMachine,
    rarelyWritten: [],
    room: 'remove rules of this tenant first',
    effects: {
      async endRule(entry: EndRuleEffect, _context: TenantContext, { address, actors }: EffectRun) {
        await endRule(actors, address.tenant, entry.ruleId);
        return performed(entry, now());
      },
      async ruleChanged(entry: RuleChangedEffect, context: TenantContext, { address, actors }: EffectRun) {
        await ruleChanged(actors, address.tenant, entry.ruleId, context);
        return performed(entry, now());
      },
    },
  };
}
