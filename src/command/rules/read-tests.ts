import { dirname, resolve } from 'node:path';
import { array, mixed } from 'yup';
import { isMetricName } from '../../config/metrics.js';
import { LONGEST_GAP_S } from '../../policy/http/backtest-body.js';
import { LARGEST_WINDOW_SIZE } from '../../policy/http/offline-backtest.js';
import { isServerId } from '../../policy/server/server-id.js';
import {
  checked,
  exactly,
  integer,
  NOT_A_TIME,
  NOT_AN_OBJECT,
  numberFrom,
  strictly,
  text,
} from '../../policy/http/validate.js';
import { isOfDocument } from '../../policy/rules/metrics.js';
import { isoTime } from '../../untrusted/iso-time.js';
import { isObject } from '../../untrusted/json.js';
import type { PlacedProblems } from './placed-problems.js';
import type { Series } from './series.js';
import { TENANT_LIST } from './wanted-rules.js';

/** What a test expects. Members that are undefined are not compared. */
export interface Expected {
  readonly firings?: number;
  /** s */
  readonly held?: number;
  readonly evaluations?: number;
  readonly messages?: readonly ExpectedMessage[];
}

/** A message that a test expects. */
export interface ExpectedMessage {
  readonly state: string;
  /** A time of ISO 8601. */
  readonly at: string;
}

/** A test of a rule on a series. `at`: its path in its file. */
export interface ReadTest {
  readonly file: string;
  readonly at: string;
  readonly series: Series;
  readonly expected: Expected;
}

const NAME = 'must be the name of a rule of these files, as a string';
const SERVER = 'must be the id of the server of the rule, as a string';
const CSV = 'must be the path of a CSV file, relative to this file';
const COLUMN = 'must be the name of a column of the CSV file';
const METRICS =
  'must be an object of at least one metric, each with a column of the CSV file, such as {cpu: value}';
const COUNT = 'must be an integer from 0 on';
const SECONDS = 'must be a number of seconds, from 0 on';
const STATE = 'must be one of firing, resolved, noData';
const MESSAGES = 'must be a list of messages, each with state and at';
const SIZE = `must be an integer from 1 to ${LARGEST_WINDOW_SIZE}`;
const GAP = `must be an integer from 0 to ${LONGEST_GAP_S}, in seconds`;

const message = exactly({
  state: text(STATE).oneOf(['firing', 'resolved', 'noData'], STATE),
  at: text(NOT_A_TIME).test('time', NOT_A_TIME, (value) => isoTime(value) !== undefined),
});
const test = exactly({
  rule: text(NAME),
  server: strictly(mixed(), SERVER).test(
    'server',
    SERVER,
    (id) => id === undefined || (typeof id === 'string' && isServerId(id)),
  ),
  csv: text(CSV),
  time: text(COLUMN),
  metrics: strictly(mixed(), METRICS)
    .test('metrics', METRICS, (value) => isColumns(value))
    .required(METRICS),
  windowsize: integer(1, LARGEST_WINDOW_SIZE, SIZE),
  gap: integer(0, LONGEST_GAP_S, GAP),
  expect: exactly({
    firings: integer(0, Number.MAX_SAFE_INTEGER, COUNT),
    held: numberFrom(0, Number.MAX_VALUE, SECONDS),
    evaluations: integer(0, Number.MAX_SAFE_INTEGER, COUNT),
    messages: strictly(array(), MESSAGES).of(message.required(NOT_AN_OBJECT)),
  })
    .default(undefined)
    .nonNullable(NOT_AN_OBJECT),
}).required(NOT_AN_OBJECT);

/** A test as a file has it. */
interface TestInFile {
  readonly rule: string;
  readonly server?: string;
  readonly csv: string;
  readonly time: string;
  readonly metrics: Readonly<Record<string, string>>;
  readonly windowsize?: number;
  readonly gap?: number;
  readonly expect?: Expected;
}

/** Reads the tests of a file. The problems get what is wrong. */
export function testsIn(tests: readonly unknown[], problems: PlacedProblems): readonly ReadTest[] {
  return tests.flatMap((one, i) => {
    const at = `tests[${i}]`;
    const read = checked(test, one, at, problems) as TestInFile | undefined;
    if (read === undefined) return [];
    const { rule, server, csv, time, metrics, windowsize, gap, expect = {} } = read;
    const path = resolve(problems.file === '-' ? '.' : dirname(problems.file), csv);
    const columns = new Map(Object.entries(metrics));
    const series = { list: server ?? TENANT_LIST, rule, csv, path, time, metrics: columns, windowsize, gap };
    return [{ file: problems.file, at, series, expected: expect }];
  });
}

function isColumns(value: unknown): boolean {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  const isMetric = (name: string): boolean => name !== 'at' && (isOfDocument(name) || isMetricName(name));
  return (
    entries.length > 0 && entries.every(([name, column]) => isMetric(name) && typeof column === 'string')
  );
}
