import { isMetricName, type MetricSettings } from '../../config/metrics.js';
import { Problems, Refusal } from '../../errors.js';
import { isoTime } from '../../untrusted/iso-time.js';
import { isObject } from '../../untrusted/json.js';
import { quoted } from '../../untrusted/text.js';
import { type Backtest, FACTS_LIMIT, type PastFact } from '../backtest/backtest.js';
import { compiled } from '../rules/compiled.js';
import type { Metric } from '../rules/metrics.js';
import { metricRanges, type Range } from './condition-schema.js';
import { ruleSchemas } from './schemas.js';
import { checked, integer, NOT_A_TIME, NOT_AN_OBJECT } from './validate.js';

/** The settings for backtests. */
export interface BacktestSettings {
  /** The metrics beside those of the document. */
  readonly metrics: MetricSettings;
  /** Maximum window size. */
  readonly windowMax: number;
  /** `WINDOW_GAP_S`, s: the gap of a backtest that names none. */
  readonly gapS: number;
  /** Maximum number of facts. Default: `FACTS_LIMIT`. */
  readonly factsLimit?: number;
}

/** Maximum gap, s. */
export const LONGEST_GAP_S = 365 * 86_400;

const GAP = integer(0, LONGEST_GAP_S, `must be an integer from 0 to ${LONGEST_GAP_S}, in seconds`);

const MEMBERS: readonly string[] = ['rule', 'windowsize', 'gap', 'facts'];

/**
 * Makes the function that reads the body of a backtest. `windowsize` is that of a body without one. The function throws
 * `Refusal('too-large')` for too many facts, and one `Refusal('bad-request')` that names every problem.
 */
export function backtestReader(settings: BacktestSettings): (body: unknown, windowsize: number) => Backtest {
  const { windowMax, factsLimit = FACTS_LIMIT } = settings;
  const { ruleDraft } = ruleSchemas(settings.metrics);
  const readFact = factReader(settings.metrics);
  const windowSize = integer(1, windowMax, `must be an integer from 1 to ${windowMax}`);
  return (body, windowsize) => {
    if (!isObject(body)) throw new Refusal('bad-request', `body: ${NOT_AN_OBJECT}`);
    const problems = new Problems();
    for (const name of Object.keys(body)) {
      if (!MEMBERS.includes(name))
        problems.add('body', `must not have ${quoted(name)}; allowed: ${MEMBERS.join(', ')}`);
    }
    const rule = checked(ruleDraft, body['rule'], 'rule', problems);
    if (rule !== undefined && compiled(rule.condition).metrics.includes('at')) {
      problems.add('rule.condition.at', 'cannot be tried: the member `at` of a fact is its time');
    }
    const size = checked(windowSize, body['windowsize'], 'windowsize', problems);
    const gap = checked(GAP, body['gap'], 'gap', problems);
    const facts = readFacts(body['facts'], factsLimit, readFact, problems);
    problems.refuse();
    return { rule: rule!, windowsize: size ?? windowsize, gapMs: (gap ?? settings.gapS) * 1000, facts };
  };
}

type ReadFact = (fact: unknown, at: string, problems: Problems) => PastFact | undefined;

function readFacts(
  value: unknown,
  limit: number,
  readFact: ReadFact,
  problems: Problems,
): readonly PastFact[] {
  if (!Array.isArray(value)) {
    problems.add('facts', `must be an array of at most ${limit} facts`);
    return [];
  }
  if (value.length > limit) {
    throw new Refusal('too-large', `facts: ${value.length} are too many; send at most ${limit}`);
  }
  const facts: PastFact[] = [];
  const early: number[] = [];
  let before = -Infinity;
  for (const [i, element] of value.entries()) {
    const fact = readFact(element, `facts[${i}]`, problems);
    if (fact === undefined) continue;
    if (fact.at < before) early.push(i);
    before = fact.at;
    facts.push(fact);
  }
  // One problem: a series that descends would have as many as facts.
  if (early.length > 0) {
    const more = early.length === 1 ? '' : `, here and in ${early.length - 1} more`;
    problems.add(
      `facts[${early[0]}].at`,
      `must not be earlier than that of the fact before it${more}: sort the facts by time, ascending`,
    );
  }
  return facts;
}

/** Makes the reader of one fact. It returns undefined and adds the problems if there are any. */
function factReader(settings: MetricSettings): ReadFact {
  const { any } = settings;
  const ranges = metricRanges(settings);
  const isMetric = (name: string): boolean => ranges.has(name) || (any && isMetricName(name));
  const names = [...ranges.keys()].join(', ') + (any ? ', names of other metrics' : '');
  return (fact, path, problems) => {
    if (!isObject(fact)) {
      problems.add(path, NOT_AN_OBJECT);
      return undefined;
    }
    const measures: Partial<Record<Metric, number>> = {};
    let isGood = true;
    let isMeasured = false;
    for (const [name, value] of Object.entries(fact)) {
      if (name === 'at') continue;
      const wrong = isMetric(name)
        ? outside(value, ranges.get(name))
        : `is no metric here; allowed: at, ${names}`;
      isMeasured = true;
      if (wrong === undefined) measures[name] = (value as number) + 0;
      else {
        isGood = false;
        problems.add(`${path}.${shown(name)}`, wrong);
      }
    }
    if (!isMeasured) problems.add(path, `must have at least one of ${names}`);
    const at = typeof fact['at'] === 'string' ? isoTime(fact['at']) : undefined;
    if (at === undefined) problems.add(`${path}.at`, NOT_A_TIME);
    return at !== undefined && isGood && isMeasured ? { at, measures } : undefined;
  };
}

/** Returns what is wrong with the value of a metric; undefined if nothing is. */
function outside(value: unknown, range: Range | undefined): string | undefined {
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  if (isNumber && (range === undefined || (range[0] <= value && value <= range[1]))) return undefined;
  return range === undefined ? 'must be a finite number' : `must be a number from ${range[0]} to ${range[1]}`;
}

function shown(name: string): string {
  return /^\w{1,64}$/.test(name) ? name : quoted(name);
}
