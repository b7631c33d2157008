import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type {
  ActorContext,
  ActorEvent,
  ActorKind,
  Actors,
  EffectRun,
  OutboxEntry,
} from '../../actors/kind.js';
import { performed, type PerformedEvent, removePerformed } from '../../actors/outbox.js';
import { type Rule, type RuleChange, withChange, withoutRule, withRules } from '../rules/rule.js';
import { FIRST_GENERATION, rotated, type SecretGenerations } from './secret-generations.js';
import { resized, type TenantView } from './tenant-view.js';

export const TENANT = 'tenant';

/** The state of a tenant. */
export interface TenantContext extends ActorContext, TenantView {
  /** Which webhook secrets sign. */
  readonly secrets: SecretGenerations;
  readonly outbox: readonly RuleChangedEffect[];
}

/** Sends every server of the tenant with a subscription of a generic rule the notice that the rule was changed or removed. */
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
function resize({ version, window }: TenantContext, { size }: EventOf<'resize'>): Change {
  return { version: version + 1, window: resized(window, size) };
}

/** Operation 4. */
function addRule({ version, rules }: TenantContext, { rule }: EventOf<'addRule'>): Change {
  return { version: version + 1, rules: withRules(rules, [rule]) };
}

/** Operation 6. Replies with the changed rule. */
function changeRule(context: TenantContext, { ruleId, change }: EventOf<'changeRule'>): Change {
  const { rules, changed } = withChange(context.rules, ruleId, change);
  const version = context.version + 1;
  if (change.condition === undefined && change.noData === undefined)
    return { version, rules, reply: changed };
  return { version, rules, reply: changed, outbox: withRuleChanged(context, ruleId) };
}

/** Operation 7. */
function removeRule(context: TenantContext, { ruleId }: EventOf<'removeRule'>): Change {
  return {
    version: context.version + 1,
    rules: withoutRule(context.rules, ruleId),
    outbox: withRuleChanged(context, ruleId),
  };
}

/** A further change of a rule takes the place of one whose notice is being sent: the servers get it once more. */
function withRuleChanged({ outbox }: TenantContext, ruleId: string): readonly RuleChangedEffect[] {
  const others = outbox.filter((entry) => entry.ruleId !== ruleId);
  return [...others, { id: `ruleChanged:${ruleId}`, type: 'ruleChanged', ruleId }];
}

/** Replies with the generations after the rotation. */
function rotateSecret(context: TenantContext, { now }: EventOf<'rotateSecret'>): Change {
  const secrets = rotated(context.secrets, now);
  return { secrets, reply: secrets };
}

/** States: `unknown` until the first request with a valid token of the tenant, then `known` for good. */
const tenantMachine = setup({
  types: { context: {} as TenantContext, events: {} as TenantEvent },
}).createMachine({
  id: 'tenant',
  context: {
    names: [],
    version: 0,
    window: { size: DEFAULT_WINDOW_SIZE, version: 0, lows: [] },
    rules: [],
    secrets: FIRST_GENERATION,
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

/** Sends the servers of a tenant with a subscription of a generic rule the notice that the rule was changed or removed. */
export type RuleNotice = (actors: Actors, tenantId: string, ruleId: string) => Promise<void>;

/** The kind of a tenant's actor. */
export function tenantKind(sendRuleNotice: RuleNotice, now: () => number): ActorKind {
  return {
    name: TENANT,
    version: 1,
    machine: tenantMachine,
    rarelyWritten: [],
    whenTooLarge: 'remove rules of this tenant first',
    effects: {
      async ruleChanged(entry: RuleChangedEffect, _context: unknown, { address, actors }: EffectRun) {
        await sendRuleNotice(actors, address.tenant, entry.ruleId);
        return performed(entry, now());
      },
    },
  };
}
