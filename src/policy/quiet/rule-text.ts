/** Maximum characters of an RRULE. */
export const RULE_LIMIT = 500;

/** An RRULE without its UNTIL. */
export interface RuleText {
  readonly rule: string;
  /** `20270101T000000Z` in UTC, `20270101T000000` in the zone, or a day of the zone. */
  readonly until: string | undefined;
}

const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'];
const DAY = '(?:MO|TU|WE|TH|FR|SA|SU)';

/** The parts whose values are words. */
const WORDS: Readonly<Record<string, readonly [pattern: RegExp, allowed: string]>> = {
  FREQ: [new RegExp(`^(?:${FREQUENCIES.join('|')})$`), `one of ${FREQUENCIES.join(', ')}`],
  UNTIL: [/^\d{8}(?:T\d{6}Z?)?$/, 'a time such as 20270101T000000Z'],
  COUNT: [/^[1-9]\d{0,5}$/, 'a number from 1 to 999999'],
  INTERVAL: [/^[1-9]\d{0,5}$/, 'a number from 1 to 999999'],
  BYDAY: [
    new RegExp(`^(?:[+-]?[1-5]?\\d)?${DAY}(?:,(?:[+-]?[1-5]?\\d)?${DAY})*$`),
    'days such as MO,TU or -1FR',
  ],
  WKST: [new RegExp(`^${DAY}$`), 'a day such as MO'],
};

/** The parts whose values are numbers. `negative`: they may count from the end. */
const NUMBERS: Readonly<Record<string, readonly [min: number, max: number, negative: boolean]>> = {
  BYSECOND: [0, 59, false],
  BYMINUTE: [0, 59, false],
  BYHOUR: [0, 23, false],
  BYMONTHDAY: [1, 31, true],
  BYYEARDAY: [1, 366, true],
  BYWEEKNO: [1, 53, true],
  BYMONTH: [1, 12, false],
  BYSETPOS: [1, 366, true],
};

const PARTS = [...Object.keys(WORDS), ...Object.keys(NUMBERS)];

/** Returns what is wrong with the text of an RRULE, after its name; undefined: nothing that the text alone shows. */
export function ruleProblem(text: string): string | undefined {
  const parts = partsOf(text);
  const names = parts.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  const unknown = names.find((name) => !PARTS.includes(name));
  if (unknown !== undefined)
    return `must be an RRULE of RFC 5545 such as FREQ=WEEKLY;BYDAY=SU; its parts are ${PARTS.join(', ')}`;
  if (twice !== undefined) return `must not have ${twice} twice`;
  if (!names.includes('FREQ')) return `must have FREQ, ${WORDS['FREQ']![1]}`;
  if (names.includes('COUNT') && names.includes('UNTIL')) return 'must not have both COUNT and UNTIL';
  return parts.map(([name, value]) => partProblem(name, value)).find((problem) => problem !== undefined);
}

/** Returns the text of an RRULE in its parts. */
export function readRule(text: string): RuleText {
  const parts = partsOf(text);
  const others = parts.filter(([name]) => name !== 'UNTIL');
  return {
    rule: others.map(([name, value]) => `${name}=${value}`).join(';'),
    until: parts.find(([name]) => name === 'UNTIL')?.[1],
  };
}

function partsOf(text: string): readonly (readonly [name: string, value: string])[] {
  return text
    .toUpperCase()
    .split(';')
    .map((part) => {
      const end = part.indexOf('=');
      return end === -1 ? [part, ''] : [part.slice(0, end), part.slice(end + 1)];
    });
}

function partProblem(name: string, value: string): string | undefined {
  const word = WORDS[name];
  if (word !== undefined) return word[0].test(value) ? undefined : `${name} must be ${word[1]}`;
  const [min, max, negative] = NUMBERS[name]!;
  const isNumber = (one: string): boolean => {
    const size = Math.abs(Number(one));
    return /^[+-]?\d{1,3}$/.test(one) && size >= min && size <= max && (negative || !one.startsWith('-'));
  };
  if (value.split(',').every(isNumber)) return undefined;
  return `${name} must be numbers from ${min} to ${max}${negative ? ', or negative ones' : ''}, such as ${max},${min}`;
}
