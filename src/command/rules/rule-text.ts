import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff';
import { stringify } from 'yaml';
import { formOf } from '../../delivery/form/formats.js';
import { ruleOptionsOf } from '../../policy/rules/rule.js';
import { type Block, type RuleShape, titleOf } from './plan.js';
import { formKeyOf, type Target } from './target.js';
import { TENANT_LIST, type WantedSubscription } from './wanted-rules.js';

/** Lines around a change that are shown too. */
const CONTEXT = 3;

/** Returns a value as YAML, without anchors, and with one line for each line of a text. */
export function yamlOf(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/** Returns a rule as a file has it, its members in one order. `list`: see `WantedLists`. */
export function ruleInFile(
  { draft, subscriptions }: RuleShape,
  list: string,
): Readonly<Record<string, unknown>> {
  const { name, condition, action } = draft;
  const rule = { name, condition, action, ...ruleOptionsOf(draft) };
  if (subscriptions === undefined) return rule;
  const groups = groupedOf(subscriptions);
  // A rule of one server is bound on that server only.
  return {
    ...rule,
    subscriptions:
      list === TENANT_LIST ? groups : groups.map(({ url, ...form }) => ({ url, ...formOf(form) })),
  };
}

/** Returns targets grouped by url and form, each with its servers. */
function groupedOf(targets: readonly Target[]): readonly WantedSubscription[] {
  const found = new Map<string, WantedSubscription>();
  for (const { serverId, url, ...form } of targets) {
    const key = formKeyOf({ url, ...form });
    const servers = [...(found.get(key)?.servers ?? []), serverId];
    found.set(key, { servers: [...new Set(servers)], url, ...formOf(form) });
  }
  return [...found.values()];
}

/** Returns a rule without the values of headers: in a file they may be secrets, and they are not compared. */
function withoutValues(shape: RuleShape): RuleShape {
  const named = shape.subscriptions?.map((target): Target => {
    const { headers, ...rest } = target;
    if (headers === undefined) return target;
    const names = Object.keys(headers).toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    return { ...rest, headers: Object.fromEntries(names.map((name) => [name, '…'])) };
  });
  return { ...shape, subscriptions: named };
}

/** Returns a change as a unified difference of two texts: what is in the service, and what would be. */
export function blockText(block: Block): string {
  if (block.is === 'windowsize')
    return patch('windowsize', yamlOf({ windowsize: block.before }), yamlOf({ windowsize: block.after }));
  const { list, name, before, after } = block;
  const old = before && ruleInFile(withoutValues(before), list);
  const changed = after && ruleInFile(withoutValues(after), list);
  return patch(titleOf(list, name), old && yamlOf(old), changed && yamlOf(inOrderOf(old, changed)));
}

/** Returns a rule whose members have the inner order of those of another one: their order makes no difference. */
function inOrderOf(
  model: Readonly<Record<string, unknown>> = {},
  rule: Readonly<Record<string, unknown>>,
): object {
  return Object.fromEntries(
    Object.entries(rule).map(([member, value]) => [member, inOneOrder(value, model[member])]),
  );
}

/** Returns an object with its members in the order of another one, where both have them: their order makes no difference. */
function inOneOrder(value: unknown, model: unknown): unknown {
  if (Array.isArray(value))
    return value.map((one, i) => inOneOrder(one, Array.isArray(model) ? model[i] : undefined));
  if (!(value instanceof Object)) return value;
  const members = value as Readonly<Record<string, unknown>>;
  const known = (model instanceof Object && !Array.isArray(model) ? model : {}) as typeof members;
  const names = [
    ...Object.keys(known).filter((name) => Object.hasOwn(members, name)),
    ...Object.keys(members),
  ];
  return Object.fromEntries(
    [...new Set(names)].map((name) => [name, inOneOrder(members[name], known[name])]),
  );
}

/** `before` or `after` is undefined if there is nothing on that side. */
function patch(title: string, before: string | undefined, after: string | undefined): string {
  const head = [before, after].map((text) => (text === undefined ? '/dev/null' : title));
  const made = structuredPatch('', '', before ?? '', after ?? '', undefined, undefined, { context: CONTEXT });
  return `--- ${head[0]}\n+++ ${head[1]}\n${formatPatch(made, OMIT_HEADERS)}`;
}
