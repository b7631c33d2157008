import { stringify } from 'yaml';
import { isOfDocument } from '../../policy/rules/metrics.js';
import type { Imported, ImportedRule } from './imported-rules.js';
import type { Supply } from './supplies.js';

/** Width of the comments. */
const WIDTH = 118;

/** Returns rules as a file of rules as code. `names`: the files of Prometheus. */
export function fileOf(made: Imported, names: readonly string[], email: string): string {
  const { rules, refused } = made;
  const all = rules.length + refused.length;
  const head = [
    'yaml-language-server: $schema=node_modules/mirzam/deploy/rules.schema.json',
    `Made by mirzam rules import --prometheus ${names.join(' ')}`,
    `${all} ${all === 1 ? 'alert' : 'alerts'}: ${rules.length} as rules, ${refused.length} refused.`,
    ...(rules.length === 0 ? [] : ['', ...settings(made, email)]),
  ];
  const parts = [
    commented(head, ''),
    rules.length === 0 ? 'rules: []\n' : `rules:\n${rules.map((rule) => ruleText(rule)).join('')}`,
    ...(refused.length === 0 ? [] : [refusedText(made)]),
  ];
  return parts.join('\n');
}

function settings({ supplies }: Imported, email: string): readonly string[] {
  const own = supplies.map(({ metric }) => metric).filter((metric) => !isOfDocument(metric));
  return [
    ...(own.length === 0 ? [] : ['Setting of the service for these rules:', `  METRICS="${own.join(',')}"`]),
    'What Prometheus has to send (the page /docs/sources of a service has the configuration):',
    `  regex: "${supplies.map(({ metric, series, expr }) => (expr === undefined ? series : metric)).join('|')}"`,
    'Rules compare the newest value, as Prometheus does, once a window is full: after five values, or windowsize.',
    'While Prometheus has no value, a rule keeps its state; there an alert ends. noData reports servers without values.',
    'repeat is the default of Alertmanager, 4 hours. A subscription with the format alertmanager needs none.',
    `${email} gets the mails. Add subscriptions: a rule without one is not evaluated.`,
  ];
}

function ruleText({ alert, rule, supplies, notes }: ImportedRule): string {
  const lines = [
    `${alert.name}, ${alert.place}:`,
    ...indented(alert.expr.trim().split('\n')),
    ...supplies.flatMap((one) => supplyText(one)),
    ...notes,
  ];
  const text = stringify([rule], { aliasDuplicateObjects: false, lineWidth: 0 });
  return `${commented(lines, '  ')}${text.replaceAll(/^(?=.)/gm, '  ')}`;
}

function supplyText({ metric, series, expr }: Supply): readonly string[] {
  if (expr !== undefined) return [`Needs a recording rule:`, `  record: ${series}`, `  expr: ${expr}`];
  return [metric === series ? `Needs ${series}.` : `Needs ${series}, which is ${metric} here.`];
}

function refusedText({ refused }: Imported): string {
  const lines = refused.flatMap(({ alert, reason }) => [
    `${alert.name}, ${alert.place}: ${reason}.`,
    ...indented(alert.expr.trim().split('\n')),
  ]);
  return commented(['Refused:', ...lines], '');
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/** Returns lines as comments. A line that is not an expression is broken at its words. */
function commented(lines: readonly string[], indent: string): string {
  return lines
    .flatMap((line) => (line.startsWith(' ') ? [line] : broken(line)))
    .map((line) => `${indent}${`# ${line}`.trimEnd()}\n`)
    .join('');
}

function broken(text: string): readonly string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1)!;
    if (last !== '' && last.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** Returns the recording rules that supply the metrics, as a rule file of Prometheus. */
export function recordingRules({ supplies }: Imported): string {
  const rules = supplies.flatMap(({ series, expr }) =>
    expr === undefined ? [] : [{ record: series, expr }],
  );
  return stringify({ groups: [{ name: 'mirzam', rules }] }, { lineWidth: 0 });
}
