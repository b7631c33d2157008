import { type Condition, formOf, type Operand } from '../../policy/rules/condition.js';
import { mayBeInfinite } from './infinite.js';
import { hostMetricIn } from './host-metrics.js';
import { constantOf, isArithmetic, parsePromql, type Promql } from './promql.js';
import { isComparing, isSingle, matchByServer, type Recorded, type Series, seriesOf } from './series.js';
import { Supplies, type Supply } from './supplies.js';

/** The error of an alert that cannot be a rule. The message follows the name of the alert. */
export class Untranslatable extends Error {
  override readonly name = 'Untranslatable';
}

/** The condition of an alert, with the metrics that it needs, and where it differs from the alert. */
export interface AlertCondition {
  readonly condition: Condition;
  readonly supplies: readonly Supply[];
  readonly notes: readonly string[];
}

const SEVERAL =
  'One message for each server, not for each of its series (such as a device): the worst series counts, and for goes on ' +
  'while any of them holds.';
const EACH =
  'Evaluated for servers that have all of these series: in Prometheus, one of them can be missing.';
/** Replaces infinity, because metrics are finite. For large thresholds it is twice the threshold. */
const FAR = 1e15;

/**
 * Translates the expression of an alert. `recorded`: recording rules of the same files. `all`: the metrics of all alerts, which
 * this adds to. Throws `Untranslatable`.
 */
export function conditionOf(alert: string, expr: string, recorded: Recorded, all: Supplies): AlertCondition {
  const part = readExpression(expr);
  const trial = new Translation(alert, recorded, new Supplies(all.all));
  trial.of(part);
  const translation = new Translation(alert, recorded, all, trial.isMixed);
  const condition = translation.of(part);
  const supplies = [...translation.supplies];
  const notes = [...translation.notes].filter((note) => note !== EACH || supplies.length > 1);
  return { condition, supplies, notes };
}

function readExpression(expr: string): Promql {
  try {
    return parsePromql(expr);
  } catch (error) {
    throw new Untranslatable((error as Error).message, { cause: error });
  }
}

type Operation = Promql & { readonly is: 'operation' };
type Filter = Operation & { readonly operator: 'and' | 'unless' };

class Translation {
  readonly supplies = new Set<Supply>();
  readonly notes = new Set<string>();
  readonly #alert: string;
  readonly #recorded: Recorded;
  readonly #all: Supplies;
  readonly #isRecorded: boolean;

  /** `isRecorded`: each metric has a recording rule. */
  constructor(alert: string, recorded: Recorded, all: Supplies, isRecorded = false) {
    this.#alert = alert;
    this.#recorded = recorded;
    this.#all = all;
    this.#isRecorded = isRecorded;
  }

  /**
   * True if some metrics have recording rules and others have none. They come at different times, so that a rule would combine
   * new values with old ones.
   */
  get isMixed(): boolean {
    const recorded = [...this.supplies].filter(({ expr }) => expr !== undefined);
    return recorded.length > 0 && recorded.length < this.supplies.size;
  }

  of(part: Promql): Condition {
    if (part.is !== 'operation') throw withoutComparison(part);
    if (part.operator === 'or') return this.#any(sidesOf(part, 'or').map((side) => this.of(side)));
    if (isFilter(part)) return this.#filtered(part);
    if (isComparing(part.operator)) return this.#compared(part, '');
    const joined = joinIn(part);
    if (joined === undefined) throw withoutComparison(part);
    return this.#filtered(joined);
  }

  /** `left and right`, `left unless right`. */
  #filtered(part: Operation): Condition {
    const { operator, left, right, matching } = part;
    if (left.is === 'operation' && left.operator === 'or') {
      return this.#any(sidesOf(left, 'or').map((side) => this.#filtered({ ...part, left: side })));
    }
    const [a, b] = [seriesOf(left, this.#recorded), seriesOf(right, this.#recorded)];
    if (!isCondition(right) || !matchByServer(a, b, matching)) return this.#folded(part);
    const [one, other] = [this.of(left), this.of(right)];
    if (operator === 'unless') this.notes.add(EACH);
    return { all: [...allOf(one), ...(operator === 'and' ? allOf(other) : [{ not: other }])] };
  }

  #any(members: readonly Condition[]): Condition {
    this.notes.add(EACH);
    return { any: members };
  }

  /** Makes the filters a part of the metric: it has the value of the first comparison while they hold. */
  #folded(part: Operation): Condition {
    let filters = '';
    let first: Promql = part;
    while (isFilter(first)) {
      const { operator, modifiers, right } = first;
      filters = ` ${operator}${modifiers === '' ? '' : ` ${modifiers}`} ${grouped(right)}${filters}`;
      first = first.left;
    }
    if (first.is !== 'operation' || !isComparing(first.operator)) throw withoutComparison(first);
    return this.#compared(first, filters);
  }

  #compared(part: Operation, filters: string): Condition {
    if (part.bool) throw new Untranslatable(`has bool in "${part.text}": it fires whenever there is a value`);
    const { vector, operator, value } = comparedIn(part);
    const series = seriesOf(vector, this.#recorded);
    refuse(vector, series);
    const isFinite = !mayBeInfinite(vector, this.#recorded);
    const found = filters === '' && isFinite ? this.#known(vector, operator, value, series) : undefined;
    if (found !== undefined) return found;
    if (!isSingle(series)) this.notes.add(SEVERAL);
    // The comparison leaves out what is not a number: 0 / 0.
    const far = Math.max(FAR, 2 * Math.abs(value));
    const values = isFinite ? grouped(vector) : `clamp(${bare(vector)}, -${far}, ${far}) <= ${far}`;
    const isFiltered = filters !== '' || !isFinite;
    const kept = `${values}${filters}`;
    // 0 for each series, also for one that is left out.
    const always = `timestamp(${bare(vector)}) * 0`;
    const isReduced = isFiltered || !isSingle(series);
    if (!(operator in OPERANDS) && isReduced) {
      // 1 for a series that is equal: of several values there is no worst one.
      const flag = isFiltered
        ? `(${kept}) ${operator} bool ${value} or ${always}`
        : `${kept} ${operator} bool ${value}`;
      return newest(this.#record(`max by (instance) (${flag})`), 'greater equal', 1);
    }
    const worst = operator.startsWith('<') && isReduced ? 'min by (instance)' : 'max by (instance)';
    if (isFiltered) {
      const neutral = neutralOf(operator, value);
      const otherwise = neutral === 0 ? always : `${always} + ${neutral}`;
      return comparison(this.#record(`${worst} (${kept} or ${otherwise})`), operator, value);
    }
    const isOne = isSingle(series) && !series.target;
    const text = bare(vector);
    return comparison(this.#record(isOne ? text : `${worst} (${text})`), operator, value);
  }

  /** Uses a metric of the document, or a series that Prometheus has without a rule. */
  #known(vector: Promql, operator: string, value: number, series: Series): Condition | undefined {
    const host = hostMetricIn(vector);
    if (host !== undefined) {
      const turned = host.factor < 0 ? TURNED[operator]! : operator;
      const supply =
        isSingle(series) || turned.startsWith('>') ? this.#all.named(host.metric, host.expr) : undefined;
      if (supply !== undefined) {
        if (!isSingle(series)) this.notes.add(SEVERAL);
        return comparison(this.#used(supply), turned, rounded((value - host.offset) / host.factor));
      }
    }
    if (vector.is !== 'selector' || vector.name === undefined || vector.matchers !== '') return undefined;
    const supply = isSingle(series) && !this.#isRecorded ? this.#all.sent(vector.name) : undefined;
    return supply && comparison(this.#used(supply), operator, value);
  }

  #record(expr: string): string {
    return this.#used(this.#all.recorded(this.#alert, expr));
  }

  #used(supply: Supply): string {
    this.supplies.add(supply);
    return supply.metric;
  }
}

function isFilter(part: Promql): part is Filter {
  return part.is === 'operation' && (part.operator === 'and' || part.operator === 'unless');
}

const GROUP_LEFT = /\s*\bgroup_left\b\s*(?:\([^)]*\))?/i;

/**
 * Returns `A and on (instance) B` for `A * on (instance) group_left (nodename) B`, where A is a comparison; undefined for
 * anything else. An alert fires while its expression has a value, whatever it is, and both have one for the same series of A.
 */
function joinIn(part: Operation): Operation | undefined {
  const { operator, left, right, matching, modifiers } = part;
  if (!isArithmetic(operator) || matching?.group === 'right') return undefined;
  if (!isCondition(left) || constantOf(right) !== undefined) return undefined;
  return { ...part, operator: 'and', modifiers: modifiers.replace(GROUP_LEFT, '') };
}

/** True for what can become a condition of its own: comparisons, joined. */
function isCondition(part: Promql): boolean {
  if (part.is !== 'operation') return false;
  if (part.operator === 'or' || isFilter(part)) return isCondition(part.left) && isCondition(part.right);
  return isComparing(part.operator) && !part.bool;
}

/** Returns the sides of an operator, and of the same operator on its left: those of `(a or b) or c` are three. */
function sidesOf(part: Promql, operator: string): readonly Promql[] {
  if (part.is !== 'operation' || part.operator !== operator) return [part];
  return [...sidesOf(part.left, operator), ...sidesOf(part.right, operator)];
}

/** The operators of comparisons whose sides change places. */
const TURNED: Readonly<Record<string, string>> = {
  '>': '<',
  '<': '>',
  '>=': '<=',
  '<=': '>=',
  '==': '==',
  '!=': '!=',
};

interface Compared {
  readonly vector: Promql;
  readonly operator: string;
  readonly value: number;
}

/** Returns a comparison as one with a number on its right. Two vectors are compared by their difference. */
function comparedIn(part: Operation): Compared {
  const { operator, left, right, modifiers, matching } = part;
  const [a, b] = [constantOf(left), constantOf(right)];
  if (a !== undefined && b !== undefined) throw new Untranslatable(`compares two numbers in "${part.text}"`);
  for (const value of [a, b])
    if (value !== undefined && !Number.isFinite(value))
      throw new Untranslatable(`compares with no finite number in "${part.text}"`);
  if (b !== undefined) return { vector: left, operator, value: b };
  if (a !== undefined) return { vector: right, operator: TURNED[operator]!, value: a };
  const text = `${grouped(left)} -${modifiers === '' ? '' : ` ${modifiers}`} ${grouped(right)}`;
  const vector: Promql = {
    is: 'operation',
    operator: '-',
    left,
    right,
    bool: false,
    matching,
    modifiers,
    text,
  };
  return { vector, operator, value: 0 };
}

function withoutComparison(part: Promql): Untranslatable {
  const { text } = part;
  if (part.is === 'call' && part.name.startsWith('absent')) return absence(text);
  return new Untranslatable(`compares nothing in "${text}": it fires while there is such a series`);
}

function absence(text: string): Untranslatable {
  return new Untranslatable(
    `asks for a series that is not there in "${text}": noData of a rule does so for each server`,
  );
}

/** Throws `Untranslatable` for values that are not of one server, or that are missing at times. */
function refuse(vector: Promql, { is, instance, gaps }: Series): void {
  if (gaps?.startsWith('absent') === true) throw absence(gaps);
  if (gaps !== undefined)
    throw new Untranslatable(`has no value at times in "${gaps}": a rule would keep its last state then`);
  if (is === 'scalar') throw new Untranslatable(`is of no server in "${vector.text}"`);
  if (!instance)
    throw new Untranslatable(
      `has no label instance in "${vector.text}": a rule sees the metrics of one server`,
    );
}

/** Returns a part in parentheses, if an operator beside it could take some of it. */
function grouped({ is, text, enclosed }: Promql): string {
  return (is === 'operation' || is === 'negative') && enclosed !== true ? `(${text})` : text;
}

/** Returns a part without parentheses around it. */
function bare({ text, enclosed }: Promql): string {
  return enclosed === true ? text.slice(1, -1) : text;
}

/** Returns a number for which a comparison does not hold. */
function neutralOf(operator: string, value: number): number {
  const far = Math.max(1, Math.abs(value));
  if (operator === '>=') return value - far;
  return operator === '<=' ? value + far : value;
}

/** Removes the error of a few divisions: 100 * (1 - 0.1) is 90. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

const OPERANDS: Readonly<Record<string, Operand>> = {
  '>': 'greater',
  '<': 'less',
  '>=': 'greater equal',
  '<=': 'less equal',
};

function comparison(metric: string, operator: string, value: number): Condition {
  const operand = OPERANDS[operator];
  if (operand !== undefined) return newest(metric, operand, value);
  const both = { all: [newest(metric, 'greater equal', value), newest(metric, 'less equal', value)] };
  return operator === '==' ? both : { not: both };
}

function allOf(condition: Condition): readonly Condition[] {
  const form = formOf(condition);
  return form.is === 'all' ? form.members : [condition];
}

/** Compares the newest value, as Prometheus does. */
function newest(metric: string, operand: Operand, value: number): Condition {
  return { [metric]: { value, operand, aggregate: 'last' } };
}
