import { assign, setup } from 'xstate';
import { replyingRefusals } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import type { Rule, RuleChange } from '../rules/rule.js';
import { withChange, withRules, withoutRule } from '../rules/rules.js';
import { FIRST_GENERATION, rotated } from './secret-generations.js';
import type { SecretGenerations } from './secret-generations.js';
import { resized } from './window-size.js';
import type { WindowSize } from './window-size.js';

/** What a tenant decides for all its servers. */
export interface TenantContext extends ActorContext {
  /** The names under which tokens have shown it, the first one first. */
  readonly names: readonly string[];
  readonly window: WindowSize;
  /** The generic rules, oldest first. */
  readonly rules: readonly Rule[];
  /** Which webhook secrets sign; undefined while there was only the first. */
  readonly secrets: SecretGenerations | undefined;
  readonly outbox: readonly EndRuleEffect[];
}

/** End the subscriptions of a generic rule on every server of the tenant. */
export interface EndRuleEffect extends OutboxEntry {
  readonly type: 'endRule';
  readonly ruleId: string;
}

export type TenantEvent = ActorEvent &
  (
    | { readonly type: 'seen'; readonly name: string }
    | { readonly type: 'resize'; readonly size: number }
    | { readonly type: 'addRule'; readonly rule: Rule }
    | { readonly type: 'changeRule'; readonly ruleId: string; readonly change: RuleChange }
    | { readonly type: 'removeRule'; readonly ruleId: string }
    | { readonly type: 'rotateSecret' }
    | { readonly type: 'performed'; readonly entryId: string }
    | { readonly type: 'wake' }
  );

/** How many values a window holds unless the tenant changes it. */
const DEFAULT_WINDOW_SIZE = 5;

/** The machine of a tenant: `unknown` until a valid token for it was seen, `known` for good from then on. */
export const tenantMachine = setup({
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
  on: {
    seen: {
      target: '.known',
      actions: assign(({ context, event }) => ({
        names: context.names.includes(event.name) ? context.names : [...context.names, event.name],
      })),
    },
  },
  states: {
    unknown: {},
    known: {
      on: {
        resize: {
          actions: assign(({ context, event }) => ({ window: resized(context.window, event.size) })),
        },
        addRule: {
          actions: assign(({ context, event }) =>
            replyingRefusals(() => ({ rules: withRules(context.rules, [event.rule]) })),
          ),
        },
        changeRule: {
          actions: assign(({ context, event }) =>
            replyingRefusals(() => {
              const { rules, changed } = withChange(context.rules, event.ruleId, event.change);
              return { rules, reply: changed };
            }),
          ),
        },
        removeRule: {
          actions: assign(({ context, event }) =>
            replyingRefusals(() => ({
              rules: withoutRule(context.rules, event.ruleId),
              outbox: [
                ...context.outbox,
                { id: `endRule:${event.ruleId}`, type: 'endRule' as const, ruleId: event.ruleId },
              ],
            })),
          ),
        },
        rotateSecret: {
          actions: assign(({ context, event }) =>
            replyingRefusals(() => {
              const secrets = rotated(context.secrets ?? FIRST_GENERATION, event.now);
              return { secrets, reply: secrets };
            }),
          ),
        },
        performed: {
          actions: assign(({ context, event }) => ({
            outbox: context.outbox.filter((entry) => entry.id !== event.entryId),
          })),
        },
      },
    },
  },
});
