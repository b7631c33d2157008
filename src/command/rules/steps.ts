import type { Environment } from '../../config/read-values.js';
import type { RuleChange, RuleDraft } from '../../policy/rules/rule.js';
import type { FoundSubscription } from './found-rules.js';
import { type Block, type RuleBlock, titleOf } from './plan.js';
import { Failure } from '../context.js';
import { type Target, withValues } from './target.js';
import { TENANT_LIST } from './wanted-rules.js';

/** One request that changes something. `todo` and `done` say what, before and after it. */
export type Step = { readonly todo: string; readonly done: string } & (
  | { readonly is: 'resize'; readonly windowsize: number }
  | { readonly is: 'add'; readonly list: string; readonly draft: RuleDraft }
  | {
      readonly is: 'change';
      readonly list: string;
      readonly ruleId: string;
      readonly change: RuleChange;
    }
  | { readonly is: 'remove'; readonly list: string; readonly ruleId: string }
  /** `ruleId` is undefined for a rule that an earlier step adds: that of this list and name. */
  | {
      readonly is: 'subscribe';
      readonly list: string;
      readonly name: string;
      readonly ruleId: string | undefined;
      readonly target: Target;
    }
  | { readonly is: 'unsubscribe'; readonly subscription: FoundSubscription }
);

/**
 * Returns the steps of a plan in order: subscriptions are made before others end, and rules are removed last, so that a rule that
 * stays is never without a receiver.
 */
export function stepsOf(blocks: readonly Block[]): readonly Step[] {
  const rules = blocks.filter((block) => block.is === 'rule');
  return [
    ...blocks.flatMap((block) => (block.is === 'windowsize' ? [resize(block.before, block.after)] : [])),
    ...rules.flatMap((block) => [
      ...ofRule(block),
      ...block.subscribe.map((target) => subscribe(block, target)),
    ]),
    ...rules.flatMap((block) => block.unsubscribe.map((one) => unsubscribe(block, one))),
    ...rules.flatMap(removal),
  ];
}

/** Returns the steps with the values of the environment in headers. Throws `Failure` that names each variable that is not set. */
export function readySteps(steps: readonly Step[], environment: Environment): readonly Step[] {
  const missing = new Set<string>();
  const ready = steps.map((step) =>
    step.is === 'subscribe'
      ? { ...step, target: withValues(step.target, environment, (name) => missing.add(name)) }
      : step,
  );
  if (missing.size > 0)
    throw new Failure(
      `values of headers need variables of the environment that are not set: ${[...missing].join(', ')}`,
    );
  return ready;
}

/** Returns the path of a list of rules, below that of the tenant. */
export function pathOfList(list: string): readonly string[] {
  return list === TENANT_LIST ? ['rules'] : ['servers', list, 'rules'];
}

function said(
  subject: string,
  [todo, done]: readonly [string, string],
  what = '',
): Pick<Step, 'todo' | 'done'> {
  return { todo: `${subject}: ${todo}${what}`, done: `${subject}: ${done}${what}` };
}

function resize(before: number, windowsize: number): Step {
  const words = said('windowsize', ['change', 'changed'], ` from ${before} to ${windowsize}`);
  return { is: 'resize', windowsize, ...words };
}

function ofRule({ list, name, before, after, change }: RuleBlock): readonly Step[] {
  const title = titleOf(list, name);
  if (after !== undefined && before === undefined)
    return [{ is: 'add', list, draft: after.draft, ...said(title, ['add', 'added']) }];
  if (before === undefined || change === undefined) return [];
  const words = said(title, ['change', 'changed'], ` ${Object.keys(change).join(', ')}`);
  return [{ is: 'change', list, ruleId: before.ruleId, change, ...words }];
}

function subscribe({ list, name, before }: RuleBlock, target: Target): Step {
  const what = ` ${target.url} on ${target.serverId}${formText(target)}`;
  const words = said(titleOf(list, name), ['subscribe', 'subscribed'], what);
  return { is: 'subscribe', list, name, ruleId: before?.ruleId, target, ...words };
}

/** Returns how messages are sent, for the end of a line; '' without format and headers. */
function formText({ format, headers }: Target): string {
  const names = headers === undefined ? '' : ` with ${Object.keys(headers).join(', ')}`;
  return `${format === undefined ? '' : ` as ${format}`}${names}`;
}

function unsubscribe({ list, name }: RuleBlock, subscription: FoundSubscription): Step {
  const what = ` the subscription of ${subscription.url} on ${subscription.serverId}${formText(subscription)}`;
  return { is: 'unsubscribe', subscription, ...said(titleOf(list, name), ['end', 'ended'], what) };
}

function removal({ list, name, before, after }: RuleBlock): readonly Step[] {
  if (before === undefined || after !== undefined) return [];
  const count = before.subscriptions?.length ?? 0;
  const what = count === 0 ? '' : ` with ${count} ${count === 1 ? 'subscription' : 'subscriptions'}`;
  const words = said(titleOf(list, name), ['remove', 'removed'], what);
  return [{ is: 'remove', list, ruleId: before.ruleId, ...words }];
}
