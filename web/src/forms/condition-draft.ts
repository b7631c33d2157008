import { AGGREGATES } from '../../../src/policy/rules/condition.js';
import { isOfDocument, METRICS } from '../../../src/policy/rules/metrics.js';
import type { ComparisonView } from '../../../src/policy/rules/shapes.js';
import { isObject, jsonOf } from '../../../src/untrusted/json.js';
import { typedNumber } from '../ui/field.js';
import { jsonText } from './condition-json.js';

export { AGGREGATES, METRICS };

/** The operands of the policy API, each with its words. */
export const OPERANDS = [
  ['greater', 'greater than'],
  ['greater equal', 'at least'],
  ['less', 'less than'],
  ['less equal', 'at most'],
] as const;

/** How the members of a group are joined, each with its words. */
export const JOINTS = [
  ['all', 'all of these hold'],
  ['any', 'any of these holds'],
  ['none', 'none of these holds'],
  ['notAll', 'not all of these hold'],
] as const;

/** One comparison as it is typed. */
export interface ComparisonDraft {
  readonly metric: string;
  /** True if the name of the metric is typed, not chosen. */
  readonly typed?: boolean;
  readonly operand: string;
  readonly value: string;
  /** Absent or empty: the comparison does not have it. */
  readonly aggregate?: string;
  /** Absent or blank: the comparison does not have it. */
  readonly clear?: string;
}

/** Comparisons and groups that are joined. */
export interface GroupDraft {
  readonly joint: (typeof JOINTS)[number][0];
  /** At least one. */
  readonly members: readonly MemberDraft[];
  /** True if the group was made of a list: it stays one, also where an object would say the same. */
  readonly listed?: true;
}

export type MemberDraft = ComparisonDraft | GroupDraft;

/** A condition as it is typed: a group, or any condition as JSON. */
export interface ConditionDraft {
  readonly group: GroupDraft;
  /** The condition as JSON; undefined: the group is the condition. */
  readonly json: string | undefined;
}

/** True for a group. */
export function isGroup(member: MemberDraft): member is GroupDraft {
  return 'members' in member;
}

/** Returns the metrics of the document that none of these members compares. */
export function freeMetrics(members: readonly MemberDraft[]): readonly string[] {
  return METRICS.filter((metric) => members.every((one) => isGroup(one) || one.metric !== metric));
}

/** Returns a comparison without a value, of the first metric that the other members do not have. */
export function newComparison(others: readonly MemberDraft[] = []): ComparisonDraft {
  const [free] = freeMetrics(others);
  return { metric: free ?? '', typed: free === undefined, operand: 'greater', value: '' };
}

/** Returns the draft of a condition: fields, or JSON if fields cannot show all that it says. */
export function conditionDraftOf(condition: unknown): ConditionDraft {
  const group = groupOf(condition);
  return group === undefined
    ? { group: { joint: 'all', members: [] }, json: jsonText(condition) }
    : { group, json: undefined };
}

/** Returns the condition that a draft says, unchecked: the service checks it. JSON that cannot be read stays text. */
export function conditionIn({ group, json }: ConditionDraft): unknown {
  return json === undefined ? builtOf(group, '').condition : (jsonOf(json) ?? json);
}

/** Returns the place of each comparison in the condition, as the service names it: `condition.any[0].cpu`. */
export function placesIn({ group, json }: ConditionDraft): ReadonlyMap<ComparisonDraft, string> {
  return new Map(json === undefined ? builtOf(group, 'condition').places : []);
}

/** Returns the draft as JSON. */
export function asJson(draft: ConditionDraft): ConditionDraft {
  return { group: draft.group, json: jsonText(conditionIn(draft)) };
}

/** Returns the draft as fields; undefined if they cannot show all that its JSON says. */
export function asFields(draft: ConditionDraft): ConditionDraft | undefined {
  const group = groupOf(conditionIn(draft));
  return group && { group, json: undefined };
}

/** Returns the group that a condition is; undefined if fields cannot show all that it says. */
function groupOf(condition: unknown): GroupDraft | undefined {
  if (!isObject(condition)) return undefined;
  const [[name, inner] = [], ...others] = Object.entries(condition);
  if (others.length === 0 && (name === 'any' || name === 'all')) {
    const members = Array.isArray(inner) ? inner.map(memberOf) : [];
    return isWhole(members) ? { joint: name, members, listed: true } : undefined;
  }
  if (others.length === 0 && name === 'not') return negated(groupOf(inner));
  return isPlain(condition) ? { joint: 'all', members: rowsOf(condition) } : undefined;
}

function isWhole(members: readonly (MemberDraft | undefined)[]): members is readonly MemberDraft[] {
  return members.length > 0 && members.every((member) => member !== undefined);
}

function negated(group: GroupDraft | undefined): GroupDraft | undefined {
  if (group === undefined) return undefined;
  if (group.joint === 'any' || isOne(group)) return { ...group, joint: 'none' };
  return group.joint === 'all' ? { ...group, joint: 'notAll' } : { joint: 'none', members: [group] };
}

/** Returns a member of a group: a comparison if it is one alone. */
function memberOf(condition: unknown): MemberDraft | undefined {
  const group = groupOf(condition);
  return group !== undefined && isOne(group) ? group.members[0] : group;
}

function isOne({ joint, members, listed }: GroupDraft): boolean {
  return joint === 'all' && members.length === 1 && listed !== true;
}

/** A part of a condition, with the places of its comparisons. */
interface Built {
  readonly condition: unknown;
  readonly places: readonly (readonly [ComparisonDraft, string])[];
}

function builtOf(member: MemberDraft, place: string): Built {
  if (!isGroup(member)) return builtOfRows([member], place);
  const { joint, members, listed } = member;
  if (joint === 'all' || joint === 'any') return joined(joint, members, listed === true, place);
  const inner = joined(joint === 'none' ? 'any' : 'all', members, listed === true, `${place}.not`);
  return { condition: { not: inner.condition }, places: inner.places };
}

function joined(
  name: 'any' | 'all',
  members: readonly MemberDraft[],
  isListed: boolean,
  place: string,
): Built {
  if (!isListed && members.length === 1) return builtOf(members[0]!, place);
  const rows = members.filter((member): member is ComparisonDraft => !isGroup(member));
  const isUnique = new Set(rows.map(({ metric }) => metric.trim())).size === members.length;
  // An object has one comparison of a metric.
  if (!isListed && name === 'all' && isUnique) return builtOfRows(rows, place);
  const each = members.map((member, i) => builtOf(member, `${place}.${name}[${i}]`));
  return {
    condition: { [name]: each.map(({ condition }) => condition) },
    places: each.flatMap(({ places }) => places),
  };
}

function builtOfRows(rows: readonly ComparisonDraft[], place: string): Built {
  const each = rows.map((row) => [row.metric.trim(), row] as const);
  return {
    condition: Object.fromEntries(each.map(([metric, row]) => [metric, comparisonIn(row)])),
    places: each.map(([metric, row]) => [row, `${place}.${metric}`] as const),
  };
}

function rowsOf(condition: Readonly<Record<string, ComparisonView>>): readonly ComparisonDraft[] {
  return Object.entries(condition).map(([metric, { operand, value, clear, aggregate }]) => ({
    metric,
    typed: !isOfDocument(metric),
    operand,
    value: String(value),
    aggregate: aggregate ?? '',
    clear: clear === undefined ? '' : String(clear),
  }));
}

function comparisonIn({ value, operand, clear = '', aggregate = '' }: ComparisonDraft) {
  return {
    value: typedNumber(value),
    operand,
    ...(clear.trim() !== '' && { clear: typedNumber(clear) }),
    ...(aggregate !== '' && { aggregate }),
  };
}

/** True for comparisons alone, with no other members than rows have. */
function isPlain(
  condition: Readonly<Record<string, unknown>>,
): condition is Readonly<Record<string, ComparisonView>> {
  const all = Object.values(condition);
  return all.length > 0 && all.every(isComparison);
}

function isComparison(given: unknown): given is ComparisonView {
  if (!isObject(given)) return false;
  const { value, operand, clear, aggregate, ...rest } = given;
  return (
    Object.keys(rest).length === 0 &&
    Number.isFinite(value) &&
    OPERANDS.some(([one]) => one === operand) &&
    (clear === undefined || Number.isFinite(clear)) &&
    (aggregate === undefined || AGGREGATES.some((one) => one === aggregate))
  );
}
