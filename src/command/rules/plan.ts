import canonicalize from 'canonicalize';
import { type Rule, RULE_OPTIONS, type RuleChange, type RuleDraft } from '../../policy/rules/rule.js';
import { Failure } from '../context.js';
import type { FoundRule, FoundRules, FoundSubscription } from './found-rules.js';
import { inOrder, keyOf, type Target } from './target.js';
import { TENANT_LIST, type WantedRule, type WantedRules } from './wanted-rules.js';

/** A rule, as it is compared and shown. */
export interface RuleShape {
  readonly draft: RuleDraft;
  /** Sorted; undefined: they are not compared. */
  readonly subscriptions: readonly Target[] | undefined;
}

/** A change of one rule. `list`: see `WantedLists`. `before` or `after` is undefined if the rule is added or removed. */
export interface RuleBlock {
  readonly is: 'rule';
  readonly list: string;
  readonly name: string;
  readonly before: (RuleShape & { readonly ruleId: string }) | undefined;
  readonly after: RuleShape | undefined;
  /** The members that change; undefined if only subscriptions do, or the rule is added or removed. */
  readonly change: RuleChange | undefined;
  readonly subscribe: readonly Target[];
  readonly unsubscribe: readonly FoundSubscription[];
}

/** A change of the window size. */
export interface SizeBlock {
  readonly is: 'windowsize';
  readonly before: number;
  readonly after: number;
}

/** A change, in the order in which they are made: rules are removed last. */
export type Block = SizeBlock | RuleBlock;

/**
 * Returns the changes that make what is found as it is wanted. Rules that are not wanted stay, unless `prune`. Throws `Failure`
 * if the service has two rules of one name that is wanted.
 */
export function planOf(wanted: WantedRules, found: FoundRules, prune: boolean): readonly Block[] {
  refuseDuplicates(
    found,
    (list, name) => wanted.lists.get(list)?.some(({ draft }) => draft.name === name) ?? false,
  );
  const { windowsize: after } = wanted;
  const { windowsize: before } = found;
  const sizes: readonly Block[] =
    after === undefined || after === before ? [] : [{ is: 'windowsize', before, after }];
  const changed = [...wanted.lists].flatMap(([list, rules]) => {
    const known = new Map(found.lists.get(list)?.map((one) => [one.rule.name, one]));
    return rules.flatMap((one) => blockOf(list, one, known.get(one.draft.name)) ?? []);
  });
  return [...sizes, ...changed, ...(prune ? removals(wanted, found) : [])];
}

/** Throws `Failure` if a list of the service has several rules of one name, for which `concerns` is true. */
export function refuseDuplicates(
  { lists }: FoundRules,
  concerns: (list: string, name: string) => boolean = () => true,
): void {
  const faults: string[] = [];
  for (const [list, rules] of lists) {
    const ids = new Map<string, string[]>();
    for (const { rule } of rules) ids.set(rule.name, [...(ids.get(rule.name) ?? []), rule.ruleId]);
    for (const [name, ruleIds] of ids)
      if (ruleIds.length > 1 && concerns(list, name))
        faults.push(`${titleOf(list, name)} is there ${ruleIds.length} times, as ${ruleIds.join(' and ')}`);
  }
  if (faults.length === 0) return;
  throw new Failure(
    `names of rules must be unique in their list; in the service ${faults.join('; ')}: rename or remove all but one`,
  );
}

/** Returns what a rule is called in messages. */
export function titleOf(list: string, name: string): string {
  return list === TENANT_LIST ? `rule ${quotedName(name)}` : `server ${list}: rule ${quotedName(name)}`;
}

function quotedName(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
}

function removals(wanted: WantedRules, found: FoundRules): readonly RuleBlock[] {
  return [...found.lists].flatMap(([list, rules]) => {
    const names = new Set(wanted.lists.get(list)?.map(({ draft }) => draft.name));
    return rules
      .filter(({ rule }) => !names.has(rule.name))
      .map((one): RuleBlock => {
        const before = shapeOfFound(one, true);
        return {
          is: 'rule',
          list,
          name: one.rule.name,
          before,
          after: undefined,
          change: undefined,
          subscribe: [],
          unsubscribe: [],
        };
      });
  });
}

function blockOf(list: string, wanted: WantedRule, found: FoundRule | undefined): RuleBlock | undefined {
  const { draft } = wanted;
  const targets = targetsOf(wanted);
  const after = { draft, subscriptions: targets };
  const block = { is: 'rule', list, name: draft.name, after } as const;
  if (found === undefined)
    return { ...block, before: undefined, change: undefined, subscribe: targets ?? [], unsubscribe: [] };
  const before = shapeOfFound(found, targets !== undefined);
  const change = changeOf(found.rule, draft);
  const subscribe = without(targets ?? [], found.subscriptions);
  const unsubscribe = targets === undefined ? [] : without(found.subscriptions, targets);
  if (change === undefined && subscribe.length === 0 && unsubscribe.length === 0) return undefined;
  return { ...block, before, change, subscribe, unsubscribe };
}

/** Returns a rule of the service as it is compared. */
export function shapeOfFound(
  { rule, subscriptions }: FoundRule,
  withSubscriptions: boolean,
): RuleShape & { readonly ruleId: string } {
  const { ruleId, ...draft } = rule;
  return { ruleId, draft, subscriptions: withSubscriptions ? subscriptions.toSorted(inOrder) : undefined };
}

function targetsOf({ subscriptions }: WantedRule): readonly Target[] | undefined {
  if (subscriptions === undefined) return undefined;
  const targets = new Map<string, Target>();
  for (const { servers, ...rest } of subscriptions)
    for (const serverId of servers) targets.set(keyOf({ serverId, ...rest }), { serverId, ...rest });
  return [...targets.values()].toSorted(inOrder);
}

function without<T extends Target>(targets: readonly T[], others: readonly Target[]): readonly T[] {
  const keys = new Set(others.map(keyOf));
  return targets.filter((one) => !keys.has(keyOf(one)));
}

/** Returns the change that makes one rule another one of its name; undefined if they are the same. */
function changeOf(found: Rule, wanted: RuleDraft): RuleChange | undefined {
  const members = (['condition', 'action', ...RULE_OPTIONS] as const).filter(
    (member) => canonicalize(found[member]) !== canonicalize(wanted[member]),
  );
  if (members.length === 0) return undefined;
  return Object.fromEntries(members.map((member) => [member, wanted[member] ?? null]));
}
