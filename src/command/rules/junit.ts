import { escaped } from '../../untrusted/html.js';

/** A test that was run. `failure`: how it differs. `error`: why it could not be run. */
export interface RunTest {
  /** The file that has it. */
  readonly file: string;
  readonly name: string;
  /** s */
  readonly seconds: number;
  readonly failure: string | undefined;
  readonly error: string | undefined;
}

/** Returns a report in the format of JUnit, which systems for continuous integration read. */
export function junitReport(tests: readonly RunTest[]): string {
  const count = (member: 'failure' | 'error'): number =>
    tests.filter((one) => one[member] !== undefined).length;
  const seconds = tests.reduce((sum, one) => sum + one.seconds, 0).toFixed(3);
  const totals = `tests="${tests.length}" failures="${count('failure')}" errors="${count('error')}" time="${seconds}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="mirzam rules test" ${totals}>`,
    `  <testsuite name="mirzam rules test" ${totals}>`,
    ...tests.map(caseOf),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseOf({ file, name, seconds, failure, error }: RunTest): string {
  const head = `    <testcase classname="${xml(file)}" name="${xml(name)}" time="${seconds.toFixed(3)}"`;
  if (failure === undefined && error === undefined) return `${head}/>`;
  const [element, text] = failure === undefined ? ['error', error ?? ''] : ['failure', failure];
  const message = xml(text.split('\n')[0]!);
  return `${head}>\n      <${element} message="${message}">${xml(text)}</${element}>\n    </testcase>`;
}

/** Escapes a text for XML 1.0, which has no control characters. */
function xml(text: string): string {
  return escaped(text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '?'));
}
