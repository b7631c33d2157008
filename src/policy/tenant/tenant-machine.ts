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
import { Refusal } from '../../errors.js';
import { performed, type PerformedEvent, removePerformed, without } from '../../actors/outbox.js';
import {
  nextRenewal,
  isDue,
  plannedTo,
  quietEnd,
  type QuietPlan,
  type QuietTime,
  withoutQuiet,
  withQuiet,
} from '../quiet/quiet-time.js';
import { type Rule, type RuleChange, withChange, withoutRule, withRules } from '../rules/rule.js';
import { FIRST_GENERATION, rotated, type SecretGenerations } from './secret-generations.js';
import type { QuietPlans } from '../quiet/plans.js';
import { resized } from '../windows/window.js';
import type { TenantView } from './tenant-view.js';

export const TENANT = 'tenant';

/** When a plan that was not made is tried again, ms. */
const PLAN_AGAIN_MS = 60_000;

/** The state of a tenant. */
export interface TenantContext extends ActorContext, TenantView {
  /** When a token of the tenant was seen last, ms since the epoch; up to a minute before the last one. */
  readonly seenAt: number | undefined;
  /** When the tenant was deleted, ms since the epoch; undefined: it was not. */
  readonly deletedAt: number | undefined;
  /** Which webhook secrets sign. */
  readonly secrets: SecretGenerations;
  /** Until when the occurrences of all quiet times are known, ms since the epoch; undefined: for good. */
  readonly quietPlannedTo: number | undefined;
  readonly outbox: readonly TenantEffect[];
}

export type TenantEffect =
  | RuleChangedEffect
  /** Sends the servers the notice that a quiet time ended early. */
  | (OutboxEntry & { readonly type: 'quietEnded' })
  /** Plans the further occurrences of quiet times. */
  | (OutboxEntry & { readonly type: 'planQuiet' })
  | EraseTenantEffect;

/** Deletes all that a deleted tenant has. */
export interface EraseTenantEffect extends OutboxEntry {
  readonly type: 'erase';
  /** When the tenant was deleted, ms since the epoch. */
  readonly at: number;
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
        | { readonly type: 'setQuiet'; readonly quiet: QuietTime }
        | { readonly type: 'removeQuiet'; readonly name: string; readonly operator: boolean }
        | { readonly type: 'delete' }
        /** Nothing of the deleted tenant is left. */
        | { readonly type: 'erased' }
        | { readonly type: 'quietPlanned'; readonly plans: readonly NamedPlan[] }
        | { readonly type: 'wake' }
      ));

/** The next plan of a quiet time. `at`: when that one was made. */
export interface NamedPlan {
  readonly name: string;
  readonly at: number;
  readonly plan: QuietPlan;
}

type EventOf<T extends TenantEvent['type']> = Extract<TenantEvent, { type: T }>;
type Change = Partial<TenantContext>;

/** Number of values in a window unless the tenant changes it. */
export const DEFAULT_WINDOW_SIZE = 5;

function see({ names }: TenantContext, { name, now }: EventOf<'seen'>): Change {
  return { names: names.includes(name) ? names : [...names, name], seenAt: now };
}

/** The effects of a tenant that end with it. */
const OWN: ReadonlySet<string> = new Set<TenantEffect['type']>(['ruleChanged', 'quietEnded', 'planQuiet']);

/** True if the tenant has nothing more to do. */
function isOver({ context }: { readonly context: TenantContext }): boolean {
  return context.outbox.every(({ type }) => type === 'erase');
}

/** Its rules and quiet times end at once. */
function remove({ outbox }: TenantContext, { now }: EventOf<'delete'>): Change {
  const entry: EraseTenantEffect = { id: 'erase', type: 'erase', at: now };
  return {
    deletedAt: now,
    rules: [],
    quiet: [],
    quietPlannedTo: undefined,
    outbox: [...outbox.filter(({ type }) => !OWN.has(type)), entry],
    wakeAt: undefined,
    reply: undefined,
  };
}

/** Returns the refusal of what needs a tenant that is being deleted. */
export function tenantIsDeleted(): Refusal {
  return new Refusal('unavailable', 'the tenant is being deleted; nothing was done, try again later', {
    retryAfterS: 5,
  });
}

const refused = decides((): Change => {
  throw tenantIsDeleted();
});
/** A change of a tenant that is deleted before the change is decided would otherwise be confirmed. */
const REFUSED = {
  resize: { actions: refused },
  addRule: { actions: refused },
  changeRule: { actions: refused },
  removeRule: { actions: refused },
  rotateSecret: { actions: refused },
  setQuiet: { actions: refused },
  removeQuiet: { actions: refused },
};

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
  // Of the name and the labels: they identify the alert at an Alertmanager.
  const { condition, noData, name, labels } = change;
  const isForServers = [condition, noData, name, labels].some((member) => member !== undefined);
  if (!isForServers) return { version, rules, reply: changed };
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
function withRuleChanged({ outbox }: TenantContext, ruleId: string): readonly TenantEffect[] {
  const id = `ruleChanged:${ruleId}`;
  return [...without(outbox, id), { id, type: 'ruleChanged', ruleId }];
}

/** Replies with the generations after the rotation. */
function rotateSecret(context: TenantContext, { now }: EventOf<'rotateSecret'>): Change {
  const secrets = rotated(context.secrets, now);
  return { secrets, reply: secrets };
}

function setQuiet(context: TenantContext, { quiet, now }: EventOf<'setQuiet'>): Change {
  return withQuietTimes(context, withQuiet(context.quiet, quiet), quiet.name, now);
}

function removeQuiet(context: TenantContext, { name, operator, now }: EventOf<'removeQuiet'>): Change {
  return withQuietTimes(context, withoutQuiet(context.quiet, name, operator), name, now);
}

/** `changed`: name of the quiet time that is another, or gone. If it was running, its servers send a suppressed `noData`. */
function withQuietTimes(
  context: TenantContext,
  quiet: readonly QuietTime[],
  changed: string,
  now: number,
): Change {
  const { version, outbox } = context;
  const before = context.quiet.find(({ name }) => name === changed);
  const isEnded = before !== undefined && quietEnd(before, now) !== undefined;
  const id = 'quietEnded';
  return {
    version: version + 1,
    quiet,
    ...plansOf(quiet),
    outbox: isEnded ? [...without(outbox, id), { id, type: id }] : outbox,
  };
}

function plansOf(quiet: readonly QuietTime[]): Change {
  return { quietPlannedTo: plannedTo(quiet), wakeAt: nextRenewal(quiet) };
}

/** A quiet time that was changed meanwhile has its own plan. */
function quietPlanned(context: TenantContext, { plans }: EventOf<'quietPlanned'>): Change {
  const quiet = context.quiet.map((one) => {
    const next = plans.find(({ name, at }) => name === one.name && at === one.at);
    return next === undefined ? one : { ...one, plan: next.plan };
  });
  return { quiet, ...plansOf(quiet), outbox: context.outbox.filter(({ type }) => type !== 'planQuiet') };
}

/** Plans further occurrences if it is time. */
function wake({ quiet, outbox }: TenantContext, { now }: EventOf<'wake'>): Change {
  if (!quiet.some((one) => isDue(one, now))) return { wakeAt: nextRenewal(quiet) };
  const id = 'planQuiet';
  if (outbox.some((entry) => entry.id === id)) return { wakeAt: now + PLAN_AGAIN_MS };
  return { outbox: [...outbox, { id, type: id }], wakeAt: now + PLAN_AGAIN_MS };
}

/**
 * States: `unknown` until the first request with a valid token of the tenant, then `known`. `deleting` from its deletion until
 * nothing of it is left, then `gone`.
 */
const tenantMachine = setup({
  types: { context: {} as TenantContext, events: {} as TenantEvent },
}).createMachine({
  id: 'tenant',
  context: {
    names: [],
    seenAt: undefined,
    deletedAt: undefined,
    version: 0,
    window: { size: DEFAULT_WINDOW_SIZE, version: 0, lows: [] },
    rules: [],
    quiet: [],
    quietPlannedTo: undefined,
    secrets: FIRST_GENERATION,
    outbox: [],
    wakeAt: undefined,
    reply: undefined,
  },
  initial: 'unknown',
  states: {
    unknown: { on: { ...REFUSED, seen: { target: 'known', actions: decides(see) } } },
    known: {
      on: {
        seen: { actions: decides(see) },
        delete: { target: 'deleting', actions: decides(remove) },
        resize: { actions: decides(resize) },
        addRule: { actions: decides(addRule) },
        changeRule: { actions: decides(changeRule) },
        removeRule: { actions: decides(removeRule) },
        rotateSecret: { actions: decides(rotateSecret) },
        setQuiet: { actions: decides(setQuiet) },
        removeQuiet: { actions: decides(removeQuiet) },
        quietPlanned: { actions: decides(quietPlanned) },
        wake: { actions: decides(wake) },
        performed: { actions: decides(removePerformed) },
      },
    },
    deleting: {
      on: {
        ...REFUSED,
        seen: { actions: refused },
        performed: { actions: decides(removePerformed) },
        // Otherwise the entry is performed again, after the others.
        erased: { guard: isOver, target: 'gone' },
      },
    },
    gone: {},
  },
});

/** A tenant that is being deleted. */
export interface DeletedTenant extends Pick<TenantContext, 'names'> {
  /** When it was deleted, ms since the epoch. */
  readonly at: number;
}

/** Notices to the servers of a tenant. */
export interface ServerNotices {
  /** For those with a subscription of a generic rule: the rule was changed or removed. */
  ruleChanged(actors: Actors, tenantId: string, ruleId: string): Promise<void>;
  /** For those with a suppressed `noData`: a quiet time ended early. */
  quietEnded(actors: Actors, tenantId: string): Promise<void>;
}

/** Plans the quiet times that are due. Resolves with the event that gives the tenant their next plans. */
export async function planDue(
  { quiet }: TenantView,
  tenantId: string,
  plans: Pick<QuietPlans, 'next'>,
  now: () => number,
): Promise<EventOf<'quietPlanned'>> {
  const at = now();
  const due = quiet.filter((one) => isDue(one, at));
  const made = await Promise.all(
    due.map(async (one) => ({ name: one.name, at: one.at, plan: await plans.next(tenantId, one) })),
  );
  return { type: 'quietPlanned', now: now(), plans: made };
}

/** The kind of a tenant's actor. `erase` deletes all that a deleted tenant has; resolves once nothing is left. */
export function tenantKind(options: {
  readonly notices: ServerNotices;
  readonly plans: Pick<QuietPlans, 'next'>;
  readonly erase: (actors: Actors, tenantId: string, deleted: DeletedTenant) => Promise<void>;
  readonly now: () => number;
}): ActorKind {
  const { notices, plans, erase, now } = options;
  return {
    name: TENANT,
    version: 1,
    machine: tenantMachine,
    deletedState: 'gone',
    whenTooLarge: 'remove rules of this tenant first',
    effects: {
      async ruleChanged(entry: RuleChangedEffect, _context: unknown, { address, actors }: EffectRun) {
        await notices.ruleChanged(actors, address.tenant, entry.ruleId);
        return performed(entry, now());
      },
      async quietEnded(entry: OutboxEntry, _context: unknown, { address, actors }: EffectRun) {
        await notices.quietEnded(actors, address.tenant);
        return performed(entry, now());
      },
      async erase(
        { at }: EraseTenantEffect,
        { names }: TenantContext,
        { address, actors }: EffectRun,
      ): Promise<TenantEvent> {
        await erase(actors, address.tenant, { at, names });
        return { type: 'erased', now: now() };
      },
      planQuiet: (_entry: unknown, context: TenantContext, { address }: EffectRun) =>
        planDue(context, address.tenant, plans, now),
    },
  };
}
